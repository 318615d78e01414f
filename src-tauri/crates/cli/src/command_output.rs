//! The output of commands, under their line, while a run is followed and when a session is shown: all of it, or its first
//! and last lines.

use crate::output::{Printer, ShowOutput, dim, visible};
use arki_domain::CallId;
use arki_domain::projection::CallItem;
use std::collections::{HashMap, VecDeque};

/// Lines shown as they come, before the rest is only kept.
const HEAD_LINES: usize = 8;
/// Lines shown at the end of a longer output.
const TAIL_LINES: usize = 12;
/// The longest line that is shown, in characters.
const MAX_LINE_CHARS: usize = 400;
/// A line that never ends is cut here, in bytes.
const MAX_OPEN_LINE: usize = 16 * 1024;

/// The output of the commands that run at the moment.
pub(crate) struct CommandOutputs {
    amount: ShowOutput,
    open: HashMap<CallId, PrintedOutput>,
}

/// The part of one command's output that is shown.
#[derive(Default)]
struct PrintedOutput {
    shown: usize,
    left_out: usize,
    tail: VecDeque<String>,
    open_line: String,
}

impl CommandOutputs {
    pub(crate) fn new(amount: ShowOutput) -> Self {
        Self { amount, open: HashMap::new() }
    }

    /// Takes a piece of a command's output and returns the lines to show now.
    pub(crate) fn piece(&mut self, call_id: &CallId, text: &str) -> Vec<String> {
        let amount = self.amount;
        let printed = self.open.entry(call_id.clone()).or_default();
        printed.open_line.push_str(text);
        let mut lines = Vec::new();
        while let Some(end) = printed.open_line.find('\n').or_else(|| printed.too_long()) {
            let line: String = printed.open_line.drain(..end).collect();
            if printed.open_line.starts_with('\n') {
                printed.open_line.remove(0);
            }
            lines.extend(printed.line(line, amount));
        }
        lines
    }

    /// The last thing that any command printed.
    pub(crate) fn last_line(&self) -> Option<&str> {
        let of = |printed: &'_ PrintedOutput| !printed.open_line.trim().is_empty() || !printed.tail.is_empty();
        let printed = self.open.values().find(|printed| of(printed))?;
        let open = Some(printed.open_line.as_str()).filter(|line| !line.trim().is_empty());
        open.or_else(|| printed.tail.back().map(String::as_str))
    }

    /// The lines still to show once a command has ended. What was not seen as it came is in its result.
    pub(crate) fn ended(&mut self, call: &CallItem) -> Vec<String> {
        let Some(mut printed) = self.open.remove(&call.call_id) else { return of_result(call, self.amount) };
        let open = std::mem::take(&mut printed.open_line);
        let mut lines: Vec<String> =
            if open.is_empty() { Vec::new() } else { printed.line(open, self.amount).into_iter().collect() };
        lines.extend((printed.left_out > 0).then(|| left_out(printed.left_out)));
        lines.extend(printed.tail.iter().map(|line| shown(line)));
        lines
    }
}

impl PrintedOutput {
    fn too_long(&self) -> Option<usize> {
        (self.open_line.len() > MAX_OPEN_LINE).then(|| self.open_line.floor_char_boundary(MAX_OPEN_LINE))
    }

    fn line(&mut self, line: String, amount: ShowOutput) -> Option<String> {
        match amount {
            ShowOutput::None => None,
            ShowOutput::Tail if self.shown >= HEAD_LINES => {
                self.tail.push_back(line);
                if self.tail.len() > TAIL_LINES {
                    self.tail.pop_front();
                    self.left_out += 1;
                }
                None
            }
            ShowOutput::Full | ShowOutput::Tail => {
                self.shown += 1;
                Some(shown(&line))
            }
        }
    }
}

/// The lines of a command's result, for a command that nobody saw run.
pub(crate) fn of_result(call: &CallItem, amount: ShowOutput) -> Vec<String> {
    if call.tool_id != "run_command" {
        return Vec::new();
    }
    let mut printed = PrintedOutput::default();
    let mut lines: Vec<String> = call
        .result
        .iter()
        .flat_map(|result| result.lines())
        .filter_map(|line| printed.line(line.to_owned(), amount))
        .collect();
    lines.extend((printed.left_out > 0).then(|| left_out(printed.left_out)));
    lines.extend(printed.tail.iter().map(|line| shown(line)));
    lines
}

pub(crate) fn tell(output: &Printer, lines: &[String]) {
    lines.iter().for_each(|line| output.aside(dim(line)));
}

fn left_out(lines: usize) -> String {
    format!("    … {} (see all with --show-output full)", arki_domain::plural(lines as u64, "more line"))
}

fn shown(line: &str) -> String {
    // What a progress bar has overwritten is not read either.
    let line = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
    let line = visible(line);
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("    {}…", &line[..end]),
        None => format!("    {line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> CallId {
        CallId::from("c1")
    }

    fn result(text: &str) -> CallItem {
        of_tool("run_command", text)
    }

    fn of_tool(tool: &str, text: &str) -> CallItem {
        let item = CallItem::new(None, call(), tool, serde_json::Value::Null);
        CallItem { result: Some(text.to_owned()), ..item }
    }

    fn printed(amount: ShowOutput, pieces: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut outputs = CommandOutputs::new(amount);
        let live = pieces.iter().flat_map(|piece| outputs.piece(&call(), piece)).collect();
        (live, outputs.ended(&result("not used")))
    }

    #[test]
    fn short_output_is_shown_whole_as_it_comes() {
        let (live, end) = printed(ShowOutput::Tail, &["on", "e\ntwo\n", "thr", "ee"]);
        assert_eq!(live, ["    one", "    two"]);
        assert_eq!(end, ["    three"]);
    }

    #[test]
    fn of_long_output_the_first_and_last_lines_are_shown() {
        let text: String = (1..=100).map(|number| format!("{number}\n")).collect();
        let (live, end) = printed(ShowOutput::Tail, &[&text]);
        assert_eq!((live.len(), live[7].as_str()), (HEAD_LINES, "    8"));
        assert_eq!(end.len(), 1 + TAIL_LINES);
        assert!(end[0].contains("80 more lines") && end[12] == "    100", "{end:?}");
        let (live, end) = printed(ShowOutput::Full, &[&text]);
        assert_eq!((live.len(), end.len()), (100, 0));
        assert_eq!(printed(ShowOutput::None, &[&text]), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_line_without_an_end_is_bounded_and_controls_are_made_visible() {
        let (live, _) = printed(ShowOutput::Tail, &[&"x".repeat(MAX_OPEN_LINE + 10)]);
        assert!(live[0].chars().count() < MAX_LINE_CHARS + 10);
        let (live, _) = printed(ShowOutput::Tail, &["10%\r50%\r100%\r\n\x1b[2Jgone\n"]);
        assert_eq!(live[0], "    100%");
        assert!(!live[1].contains('\x1b'), "{live:?}");
    }

    #[test]
    fn output_nobody_saw_is_read_from_the_result() {
        let mut outputs = CommandOutputs::new(ShowOutput::Tail);
        assert_eq!(outputs.ended(&result("exit code 1\nfailed")), ["    exit code 1", "    failed"]);
        assert!(outputs.ended(&of_tool("read_file", "text")).is_empty());
    }
}

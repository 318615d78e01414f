//! Prints a pending approval: the command, or the diff with its hunks numbered.

use crate::output::{dim, visible, word_of};
use arki_domain::projection::call_words;
use arki_domain::{ApprovalKind, ApprovalRequested, ChangePreview, Error, Hunk, WholeChange};
use arki_engine::{ApprovalRecord, Engine, ReviewDiff};
use serde_json::Value;

/// The tool whose questions show a line.
const COMMAND_TOOL: &str = "run_command";
/// The sandbox of what nothing confines.
const UNCONFINED: &str = "none";
/// Lines of a diff that are shown in the midst of something else.
const MAX_LINES_ASIDE: usize = 200;

/// The part of a large change to show.
#[derive(Debug, Clone, Default)]
pub(crate) enum ShownPart {
    /// Its files, folded.
    #[default]
    Files,
    File(String),
    Hunks(Vec<usize>),
    All,
}

/// The lines that say what needs approval, and why.
pub(crate) fn head(requested: &ApprovalRequested) -> Vec<String> {
    match requested.kind {
        ApprovalKind::Plan => return plan(requested),
        ApprovalKind::Gate => return gate(requested),
        ApprovalKind::Tool | ApprovalKind::Effects => {}
    }
    let risk = word_of(requested.risk);
    let what = match requested.calls.len() {
        0 => visible(&requested.tool_id),
        edits => format!("{edits} edits"),
    };
    let mut lines = vec![format!("{what}  risk: {risk}"), visible(&requested.reason)];
    if let Some(command) = &requested.command {
        lines.push(format!("\n$ {}\n", visible(&command.command)));
        lines.push(dim(&format!("in {}, sandbox: {}", visible(&command.directory), command.sandbox)));
        match &command.confinement {
            Some(confinement) => lines.extend(confinement.sentences().iter().map(|sentence| visible(sentence))),
            None if command.sandbox == UNCONFINED => lines.push("The command can do all that you can.".to_owned()),
            None => {}
        }
        if let Some(tried) = &command.tried {
            lines.push(format!("Tried with the project read-only, it failed ({}).", visible(&tried.ending)));
            lines.extend(tried.output.lines().map(|line| dim(&format!("  {}", visible(line)))));
        }
    } else if requested.kind == ApprovalKind::Effects && requested.tool_id == COMMAND_TOOL {
        let command = requested.args.get("command").and_then(Value::as_str).unwrap_or_default();
        lines.push(format!("\n$ {}\n", visible(command)));
    } else if requested.kind == ApprovalKind::Effects {
        lines.push(format!("\n{}\n", visible(&requested.args.to_string())));
    } else if requested.preview.is_none() {
        lines.push(visible(&requested.args.to_string()));
    }
    lines
}

/// Returns the intent of a plan that needs approval.
pub(crate) fn intent(requested: &ApprovalRequested) -> &str {
    requested.args.get("intent").and_then(Value::as_str).unwrap_or_default()
}

fn plan(requested: &ApprovalRequested) -> Vec<String> {
    let listed = |name: &str| requested.args.get(name).and_then(Value::as_array).into_iter().flatten();
    let steps = listed("steps").filter_map(Value::as_str).zip(1..);
    let calls = listed("calls").filter_map(Value::as_str);
    let left_out = requested.args.get("stepsLeftOut").and_then(Value::as_u64);
    let mut lines = vec![visible(&requested.reason), String::new(), in_one_line(intent(requested))];
    lines.extend(steps.map(|(step, number)| format!("  {number}. {}", in_one_line(step))));
    lines.extend(left_out.map(|count| format!("  … {count} more steps, which are left out")));
    lines.extend(calls.flat_map(planned_call).map(|line| dim(&line)));
    lines
}

/// A call of a plan in words, with its arguments below. The text of a command says all; a long call is cut and no JSON.
fn planned_call(call: &str) -> Vec<String> {
    let args = call.split_once(' ').and_then(|(tool, args)| Some((tool, serde_json::from_str::<Value>(args).ok()?)));
    let Some((tool, args)) = args else { return vec![format!("  ▸ {}", visible(call).replace('\n', "\n    "))] };
    let mut lines = vec![format!("  ▸ {}", in_one_line(&call_words(tool, &args)))];
    outline(&args, "      ", &mut lines);
    lines
}

/// Arguments as people write them down: a name and its value a line, what belongs to it indented.
fn outline(value: &Value, indent: &str, lines: &mut Vec<String>) {
    let deeper = format!("{indent}  ");
    let mut add = |name: &str, value: &Value| match value {
        Value::Object(_) | Value::Array(_) => {
            lines.push(format!("{indent}{}", visible(name)));
            outline(value, &deeper, lines);
        }
        Value::String(text) if text.contains('\n') => {
            lines.push(format!("{indent}{}", visible(name)));
            lines.extend(text.lines().map(|line| format!("{deeper}{}", visible(line))));
        }
        Value::String(text) => lines.push(format!("{indent}{} {}", visible(name), visible(text))),
        other => lines.push(format!("{indent}{} {other}", visible(name))),
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| add(&format!("{name}:"), value)),
        Value::Array(items) => items.iter().for_each(|item| add("-", item)),
        other => add("", other),
    }
}

/// Returns the question that a pipeline asks.
pub(crate) fn question(requested: &ApprovalRequested) -> String {
    let field = |name: &str| requested.args.get(name).and_then(Value::as_str).unwrap_or_default();
    format!("{} ({}, step {})", field("message"), field("pipeline"), field("step"))
}

/// A gate is decided by what would be handed on.
fn gate(requested: &ApprovalRequested) -> Vec<String> {
    let input = requested.args.get("input").and_then(Value::as_str).unwrap_or_default();
    let bytes = requested.args.get("inputBytes").and_then(Value::as_u64).unwrap_or_default();
    let mut lines = vec![in_one_line(&question(requested))];
    if !input.trim().is_empty() {
        lines.push(String::new());
        lines.extend(input.lines().take(MAX_LINES_ASIDE).map(|line| dim(&format!("  {}", visible(line)))));
    }
    let has_more = input.lines().count() > MAX_LINES_ASIDE || bytes > input.len() as u64;
    lines.extend(has_more.then(|| dim(&format!("  … {bytes} bytes in all"))));
    lines
}

/// No text of a model's can look like a line of ours.
fn in_one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The diff, as far as it is wanted. `requested` is what is shown of `record`.
pub(crate) fn diff(
    engine: &Engine,
    record: &ApprovalRecord,
    requested: &ApprovalRequested,
    shown: &ShownPart,
    mut line: impl FnMut(String),
) -> Result<(), Error> {
    let Some(preview) = &requested.preview else { return Ok(()) };
    let review = engine.approvals().reviews().review_diff(record, requested)?;
    let wanted = match shown {
        ShownPart::Files if preview.diff_hash.is_some() => {
            files(preview, &review, &mut line);
            return Ok(());
        }
        ShownPart::Files | ShownPart::All => review.all(),
        ShownPart::File(path) => review.file(path)?,
        ShownPart::Hunks(hunks) => review.hunks(hunks)?,
    };
    for part in wanted {
        let text = engine.approvals().reviews().revealed_text(record, &part.path, review.text(&part));
        numbered(&text, &preview.hunks, part.first_hunk, &mut line);
    }
    Ok(())
}

/// Prints a pending approval when the run stops, with its secrets as the log has them, since this may be anybody's log.
pub(crate) fn at_stop(engine: &Engine, record: &ApprovalRecord, mut line: impl FnMut(String)) {
    let Some(requested) = record.request() else { return };
    head(&requested).into_iter().for_each(&mut line);
    let Some(preview) = &requested.preview else { return };
    if preview.diff_hash.is_some() {
        if let Ok(review) = engine.approvals().reviews().review_diff(record, &requested) {
            files(preview, &review, &mut line);
        }
        return;
    }
    bounded(&preview.diff, &preview.hunks, &mut line);
}

/// A diff, or its beginning and how much is left out.
pub(crate) fn bounded(diff: &str, hunks: &[Hunk], mut line: impl FnMut(String)) {
    let count = diff.split_terminator('\n').count();
    let mut left = MAX_LINES_ASIDE;
    numbered(diff, hunks, 1, |shown| {
        if left > 0 {
            left -= 1;
            line(shown);
        }
    });
    if count > MAX_LINES_ASIDE {
        line(dim(&format!("… {} more lines; run `arki approvals show` to see them all.", count - MAX_LINES_ASIDE)));
    }
}

fn files(preview: &ChangePreview, review: &ReviewDiff, line: &mut impl FnMut(String)) {
    let files = review.files();
    line(format!(
        "{} files, {} hunks, {} lines changed, a diff of {} bytes:",
        files.len(),
        preview.hunks.len(),
        preview.lines_changed,
        review.bytes()
    ));
    for file in files {
        let hunks = match file.hunks {
            1 => format!("hunk {}", file.first_hunk),
            count => format!("hunks {}-{}", file.first_hunk, file.first_hunk + count - 1),
        };
        line(format!("  +{:<7} -{:<7} {:<16}  {}", file.added, file.removed, hunks, visible(&file.path)));
    }
    line(dim(
        "Use `arki approvals show ID` with `--file PATH` to see one file, `--hunks 1,3` these hunks, or `--all` \
        everything.",
    ));
}

/// The diff with each hunk's number in front of it, counted from `first`. A change without lines to show is a hunk too.
pub(crate) fn numbered(diff: &str, hunks: &[Hunk], first: usize, mut line: impl FnMut(String)) {
    let mut number = first;
    // The line of a link is no hunk of its own.
    let mut is_link = false;
    for text in diff.split_terminator('\n') {
        let shown = visible(text);
        match text.chars().next() {
            Some('@') if is_link => line(format!("\x1b[36m{shown}\x1b[0m")),
            Some('@') => {
                line(format!("\x1b[36m[hunk {number}] {shown}\x1b[0m"));
                number += 1;
            }
            Some('+') => line(format!("\x1b[32m{shown}\x1b[0m")),
            Some('-') => line(format!("\x1b[31m{shown}\x1b[0m")),
            Some('d') if text.starts_with("diff --git ") => {
                line(shown);
                let next = hunks.get(number.saturating_sub(1)..).unwrap_or_default();
                let own = next.chunk_by(Hunk::is_beside).next().unwrap_or_default();
                let wholes = own.iter().take_while(|hunk| hunk.old_lines == 0 && hunk.new_lines == 0);
                is_link = false;
                for hunk in wholes {
                    let noun = hunk.what.map_or("the whole file", WholeChange::noun);
                    line(format!("\x1b[36m[hunk {number}] {noun}\x1b[0m"));
                    is_link |= hunk.what == Some(WholeChange::Link);
                    number += 1;
                }
            }
            _ => line(shown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_a_plan_is_told_in_words_and_never_as_json() {
        let edit = r#"edit_file {"path":"a.txt","edits":[{"old_text":"one\ntwo","new_text":"1","replace_all":true}]}"#;
        let told = [
            "  ▸ Edit a.txt",
            "      edits:",
            "        -",
            "          new_text: 1",
            "          old_text:",
            "            one",
            "            two",
            "          replace_all: true",
            "      path: a.txt",
        ];
        assert_eq!(planned_call(edit), told);
        assert_eq!(planned_call("run_command: make\ntest"), ["  ▸ run_command: make\n    test"]);
        assert_eq!(planned_call("write_file {\"pa… (9 bytes more)"), ["  ▸ write_file {\"pa… (9 bytes more)"]);
    }

    #[test]
    fn changes_without_lines_have_their_number_and_their_word() {
        let hunk = |index, path: &str, lines, what| Hunk {
            index,
            path: path.to_owned(),
            old_start: lines,
            old_lines: lines,
            new_start: lines,
            new_lines: lines,
            what,
            call_id: None,
        };
        let hunks = [
            hunk(1, "a", 0, Some(WholeChange::Mode)),
            hunk(2, "a", 1, None),
            hunk(3, "b", 0, Some(WholeChange::Link)),
            hunk(4, "c", 0, Some(WholeChange::Binary)),
            hunk(5, "d", 1, None),
        ];
        let diff = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n\
                    diff --git a/b b/b\nnew file mode 120000\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+a\n\
                    diff --git a/c b/c\nBinary files a/c and b/c differ\n\
                    diff --git a/d b/d\n--- a/d\n+++ b/d\n@@ -1 +1 @@\n-a\n+b\n";
        let mut shown = Vec::new();
        numbered(diff, &hunks, 1, |line| shown.push(line));
        let heads: Vec<&str> = shown.iter().filter_map(|line| line.split("[hunk ").nth(1)).collect();
        let heads: Vec<&str> = heads.into_iter().map(|head| head.trim_end_matches("\x1b[0m")).collect();
        assert_eq!(heads, ["1] mode change", "2] @@ -1 +1 @@", "3] link", "4] binary file", "5] @@ -1 +1 @@"]);
    }
}

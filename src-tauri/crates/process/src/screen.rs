//! The screen of a terminal: turns a command's output into text, and colours into SGR sequences in it. Pure.
//!
//! The command moves a cursor, colours, overwrites and clears; a terminal without a window (`avt`) does what it says.
//! A line is text once it has left the screen at the top and nothing can change it any more, so that a progress bar is
//! one line and not a thousand, in bounded memory however much is written.
//!
//! There is no other escape sequence in what comes out than those that [`Look::sgr`] makes, and each line ends as
//! ordinary text.

use std::mem;

use avt::operation::Operation;
use avt::parser::{Function, Parser};
use avt::{Line, Observation, Observer, ScreenKind, Terminal};

use crate::ansi::TextLook;

/// Wide enough for compilers' messages, and what a person might have.
pub(super) const COLUMNS: u16 = 120;
pub(super) const ROWS: u16 = 40;
/// The terminal that it understands, as every system's terminal database knows it.
pub(super) const KIND: &str = "xterm-256color";

pub(super) struct TerminalScreen {
    parser: Parser,
    terminal: Terminal,
    reader: ScreenReader,
    /// The beginning of a character whose end has not come yet.
    undecoded: Vec<u8>,
}

/// The result of writing some bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ScreenOutput {
    /// The text as it was printed, for whoever watches: each redrawn line is a line more.
    pub(super) printed: String,
    /// The text that has left the screen.
    pub(super) settled: String,
}

impl TerminalScreen {
    pub(super) fn new() -> Self {
        let terminal = Terminal::new(COLUMNS.into(), ROWS.into()).expect("it has columns and rows");
        Self { parser: Parser::new(), terminal, reader: ScreenReader::default(), undecoded: Vec::new() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> ScreenOutput {
        self.undecoded.extend_from_slice(bytes);
        let (text, rest) = decoded(&self.undecoded);
        self.undecoded = rest;
        let functions = text.chars().filter_map(|character| self.parser.feed(character)).map(bounded);
        self.terminal.execute_with(functions, &mut self.reader)
    }

    /// Returns what is on the screen at the end.
    pub(super) fn finish(mut self) -> String {
        self.reader.leave(&self.terminal);
        if self.terminal.active_screen_kind() == ScreenKind::Alternate {
            self.reader.add_all(self.terminal.screen().visible_lines());
        }
        self.reader.written.settled
    }
}

/// Programs repeat a character within a row. More would be a lot of work for a few bytes.
fn bounded(function: Function) -> Function {
    match function {
        Function::Rep(times) => Function::Rep(times.min(COLUMNS)),
        other => other,
    }
}

/// Returns what can be read, and the bytes of a last character that is not whole yet. What is none becomes `U+FFFD`.
fn decoded(bytes: &[u8]) -> (String, Vec<u8>) {
    let mut text = String::with_capacity(bytes.len());
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let torn = chunk.invalid();
        let may_go_on = std::str::from_utf8(torn).is_err_and(|error| error.error_len().is_none());
        if chunks.peek().is_none() && may_go_on {
            return (text, torn.to_vec());
        }
        if !torn.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    (text, Vec::new())
}

/// Reads along while the terminal carries things out.
#[derive(Default)]
struct ScreenReader {
    written: ScreenOutput,
    /// The cursor has gone back to the line's beginning; whether to stay there is not known yet.
    is_at_start: bool,
    /// The style of the next character.
    look: TextLook,
    /// The style of the last character that was printed.
    printed_look: TextLook,
}

impl ScreenReader {
    fn add(&mut self, line: &Line) {
        let mut cells = line.cells();
        // Of a line that goes on in the next row, spaces at the end are in its middle.
        if !line.is_wrapped() {
            let blank = cells.iter().rev().take_while(|cell| cell.char().is_whitespace()).count();
            cells = &cells[..cells.len() - blank];
        }
        let mut look = TextLook::default();
        // The second half of a wide character is none.
        for cell in cells.iter().filter(|cell| cell.width() > 0) {
            change_look(&mut self.written.settled, &mut look, cell.pen().into());
            self.written.settled.push(cell.char());
        }
        change_look(&mut self.written.settled, &mut look, TextLook::default());
        if !line.is_wrapped() {
            self.written.settled.push('\n');
        }
    }

    /// But for the empty rows below.
    fn add_all<'a>(&mut self, lines: impl Iterator<Item = &'a Line>) {
        let from = self.written.settled.len();
        lines.for_each(|line| self.add(line));
        let text = self.written.settled[from..].trim_end_matches('\n');
        let end = from + text.len();
        let is_empty = text.is_empty();
        self.written.settled.truncate(end);
        if !is_empty {
            self.written.settled.push('\n');
        }
    }

    fn leave(&mut self, terminal: &Terminal) {
        self.add_all(terminal.primary_screen().all_lines());
    }

    fn show(&mut self, function: &Function) {
        match function {
            Function::Print(character) => {
                if mem::take(&mut self.is_at_start) {
                    self.end_line();
                }
                change_look(&mut self.written.printed, &mut self.printed_look, self.look);
                self.written.printed.push(*character);
            }
            Function::Ht => self.written.printed.push('\t'),
            Function::Lf | Function::Nel => {
                self.is_at_start = false;
                self.end_line();
            }
            Function::Cr | Function::Cup(..) | Function::Cha(_) => self.is_at_start = true,
            _ => {}
        }
    }

    fn end_line(&mut self) {
        change_look(&mut self.written.printed, &mut self.printed_look, TextLook::default());
        self.written.printed.push('\n');
    }

    /// Follows the colours approximately: cursors that are saved with theirs are rare.
    fn follow_look(&mut self, function: &Function) {
        match function {
            Function::Sgr(operations) => self.look.apply(operations.as_slice()),
            Function::Ris | Function::Decstr => self.look = TextLook::default(),
            _ => {}
        }
    }
}

/// Writes what makes the text that follows look so.
fn change_look(text: &mut String, current: &mut TextLook, next: TextLook) {
    if *current == next {
        return;
    }
    // Two looks may be written in the same way.
    let (before, sgr) = (current.sgr(), next.sgr());
    *current = next;
    if before == sgr {
        return;
    }
    if !before.is_empty() {
        text.push_str("\x1b[0m");
    }
    if !sgr.is_empty() {
        text.push_str(&format!("\x1b[{sgr}m"));
    }
}

impl Observer for ScreenReader {
    type Output = ScreenOutput;

    fn before(&mut self, context: &mut Observation<'_>, operation: &Operation) {
        let Operation::Function(function) = operation else { return };
        if *function == Function::Ris {
            // It clears without a trace.
            self.leave(context.terminal());
        }
        self.follow_look(function);
        if context.terminal().active_screen_kind() == ScreenKind::Primary {
            self.show(function);
        }
    }

    fn evicted(&mut self, _: &mut Observation<'_>, line: &Line) {
        self.add(line);
    }

    fn end(&mut self, _: &mut Observation<'_>) -> ScreenOutput {
        mem::take(&mut self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns what was printed, and what it came to, without its colours.
    fn written(chunks: &[&[u8]]) -> (String, String) {
        let (printed, settled) = written_with_colours(chunks);
        (crate::styled(&printed).text, crate::styled(&settled).text)
    }

    fn written_with_colours(chunks: &[&[u8]]) -> (String, String) {
        let mut screen = TerminalScreen::new();
        let mut all = ScreenOutput::default();
        for chunk in chunks {
            let written = screen.push(chunk);
            all.printed.push_str(&written.printed);
            all.settled.push_str(&written.settled);
        }
        (all.printed, all.settled + &screen.finish())
    }

    fn text(bytes: impl AsRef<[u8]>) -> String {
        written(&[bytes.as_ref()]).1
    }

    fn coloured(bytes: impl AsRef<[u8]>) -> String {
        written_with_colours(&[bytes.as_ref()]).1
    }

    #[test]
    fn plain_lines_stay_as_they_are() {
        assert_eq!(text(""), "");
        assert_eq!(text("one\r\n\r\n  two\tthree"), "one\n\n  two   three\n");
    }

    #[test]
    fn a_progress_bar_is_its_last_state_and_shown_as_it_grows() {
        let mut bytes = "start\r\n".to_owned();
        (0..=100).for_each(|per_cent| bytes.push_str(&format!("\r\x1b[2K\x1b[32m{per_cent} %\x1b[0m")));
        let (printed, settled) = written(&[bytes.as_bytes(), b"\r\ndone\r\n"]);
        assert_eq!(settled, "start\n100 %\ndone\n");
        assert!(printed.starts_with("start\n\n0 %\n1 %\n") && printed.ends_with("\n100 %\ndone\n"), "{printed:?}");
    }

    #[test]
    fn rows_that_are_redrawn_further_up_are_there_once() {
        let redrawn = (0..50).map(|n| format!("\x1b[2A\r\x1b[Ka {n}\r\n\x1b[Kb {n}\r\n")).collect::<String>();
        assert_eq!(text(format!("a\r\nb\r\n{redrawn}end")), "a 49\nb 49\nend\n");
    }

    #[test]
    fn colours_stay_with_the_text_and_end_with_its_line() {
        let bytes = "\x1b[1;31mred\r\nstill \x1b[42mgreen\x1b[m  \r\n\x1b[5;8;33mc\x1b[mplain";
        let expected = "\x1b[1;31mred\x1b[0m\n\x1b[1;31mstill \x1b[0m\x1b[1;7;32mgreen\x1b[0m\n\x1b[33mc\x1b[0mplain\n";
        let mut screen = TerminalScreen::new();
        let printed = screen.push(bytes.as_bytes()).printed;
        assert_eq!(printed.replace("  \n", "\n"), expected.trim_end_matches('\n'));
        assert_eq!(screen.finish(), expected);
    }

    #[test]
    fn a_colour_goes_on_where_a_line_goes_on_in_the_next_row() {
        let (wide, long) = ("日本", "x".repeat(200));
        let written = coloured(format!("\x1b[31m{wide}\x1b[32m{long}"));
        let expected = format!("\x1b[31m{wide}\x1b[0m\x1b[32m{long}\x1b[0m\n");
        assert_eq!(crate::styled(&written).to_ansi(), expected);
    }

    #[test]
    fn titles_links_and_bells_are_not_text() {
        let bytes = "\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x07\x1b[1;31mred\x1b[m\x1bP1$r\x1b\\.";
        assert_eq!(text(bytes), "link red.\n");
    }

    #[test]
    fn a_long_line_is_one_line_and_more_than_the_screen_holds_is_kept() {
        let long = "word ".repeat(100) + "end";
        assert_eq!(text(&long), long.clone() + "\n");
        let many: String = (0..500).map(|n| format!("line {n}\r\n")).collect();
        assert_eq!(text(&many), many.replace('\r', ""));
    }

    #[test]
    fn what_was_cleared_or_reset_is_kept() {
        assert_eq!(text("a\r\nb\x1b[2J\x1b[Hc"), "a\nb\nc\n");
        assert_eq!(text("a\r\nb\x1bcc"), "a\nb\nc\n");
    }

    #[test]
    fn a_screen_apart_is_shown_only_if_it_is_there_at_the_end() {
        assert_eq!(text("before\r\n\x1b[?1049h\x1b[Hfull\x1b[?1049lafter"), "before\nafter\n");
        assert_eq!(text("before\r\n\x1b[?1049h\x1b[Hfull"), "before\nfull\n");
        assert_eq!(written(&[b"\x1b[?1049h\x1b[Hfull\x1b[?1049lafter"]).0, "after");
    }

    #[test]
    fn a_character_in_two_parts_is_one_and_what_is_none_is_marked() {
        assert_eq!(written(&[b"\xc3", b"\xa9\xe2\x82", b"\xac"]), ("é€".into(), "é€\n".into()));
        assert_eq!(text(b"a\xffb\xc3"), "a\u{fffd}b\n");
    }

    #[test]
    fn memory_is_bounded_whatever_is_written() {
        let mut screen = TerminalScreen::new();
        for _ in 0..1_000 {
            // A line and a title without end.
            screen.push(&[b'x'; 4_000]);
            assert!(screen.reader.written.settled.is_empty() && screen.undecoded.is_empty());
        }
        screen.push(b"\x1b]0;");
        (0..1_000).for_each(|_| assert_eq!(screen.push(&[b'x'; 4_000]), ScreenOutput::default()));
    }

    proptest! {
        #[test]
        fn however_it_is_cut_it_comes_to_the_same(
            bytes in "(a|é|日| |\r|\n|\t|\x1b\\[[0-9;]{0,3}[A-HJKPXm]|\x1b\\[\\?1049[hl]|\x1bc|\x1b){0,60}",
            cut in 0usize..200,
        ) {
            let (first, second) = bytes.as_bytes().split_at(cut.min(bytes.len()));
            let whole = written_with_colours(&[bytes.as_bytes()]);
            prop_assert_eq!(&written_with_colours(&[first, second]), &whole);
            // Nothing but colours, each written in one way, and none without its end.
            for line in whole.0.split('\n').take(whole.0.matches('\n').count()).chain(whole.1.split('\n')) {
                let styled = crate::styled(line);
                prop_assert!(!styled.text.contains('\x1b'));
                prop_assert_eq!(styled.to_ansi(), line);
            }
        }
    }
}

//! Text with escape sequences, as programs print it for terminals: to plain text and, beside it, how its parts look. Pure.
//!
//! Only escape sequences go. Every other character stays, also where a sequence is broken off: nothing that is printed
//! may be lost because of a byte before it.

use arki_domain::StyledText;
use avt::parser::{Function, Parser, SgrOp, State};
use avt::{Color, Pen, Rgb};

/// Longer titles, links and the like are shown as text: they are none.
const MAX_STRING_CHARS: usize = 4096;

/// The style of text as far as it is shown: nothing hides it, nothing blinks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextLook {
    foreground: Option<Color>,
    background: Option<Color>,
    is_bold: bool,
    is_faint: bool,
    is_italic: bool,
    is_underlined: bool,
    is_inverse: bool,
    is_struck: bool,
}

impl From<&Pen> for TextLook {
    fn from(pen: &Pen) -> Self {
        Self {
            foreground: pen.foreground(),
            background: pen.background(),
            is_bold: pen.is_bold(),
            is_faint: pen.is_faint(),
            is_italic: pen.is_italic(),
            is_underlined: pen.is_underline(),
            is_inverse: pen.is_inverse(),
            is_struck: pen.is_strikethrough(),
        }
    }
}

impl TextLook {
    pub(super) fn apply(&mut self, operations: &[SgrOp]) {
        for operation in operations {
            match *operation {
                SgrOp::Reset => *self = Self::default(),
                SgrOp::SetBoldIntensity => (self.is_bold, self.is_faint) = (true, false),
                SgrOp::SetFaintIntensity => (self.is_bold, self.is_faint) = (false, true),
                SgrOp::ResetIntensity => (self.is_bold, self.is_faint) = (false, false),
                SgrOp::SetItalic => self.is_italic = true,
                SgrOp::ResetItalic => self.is_italic = false,
                SgrOp::SetUnderline => self.is_underlined = true,
                SgrOp::ResetUnderline => self.is_underlined = false,
                SgrOp::SetInverse => self.is_inverse = true,
                SgrOp::ResetInverse => self.is_inverse = false,
                SgrOp::SetStrikethrough => self.is_struck = true,
                SgrOp::ResetStrikethrough => self.is_struck = false,
                SgrOp::SetForegroundColor(colour) => self.foreground = Some(colour),
                SgrOp::ResetForegroundColor => self.foreground = None,
                SgrOp::SetBackgroundColor(colour) => self.background = Some(colour),
                SgrOp::ResetBackgroundColor => self.background = None,
                SgrOp::SetBlink | SgrOp::ResetBlink => {}
            }
        }
    }

    /// The parameters of one SGR sequence; none for ordinary text. There are no two colours that could be the same: a
    /// background is its colour, inverse.
    pub(super) fn sgr(self) -> String {
        let (colour, is_inverse) = match (self.is_inverse, self.background) {
            (false, Some(background)) => (Some(background), true),
            (is_inverse, _) => (self.foreground, is_inverse),
        };
        let flags = [
            (self.is_bold, "1"),
            (self.is_faint, "2"),
            (self.is_italic, "3"),
            (self.is_underlined, "4"),
            (is_inverse, "7"),
            (self.is_struck, "9"),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, parameter)| parameter.to_owned());
        flags.chain(colour.map(parameters)).collect::<Vec<_>>().join(";")
    }
}

fn parameters(colour: Color) -> String {
    match colour {
        Color::Indexed(index @ 0..8) => format!("{}", 30 + index),
        Color::Indexed(index @ 8..16) => format!("{}", 90 - 8 + index),
        Color::Indexed(index) => format!("38;5;{index}"),
        Color::RGB(Rgb { r, g, b }) => format!("38;2;{r};{g};{b}"),
    }
}

/// Returns a whole text without its escape sequences, and how its parts look.
#[must_use]
pub fn styled(text: &str) -> StyledText {
    let mut reader = AnsiReader::default();
    let mut styled = reader.push(text);
    styled.append(&reader.finish());
    styled
}

/// Reads text that comes in pieces, which may end anywhere.
#[derive(Debug, Default)]
pub struct AnsiReader {
    parser: Parser,
    look: TextLook,
    sgr: String,
    /// The content of a title or the like that has not ended yet.
    held: String,
}

impl AnsiReader {
    pub fn push(&mut self, text: &str) -> StyledText {
        let mut read = StyledText::default();
        let mut rest = text;
        while !rest.is_empty() {
            if self.parser.state == State::Ground {
                let plain = rest.find('\x1b').unwrap_or(rest.len());
                read.push(&rest[..plain], &self.sgr);
                rest = &rest[plain..];
            }
            let mut characters = rest.chars();
            if let Some(character) = characters.next() {
                self.read(character, &mut read);
            }
            rest = characters.as_str();
        }
        read
    }

    /// Ends the output. What was held back as the beginning of a sequence is text after all.
    pub fn finish(&mut self) -> StyledText {
        let mut read = StyledText::default();
        self.break_off(&mut read);
        read
    }

    /// Reads a character inside a sequence.
    fn read(&mut self, character: char, read: &mut StyledText) {
        if character == '\n' {
            self.break_off(read);
            read.push("\n", &self.sgr);
            return;
        }
        let was_in_string = self.is_in_string();
        if matches!(character, '\t' | '\r') && !was_in_string {
            read.push(character.encode_utf8(&mut [0; 4]), &self.sgr);
            return;
        }
        match self.parser.feed(character) {
            Some(Function::Sgr(operations)) => {
                self.look.apply(operations.as_slice());
                self.sgr = self.look.sgr();
            }
            Some(Function::Ris) => (self.look, self.sgr) = Default::default(),
            _ => {}
        }
        match (was_in_string, self.is_in_string()) {
            (true, true) => self.held.push(character),
            (true, false) => self.held.clear(),
            _ => {}
        }
        if self.held.len() >= MAX_STRING_CHARS {
            self.break_off(read);
        }
    }

    fn break_off(&mut self, read: &mut StyledText) {
        read.push(&std::mem::take(&mut self.held), &self.sgr);
        self.parser = Parser::new();
    }

    fn is_in_string(&self) -> bool {
        matches!(
            self.parser.state,
            State::OscString
                | State::SosPmApcString
                | State::DcsEntry
                | State::DcsParam
                | State::DcsIntermediate
                | State::DcsPassthrough
                | State::DcsIgnore
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ansi(text: &str) -> String {
        styled(text).to_ansi()
    }

    fn plain(text: &str) -> String {
        styled(text).text
    }

    #[test]
    fn text_without_escape_sequences_stays_as_it_is() {
        let text = "a\tb\r\n\u{0}\u{7}\u{8}\u{9b}31m\u{202e}é\u{7f} [31m";
        assert_eq!(styled(text), StyledText { text: text.to_owned(), styles: Vec::new() });
    }

    #[test]
    fn colours_are_kept_beside_the_text_and_end_with_each_line() {
        assert_eq!(
            ansi("\x1b[31mred\x1b[0m \x1b[1;4;32ma\nb\x1b[m."),
            "\x1b[31mred\x1b[0m \x1b[1;4;32ma\x1b[0m\n\x1b[1;4;32mb\x1b[0m."
        );
        assert_eq!(
            ansi("\x1b[38;5;208ma\x1b[38;2;1;2;3mb\x1b[38;5;9mc"),
            "\x1b[38;5;208ma\x1b[0m\x1b[38;2;1;2;3mb\x1b[0m\x1b[91mc\x1b[0m"
        );
        assert_eq!(ansi("\x1b[1m\x1b[22m\x1b[31m\x1b[39mx"), "x");
    }

    #[test]
    fn nothing_vanishes_in_its_background_or_is_concealed() {
        assert_eq!(
            ansi("\x1b[30;40mx\x1b[0;42;37;1my\x1b[0;7;32;41mz"),
            "\x1b[7;30mx\x1b[0m\x1b[1;7;32my\x1b[0m\x1b[7;32mz\x1b[0m"
        );
        assert_eq!(ansi("\x1b[8mhidden\x1b[5m blinks"), "hidden blinks");
    }

    #[test]
    fn titles_links_and_cursor_movements_go() {
        assert_eq!(
            plain(
                "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1b[2J\x1b[5;5Hb\x1b(B\x1bP1$r\x1b\\c\x1b7\x1b8"
            ),
            "alinkbc"
        );
    }

    #[test]
    fn a_sequence_that_is_broken_off_swallows_nothing() {
        assert_eq!(plain("\x1b]0;no end\nnext\x1b_neither"), "0;no end\nnextneither");
        assert_eq!(plain("\x1b[31\nnext\x1b["), "\nnext");
        let long = "x".repeat(10_000);
        assert_eq!(plain(&format!("\x1bP{long}")), long);
    }

    proptest! {
        #[test]
        fn however_it_is_cut_it_comes_to_the_same(
            text in "(a|é|\r|\n|\t|\u{9b}|\x07|\\\\|\x1b\\[[0-9;]{0,8}[A-HJKPXm]|\x1b[\\]PX_^]|\x1b\\[[0-9]|\x1bc|\x1b){0,40}",
            cut in 0usize..200,
        ) {
            let mut reader = AnsiReader::default();
            let (first, second) = text.split_at(text.floor_char_boundary(cut));
            let mut cut = reader.push(first);
            cut.append(&reader.push(second));
            cut.append(&reader.finish());
            prop_assert_eq!(&cut, &styled(&text));
            prop_assert!(!cut.text.contains('\x1b'));
            prop_assert_eq!(cut.text.matches('\n').count(), text.matches('\n').count());
            // What is canonical stays.
            prop_assert_eq!(styled(&cut.to_ansi()).text, cut.text.clone());
            prop_assert_eq!(styled(&cut.to_ansi()).to_ansi(), cut.to_ansi());
        }
    }
}

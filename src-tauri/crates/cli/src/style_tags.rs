//! Colour and style tags in an answer, such as `<red>` and `<bold>`, as a terminal shows them.
//!
//! Only the terminal's view changes: the log, programs and exports get the text as it is. A tag within code is code, and
//! one that nothing opened stays as it was written.

/// The tags, with the parameters of their SGR sequences.
const TAGS: [(&str, u8); 13] = [
    ("red", 31),
    ("green", 32),
    ("yellow", 33),
    ("blue", 34),
    ("magenta", 35),
    ("cyan", 36),
    ("gray", 90),
    ("bold", 1),
    ("dim", 2),
    ("italic", 3),
    ("underline", 4),
    ("inverse", 7),
    ("strikethrough", 9),
];
const RESET: &str = "\u{1b}[0m";

/// A filter for text that arrives in pieces, whose control characters are written out already.
#[derive(Default)]
pub(crate) struct StyleTags {
    open: Vec<(&'static str, u8)>,
    /// The end of the last piece, which may become a tag.
    held: String,
    /// The backticks that code began with, and how many stand at the end of what was read.
    code: usize,
    ticks: usize,
    /// Something else was printed since: the styles begin again with the next text.
    is_suspended: bool,
}

impl StyleTags {
    /// Returns the next piece with sequences in the place of its tags.
    pub(crate) fn next(&mut self, piece: &str) -> String {
        let text = std::mem::take(&mut self.held) + piece;
        let mut shown = String::with_capacity(text.len());
        if std::mem::take(&mut self.is_suspended) {
            shown.extend(self.open.iter().map(|(_, sgr)| sequence(*sgr)));
        }
        let mut rest = text.as_str();
        while let Some(character) = rest.chars().next() {
            self.read_ticks(character);
            let tag = (character == '<' && self.code == 0).then(|| tag(rest)).flatten();
            match tag {
                Some(TagRead::Unfinished) => {
                    rest.clone_into(&mut self.held);
                    return shown;
                }
                Some(TagRead::Opens(tag, length)) => {
                    self.open.push(tag);
                    shown.push_str(&sequence(tag.1));
                    rest = &rest[length..];
                }
                Some(TagRead::Closes(name, length)) if self.open.last().is_some_and(|(last, _)| *last == name) => {
                    self.open.pop();
                    shown.push_str(RESET);
                    shown.extend(self.open.iter().map(|(_, sgr)| sequence(*sgr)));
                    rest = &rest[length..];
                }
                _ => {
                    shown.push(character);
                    rest = &rest[character.len_utf8()..];
                }
            }
        }
        shown
    }

    /// Returns what is held back, and ends the styles until more of the text comes.
    pub(crate) fn suspend(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        let is_styled = !self.open.is_empty() && !self.is_suspended;
        self.is_suspended = true;
        if is_styled { held + RESET } else { held }
    }

    /// Code begins with backticks and ends with as many; a line break ends what is no block.
    fn read_ticks(&mut self, character: char) {
        if character == '`' {
            self.ticks += 1;
            return;
        }
        match std::mem::take(&mut self.ticks) {
            0 => {}
            ticks if self.code == 0 => self.code = ticks,
            ticks if ticks == self.code => self.code = 0,
            _ => {}
        }
        if character == '\n' && self.code < 3 {
            self.code = 0;
        }
    }
}

enum TagRead {
    Opens((&'static str, u8), usize),
    Closes(&'static str, usize),
    /// The text ends within what may be one.
    Unfinished,
}

/// Reads the tag at the beginning, with its length in bytes.
fn tag(text: &str) -> Option<TagRead> {
    for tag in TAGS {
        let (opening, closing) = (format!("<{}>", tag.0), format!("</{}>", tag.0));
        if text.starts_with(&opening) {
            return Some(TagRead::Opens(tag, opening.len()));
        }
        if text.starts_with(&closing) {
            return Some(TagRead::Closes(tag.0, closing.len()));
        }
        if opening.starts_with(text) || closing.starts_with(text) {
            return Some(TagRead::Unfinished);
        }
    }
    None
}

fn sequence(sgr: u8) -> String {
    format!("\u{1b}[{sgr}m")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&str]) -> String {
        let mut tags = StyleTags::default();
        let shown: String = pieces.iter().map(|piece| tags.next(piece)).collect();
        shown + &tags.suspend()
    }

    #[test]
    fn tags_become_styles_however_the_text_is_cut() {
        let text = "a <bold>b <red>c</red> d</bold> e <i> 1 < 2\n<gray>ä";
        let expected = "a \u{1b}[1mb \u{1b}[31mc\u{1b}[0m\u{1b}[1m d\u{1b}[0m e <i> 1 < 2\n\u{1b}[90mä\u{1b}[0m";
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(shown(&[&text[..at], &text[at..]]), expected, "{at}");
        }
    }

    #[test]
    fn code_and_what_nothing_opened_stay_as_they_are() {
        for text in [
            "`<red>x</red>` and ``a ` <b> <bold>``",
            "```html\n<bold>\n\n`<dim>`</bold>\n```",
            "</red> <Red> <red <redo> <reda",
        ] {
            for at in 0..text.len() {
                assert_eq!(shown(&[&text[..at], &text[at..]]), text, "{at}");
            }
        }
        assert_eq!(shown(&["a ` b\n<red>c</red>"]), "a ` b\n\u{1b}[31mc\u{1b}[0m");
        assert_eq!(shown(&["<red>a</bold>"]), "\u{1b}[31ma</bold>\u{1b}[0m");
    }

    #[test]
    fn other_lines_between_two_pieces_have_no_style() {
        let mut tags = StyleTags::default();
        assert_eq!(tags.next("<red>a"), "\u{1b}[31ma");
        assert_eq!((tags.suspend().as_str(), tags.suspend().as_str()), (RESET, ""));
        assert_eq!(tags.next("b</red>"), "\u{1b}[31mb\u{1b}[0m");
    }
}

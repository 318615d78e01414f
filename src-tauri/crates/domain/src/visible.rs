//! Text of people, models and files, with what would not be seen, or would hide something, told from the rest.

/// The invisible characters that are part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvisibleCharacters {
    /// Leaves alone the characters that join letters and emoji, and marks of direction without an effect beyond their
    /// place.
    Prose,
    /// Code: hidden characters are made visible, since they could change what it does.
    Code,
}

#[derive(Debug, PartialEq, Eq)]
pub enum VisiblePart<'a> {
    Seen(&'a str),
    Unseen(char),
}

/// The text in pieces. Line breaks and tabs are seen; a carriage return is not, unless it belongs to a line break.
pub fn parts(text: &str, writing: InvisibleCharacters) -> impl Iterator<Item = VisiblePart<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = if is_unseen(first, writing) {
            let unseen = first.len_utf8();
            rest = &rest[unseen..];
            return Some(VisiblePart::Unseen(first));
        } else {
            rest.find(|character| is_unseen(character, writing)).unwrap_or(rest.len())
        };
        let (seen, after) = rest.split_at(length);
        rest = after;
        Some(VisiblePart::Seen(seen))
    })
}

/// The text with every unseen character written out.
#[must_use]
pub fn visible(text: &str, writing: InvisibleCharacters) -> String {
    let mut shown = String::with_capacity(text.len());
    for part in parts(&text.replace("\r\n", "\n"), writing) {
        match part {
            VisiblePart::Seen(seen) => shown.push_str(seen),
            VisiblePart::Unseen(character) => shown.push_str(&written_out(character)),
        }
    }
    shown
}

/// [`visible`] for a text that comes in pieces: what it gives for them is what the whole text would be.
#[derive(Debug, Default)]
pub struct VisiblePieces {
    /// The last piece ended in a carriage return, which may belong to a line break.
    holds_return: bool,
}

impl VisiblePieces {
    #[must_use]
    pub fn next(&mut self, piece: &str, writing: InvisibleCharacters) -> String {
        let held = if self.holds_return { "\r" } else { "" };
        let text = format!("{held}{piece}");
        let whole = text.strip_suffix('\r');
        self.holds_return = whole.is_some();
        visible(whole.unwrap_or(&text), writing)
    }
}

/// Returns the text as Rust would write it in a string.
pub fn written_out(character: char) -> String {
    match character {
        '\r' => "\\r".to_owned(),
        other => format!("\\u{{{:x}}}", u32::from(other)),
    }
}

/// Returns the text on one line, as code.
#[must_use]
pub fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "), InvisibleCharacters::Code)
}

fn is_unseen(character: char, writing: InvisibleCharacters) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{200c}'..='\u{200f}' => writing == InvisibleCharacters::Code,
        '\u{180e}' | '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_hide_something_is_written_out() {
        let hidden = "rm x; : \rls\u{202e}\u{200b}\u{1b}[2J\u{7f}\tä\r\n";
        assert_eq!(visible(hidden, InvisibleCharacters::Code), "rm x; : \\rls\\u{202e}\\u{200b}\\u{1b}[2J\\u{7f}\tä\n");
        assert_eq!(visible(hidden, InvisibleCharacters::Prose), visible(hidden, InvisibleCharacters::Code));
    }

    #[test]
    fn prose_keeps_what_its_script_needs() {
        let (family, persian) = ("👩\u{200d}👧", "می\u{200c}خواهم");
        assert_eq!(visible(family, InvisibleCharacters::Prose), family);
        assert_eq!(visible(persian, InvisibleCharacters::Prose), persian);
        assert_eq!(visible(family, InvisibleCharacters::Code), "👩\\u{200d}👧");
    }

    #[test]
    fn pieces_are_shown_as_the_whole_wherever_it_is_split() {
        let text = "A\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}2J\r\nä\rB 👩\u{200d}👧\t\r\r\nC\n";
        let whole = visible(text, InvisibleCharacters::Prose);
        assert!(whole.starts_with("A\\u{1b}]52;c;aGk=\\u{7}\\u{1b}[2J\\u{9b}2J\nä\\rB"), "{whole}");
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut pieces = VisiblePieces::default();
            let (first, second) = text.split_at(at);
            let shown = [first, "", second].map(|piece| pieces.next(piece, InvisibleCharacters::Prose)).concat();
            assert_eq!(shown, whole, "split at {at}");
        }
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line(" a\n\n b\t\u{85}c\u{2028}d "), "a b c d");
    }
}

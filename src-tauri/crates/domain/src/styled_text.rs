//! Plain text and, beside it, how parts of it look: what a command printed, without its escape sequences. Pure.
//!
//! The text is what the model, the search and every export get; the styles are only for who looks at it. Kept apart, so
//! that a secret or a searched word with a colour in its middle is still found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use ts_rs::TS;

/// A coloured output has one for each line or word. One that has more keeps those of its beginning and its end.
const MAX_STORED: usize = 4000;

/// The style of the characters from the first number up to the second. Both count UTF-16 code units of the text, as
/// JavaScript does; the string holds the parameters of an SGR sequence, such as `1;31` for bold and red.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TextStyle(pub u32, pub u32, pub String);

/// The styled parts are in order and don't overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledText {
    pub text: String,
    pub styles: Vec<StyledPart>,
}

/// A part that does not look like ordinary text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledPart {
    /// The range in bytes.
    pub range: Range<usize>,
    /// The parameters of an SGR sequence.
    pub sgr: String,
}

impl StyledText {
    /// Adds text; no parameters are ordinary text.
    pub fn push(&mut self, text: &str, sgr: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        if !sgr.is_empty() && !text.is_empty() {
            self.style(start..self.text.len(), sgr);
        }
    }

    pub fn append(&mut self, other: &Self) {
        let offset = self.text.len();
        self.text.push_str(&other.text);
        for StyledPart { range, sgr } in &other.styles {
            self.style(range.start + offset..range.end + offset, sgr);
        }
    }

    fn style(&mut self, range: Range<usize>, sgr: &str) {
        match self.styles.last_mut() {
            Some(last) if last.range.end == range.start && last.sgr == sgr => last.range.end = range.end,
            _ => self.styles.push(StyledPart { range, sgr: sgr.to_owned() }),
        }
    }

    /// Takes the first `bytes` out, at a character's boundary.
    pub fn split_to(&mut self, bytes: usize) -> Self {
        let rest = self.text.split_off(bytes);
        let mut first = Self { text: std::mem::replace(&mut self.text, rest), styles: Vec::new() };
        for StyledPart { range, sgr } in std::mem::take(&mut self.styles) {
            if range.start < bytes {
                first.style(range.start..range.end.min(bytes), &sgr);
            }
            if range.end > bytes {
                self.style(range.start.max(bytes) - bytes..range.end - bytes, &sgr);
            }
        }
        first
    }

    /// Puts an ordinary text in the place of each part; the parts are in order. In one pass, whatever there are.
    pub fn replace_all(&mut self, parts: &[(Range<usize>, String)]) {
        let Self { text, styles } = std::mem::take(self);
        let mut styles = styles.iter().peekable();
        let mut kept_from = 0;
        for (replaced, with) in parts.iter().chain([&(text.len()..text.len(), String::new())]) {
            let (kept, new) = (kept_from..replaced.start, self.text.len());
            self.text.push_str(&text[kept.clone()]);
            while let Some(part) = styles.peek().filter(|part| part.range.start < kept.end) {
                let (start, end) = (part.range.start.max(kept.start), part.range.end.min(kept.end));
                if start < end {
                    self.style(start - kept.start + new..end - kept.start + new, &part.sgr);
                }
                if part.range.end > kept.end {
                    // It goes on behind what is replaced.
                    break;
                }
                styles.next();
            }
            self.text.push_str(with);
            kept_from = replaced.end;
        }
    }

    /// The text with an SGR sequence before each styled part, and a reset behind it and at each line's end.
    #[must_use]
    pub fn to_ansi(&self) -> String {
        let mut ansi = String::with_capacity(self.text.len());
        let mut at = 0;
        for StyledPart { range, sgr } in &self.styles {
            ansi.push_str(&self.text[at..range.start]);
            for line in self.text[range.clone()].split_inclusive('\n') {
                let words = line.strip_suffix('\n').unwrap_or(line);
                if !words.is_empty() {
                    ansi.push_str(&format!("\x1b[{sgr}m{words}\x1b[0m"));
                }
                ansi.push_str(&line[words.len()..]);
            }
            at = range.end;
        }
        ansi.push_str(&self.text[at..]);
        ansi
    }
}

/// Moves the styles as the text is where `length` bytes have come in the place of a part of it.
pub fn move_styles(styles: &mut Vec<StyledPart>, replaced: Range<usize>, length: usize) {
    let behind = |at: usize| at - replaced.len() + length;
    *styles = std::mem::take(styles)
        .into_iter()
        .flat_map(|StyledPart { range, sgr }| {
            let before = range.start..range.end.min(replaced.start);
            let after = range.start.max(replaced.end)..range.end;
            let before = (before.start < before.end).then(|| StyledPart { range: before, sgr: sgr.clone() });
            let after =
                (after.start < after.end).then(|| StyledPart { range: behind(after.start)..behind(after.end), sgr });
            [before, after]
        })
        .flatten()
        .collect();
}

/// The styles of a text as an event has them.
#[must_use]
pub fn text_styles(text: &str, styles: &[StyledPart]) -> Vec<TextStyle> {
    let left_out = styles.len().saturating_sub(MAX_STORED);
    let kept = styles.iter().take(MAX_STORED / 2).chain(styles.iter().skip(MAX_STORED / 2 + left_out));
    let (mut at, mut units) = (0, 0);
    let mut upto = |end: usize| {
        units += text[at..end].encode_utf16().count() as u32;
        at = end;
        units
    };
    kept.map(|StyledPart { range, sgr }| TextStyle(upto(range.start), upto(range.end), sgr.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(parts: &[(&str, &str)]) -> StyledText {
        let mut styled = StyledText::default();
        parts.iter().for_each(|(text, sgr)| styled.push(text, sgr));
        styled
    }

    #[test]
    fn a_line_is_coloured_for_itself() {
        let styled = of(&[("a", ""), ("b\n\nc", "31"), ("d\n", "31"), ("e", "1;32")]);
        assert_eq!(styled.text, "ab\n\ncd\ne");
        assert_eq!(styled.to_ansi(), "a\x1b[31mb\x1b[0m\n\n\x1b[31mcd\x1b[0m\n\x1b[1;32me\x1b[0m");
    }

    #[test]
    fn what_is_stored_counts_as_javascript_does() {
        let styled = of(&[("ä👩 ", ""), ("é👩", "31"), ("x", "")]);
        assert_eq!(text_styles(&styled.text, &styled.styles), [TextStyle(4, 7, "31".to_owned())]);
        assert_eq!(serde_json::to_string(&TextStyle(4, 7, "31".to_owned())).unwrap(), r#"[4,7,"31"]"#);
        let many = of(&["31", "32"].repeat(5000).iter().map(|sgr| ("x", *sgr)).collect::<Vec<_>>());
        let stored = text_styles(&many.text, &many.styles);
        assert_eq!((stored.len(), stored[0].0, stored[MAX_STORED - 1].1), (MAX_STORED, 0, 10_000));
    }

    proptest! {
        #[test]
        fn the_styles_stay_with_their_characters(
            parts in prop::collection::vec(("[aé👩\n]{0,4}", "(|31|1)"), 0..8),
            from in 0usize..40,
            length in 0usize..20,
            with in "[x]{0,9}",
        ) {
            let parts: Vec<(&str, &str)> = parts.iter().map(|(text, sgr)| (text.as_str(), sgr.as_str())).collect();
            let whole = of(&parts);
            let from = whole.text.floor_char_boundary(from);
            let to = whole.text.floor_char_boundary(from + length);
            let (mut rest, mut replaced) = (whole.clone(), whole.clone());
            let first = rest.split_to(from);
            let mut joined = first.clone();
            joined.append(&rest);
            prop_assert_eq!(&joined, &whole);
            let _gone = rest.split_to(to - from);
            let mut expected = first;
            expected.push(&with, "");
            expected.append(&rest);
            replaced.replace_all(&[(from..to, with)]);
            prop_assert_eq!(replaced.to_ansi(), expected.to_ansi());
            let plain = whole.to_ansi().replace("\x1b[31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "");
            prop_assert_eq!(plain, whole.text);
        }
    }
}

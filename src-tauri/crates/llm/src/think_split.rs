//! Splits `<think>…</think>` out of the text of models that write their thoughts inline.
//!
//! A tag counts wherever it stands, except inside backticks: there somebody writes about tags. The split does not
//! depend on how the text was cut into pieces.

use arki_domain::TokenType;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Takes an answer's text piece by piece.
#[derive(Debug, Default)]
pub(crate) struct ThinkSplit {
    thinking: bool,
    /// An odd number of backticks so far.
    in_code: bool,
    /// Blanks between the thoughts and the answer are not part of either.
    skip_blanks: bool,
    /// The beginning of what may become a tag.
    held: String,
}

/// A stretch of text of one kind.
pub(crate) type Stretch = (TokenType, String);

impl ThinkSplit {
    pub(crate) fn push(&mut self, piece: &str) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let text = std::mem::take(&mut self.held) + piece;
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let tag = if self.thinking { CLOSE } else { OPEN };
            let Some(at) = self.tag_candidate(rest, tag) else {
                self.emit(rest, &mut stretches);
                break;
            };
            self.emit(&rest[..at], &mut stretches);
            rest = &rest[at..];
            let Some(after) = rest.strip_prefix(tag) else {
                self.held = rest.to_owned();
                break;
            };
            self.thinking = !self.thinking;
            self.skip_blanks = true;
            rest = after;
        }
        stretches
    }

    /// Returns what was held back after all.
    pub(crate) fn finish(&mut self) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let held = std::mem::take(&mut self.held);
        self.emit(&held, &mut stretches);
        stretches
    }

    /// Returns where the tag stands, or where the text ends with its beginning.
    fn tag_candidate(&self, text: &str, tag: &str) -> Option<usize> {
        let mut in_code = self.in_code && !self.thinking;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'`' => in_code = !in_code && !self.thinking,
                b'<' if !in_code && (text[at..].starts_with(tag) || tag.starts_with(&text[at..])) => return Some(at),
                _ => {}
            }
        }
        None
    }

    fn emit(&mut self, text: &str, stretches: &mut Vec<Stretch>) {
        let text = if self.skip_blanks { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        self.skip_blanks = false;
        if self.thinking {
            stretches.push((TokenType::LlmThinking, text.to_owned()));
            return;
        }
        if text.bytes().filter(|byte| *byte == b'`').count() % 2 == 1 {
            self.in_code = !self.in_code;
        }
        stretches.push((TokenType::LlmResponse, text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplit::default();
        let mut stretches: Vec<Stretch> = pieces.iter().flat_map(|piece| splitter.push(piece)).collect();
        stretches.extend(splitter.finish());
        let of = |wanted| stretches.iter().filter(|(kind, _)| *kind == wanted).map(|(_, text)| text.as_str()).collect();
        (of(TokenType::LlmThinking), of(TokenType::LlmResponse))
    }

    fn check(text: &str, thoughts: &str, answer: &str) {
        assert_eq!(split(&[text]), (thoughts.to_owned(), answer.to_owned()));
    }

    #[test]
    fn thoughts_and_answer_are_told_apart() {
        check("<think>\nhm</think>\n\nYes.", "hm", "Yes.");
        check("Hello <think>x</think> world", "x", "Hello world");
        check("a < b <thin", "", "a < b <thin");
        check("<think>never closed </th", "never closed </th", "");
        check("</think> alone", "", "</think> alone");
    }

    #[test]
    fn a_tag_in_backticks_is_text() {
        check("Use `<think>` or\n```\n<think>\n```\n.", "", "Use `<think>` or\n```\n<think>\n```\n.");
        check("<think>`</think>done", "`", "done");
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_split(
            parts in prop::collection::vec(prop::sample::select(vec!["<think>", "</think>", "`", "é", " ", "\n", "<", "a"]), 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let text = parts.concat();
            let mut borders: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
            borders.extend([0, text.len()]);
            borders.sort_unstable();
            let pieces: Vec<&str> = borders.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(split(&pieces), split(&[&text]));
        }
    }
}

//! Values that are known to be secret, found wherever they stand.

use super::scan::Span;
use aho_corasick::{AhoCorasick, MatchKind};
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A secret and what stands in its place. Wiped from memory when nobody holds it any more; the automaton that searches
/// for it, though, has a copy of its own, which its library does not wipe.
pub struct KnownSecret {
    pub(super) name: String,
    pub(super) value: Zeroizing<String>,
    pub(super) placeholder: String,
    /// Not where it is a part of a longer word.
    pub(super) whole_word: bool,
    /// A key of Arki's own.
    pub(super) is_key: bool,
}

impl KnownSecret {
    /// What it is called; fit for everybody's eyes.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a key that Arki speaks to a provider with: nobody is shown those.
    #[must_use]
    pub fn is_key(&self) -> bool {
        self.is_key
    }

    /// The secret itself, for the one place that puts it back.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for KnownSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.placeholder)
    }
}

#[derive(Clone)]
pub(crate) struct Known {
    secrets: Vec<Arc<KnownSecret>>,
    automaton: Option<AhoCorasick>,
    /// The bytes that values begin with, and the length of the longest.
    begins: [bool; 256],
    longest: usize,
}

impl Default for Known {
    fn default() -> Self {
        Self { secrets: Vec::new(), automaton: None, begins: [false; 256], longest: 0 }
    }
}

impl Known {
    pub(super) fn len(&self) -> usize {
        self.secrets.len()
    }

    pub(super) fn has(&self, value: &str) -> bool {
        self.secrets.iter().any(|secret| secret.value.as_str() == value)
    }

    pub(super) fn with(&self, more: Vec<Arc<KnownSecret>>) -> Self {
        let mut secrets = self.secrets.clone();
        secrets.retain(|secret| !more.iter().any(|other| other.value == secret.value));
        secrets.extend(more);
        let values = secrets.iter().map(|secret| secret.value.as_bytes());
        // It fails only for more bytes of patterns than the bounds let in.
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values).ok();
        let mut begins = [false; 256];
        secrets.iter().filter_map(|secret| secret.value.bytes().next()).for_each(|b| begins[usize::from(b)] = true);
        let longest = secrets.iter().map(|secret| secret.value.len()).max().unwrap_or(0);
        Self { secrets, automaton, begins, longest }
    }

    pub(super) fn secret(&self, index: usize) -> &Arc<KnownSecret> {
        &self.secrets[index]
    }

    /// Every place, from `from` on. The start of one that the text's end leaves open comes last.
    pub(super) fn find(&self, text: &str, from: usize, is_end: bool) -> (Vec<Span>, Option<usize>) {
        let Some(automaton) = &self.automaton else { return (Vec::new(), None) };
        let mut spans = Vec::new();
        let mut open = (!is_end).then(|| self.unfinished(text, from)).flatten();
        for found in automaton.find_iter(&text[from..]) {
            let (start, end) = (from + found.start(), from + found.end());
            let index = found.pattern().as_usize();
            if self.secrets[index].whole_word {
                if !is_end && end == text.len() {
                    open = Some(open.map_or(start, |open| open.min(start)));
                } else if !is_whole_word(text.as_bytes(), start, end) {
                    continue;
                }
            }
            spans.push(Span { start, end, known: Some(index), name: "" });
        }
        (spans, open)
    }

    /// Where the longest end of the text begins that might be the beginning of a value.
    fn unfinished(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let first = (bytes.len() + 1).saturating_sub(self.longest).max(from);
        let is_beginning = |rest: &[u8]| {
            let values = self.secrets.iter().map(|secret| secret.value.as_bytes());
            values.into_iter().any(|value| value.len() > rest.len() && value.starts_with(rest))
        };
        (first..bytes.len()).find(|&start| self.begins[usize::from(bytes[start])] && is_beginning(&bytes[start..]))
    }
}

fn is_whole_word(text: &[u8], start: usize, end: usize) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !is_word(start.checked_sub(1).and_then(|before| text.get(before))) && !is_word(text.get(end))
}

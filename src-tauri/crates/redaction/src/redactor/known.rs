//! Values that are known to be secret, found wherever they stand.

use super::rules::RedactionRules;
use super::sampled::Sampled;
use super::span::SecretSpan;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A secret and what stands in its place. Wiped from memory when nobody holds it any more; the automaton that searches
/// for it, though, has a copy of its own, which its library does not wipe.
#[derive(Clone)]
pub struct KnownSecret {
    pub(super) name: String,
    pub(super) value: Zeroizing<String>,
    pub(super) placeholder: String,
    /// True if a match inside a longer word doesn't count.
    pub(super) whole_word: bool,
    /// A key of Arki's own.
    pub(super) is_key: bool,
    /// Another secret in the form that a program gave it.
    pub(super) is_encoded: bool,
}

impl KnownSecret {
    /// Returns what it is called; fit for everybody's eyes.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is a key that Arki speaks to a provider with: nobody is shown those.
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

#[derive(Clone, Default)]
pub(crate) struct KnownSecrets {
    /// The encoded ones last.
    secrets: Vec<Arc<KnownSecret>>,
    /// The automaton for secrets that are not encoded, which may be short.
    automaton: Option<AhoCorasick>,
    plain: usize,
    encoded: Sampled,
    /// Places in `secrets` in the order of the values.
    in_order: Vec<usize>,
    /// The first two bytes of the values, and the length of the longest.
    begins: Vec<bool>,
    longest: usize,
    /// The user's rules, which are looked for together with the values.
    pub(super) rules: Arc<RedactionRules>,
}

impl KnownSecrets {
    /// Returns how many, their encoded forms not counted.
    pub(super) fn len(&self) -> usize {
        self.plain
    }

    pub(super) fn has(&self, value: &str) -> bool {
        self.in_order.binary_search_by(|&index| self.value(index).cmp(value.as_bytes())).is_ok()
    }

    pub(super) fn with(&self, more: Vec<Arc<KnownSecret>>) -> Self {
        let mut secrets = self.secrets.clone();
        let replaced: HashSet<&str> = more.iter().map(|secret| secret.value.as_str()).collect();
        secrets.retain(|secret| !replaced.contains(secret.value.as_str()));
        secrets.extend(more);
        secrets.sort_by_key(|secret| secret.is_encoded);
        let plain = secrets.partition_point(|secret| !secret.is_encoded);
        let values = || secrets.iter().map(|secret| secret.value.as_bytes());
        // It fails only for more bytes of patterns than the bounds let in.
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values().take(plain)).ok();
        let encoded = Sampled::new(values().skip(plain));
        let mut in_order: Vec<usize> = (0..secrets.len()).collect();
        in_order.sort_unstable_by_key(|&index| secrets[index].value.as_bytes());
        let mut begins = vec![false; 1 << 16];
        values().filter_map(<[u8]>::first_chunk).for_each(|two| begins[usize::from(u16::from_le_bytes(*two))] = true);
        let longest = values().map(<[u8]>::len).max().unwrap_or(0);
        Self { secrets, automaton, plain, encoded, in_order, begins, longest, rules: self.rules.clone() }
    }

    pub(super) fn with_rules(&self, rules: RedactionRules) -> Self {
        Self { rules: Arc::new(rules), ..self.clone() }
    }

    pub(super) fn secret(&self, index: usize) -> &Arc<KnownSecret> {
        &self.secrets[index]
    }

    fn value(&self, index: usize) -> &[u8] {
        self.secrets[index].value.as_bytes()
    }

    /// Every place, from `from` on. The start of one that the text's end leaves open comes last.
    pub(super) fn find(&self, text: &str, from: usize, is_end: bool) -> (Vec<SecretSpan>, Option<usize>) {
        let Some(automaton) = &self.automaton else { return (Vec::new(), None) };
        let mut spans = Vec::new();
        let mut open = (!is_end).then(|| self.unfinished(text, from)).flatten();
        let mut found = |index: usize, start: usize, end: usize| {
            if self.secrets[index].whole_word {
                if !is_end && end == text.len() {
                    open = Some(open.map_or(start, |open| open.min(start)));
                } else if !is_whole_word(text.as_bytes(), start, end) {
                    return;
                }
            }
            spans.push(SecretSpan { known: Some(index), ..SecretSpan::of_form(start..end, "") });
        };
        for hit in automaton.find_iter(&text[from..]) {
            found(hit.pattern().as_usize(), from + hit.start(), from + hit.end());
        }
        let bytes = &text.as_bytes()[from..];
        self.encoded.each_candidate(bytes, |index, start| {
            let value = self.value(self.plain + index);
            if bytes[start..].starts_with(value) {
                found(self.plain + index, from + start, from + start + value.len());
            }
        });
        (spans, open)
    }

    /// Returns where the longest end of the text begins that might be the beginning of a value.
    fn unfinished(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let first = (bytes.len() + 1).saturating_sub(self.longest).max(from);
        let may_begin =
            |rest: &[u8]| rest.first_chunk().is_none_or(|two| self.begins[usize::from(u16::from_le_bytes(*two))]);
        (first..bytes.len()).find(|&start| may_begin(&bytes[start..]) && self.is_beginning(&bytes[start..]))
    }

    /// Returns whether a value begins so and goes on. Those that begin so stand together, a value that is all of it
    /// first.
    fn is_beginning(&self, rest: &[u8]) -> bool {
        let at = self.in_order.partition_point(|&index| self.value(index) < rest);
        let mut next = self.in_order[at..].iter().map(|&index| self.value(index));
        next.find(|value| value.len() != rest.len()).is_some_and(|value| value.starts_with(rest))
    }
}

fn is_whole_word(text: &[u8], start: usize, end: usize) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !is_word(start.checked_sub(1).and_then(|before| text.get(before))) && !is_word(text.get(end))
}

//! Secrets that are known by their form: what they begin with, or what stands before them.
//!
//! One automaton finds the beginnings, a check looks at what follows. The checks are strict on purpose: a hash, a lock
//! file or a picture must come out as it went in.

mod assigned;
mod checks;
mod commands;
mod lines;
mod literal;
mod look;
mod names;
mod table;

use super::span::SecretSpan;
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use checks::{Outcome, RecognisedText, ScanStop};
use std::ops::Range;
use std::sync::LazyLock;
use table::{FORMATS, Format};

#[derive(Default)]
pub(super) struct FoundSecrets {
    pub(super) spans: Vec<SecretSpan>,
    /// Each secret together with what it was recognised by.
    pub(super) regions: Vec<Range<usize>>,
    /// The start of a possible secret whose end has not come yet.
    pub(super) open: Option<usize>,
}

static BEGINNINGS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let beginnings = FORMATS.iter().map(|format| format.beginning);
    let mut automaton = AhoCorasick::builder();
    automaton.match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::DFA));
    automaton.build(beginnings).ok()
});

/// The formats to try for each beginning. Where one beginning starts with another, the longer one is tried first.
static CANDIDATES: LazyLock<Vec<Vec<&'static Format>>> = LazyLock::new(|| {
    let candidates_of = |longest: &Format| {
        let mut candidates: Vec<&Format> =
            FORMATS.iter().filter(|format| longest.beginning.starts_with(format.beginning)).collect();
        candidates.sort_by_key(|format| std::cmp::Reverse(format.beginning.len()));
        candidates
    };
    FORMATS.iter().map(candidates_of).collect()
});

pub(super) fn find(text: &str, from: usize, is_end: bool) -> FoundSecrets {
    let mut found = FoundSecrets::default();
    let Some(beginnings) = BEGINNINGS.as_ref() else { return found };
    let (mut at, mut recognised_to) = (from, from);
    while let Some(hit) = beginnings.find(Input::new(text).span(at..text.len())) {
        match outcome(text, hit.pattern().as_usize(), hit.start(), is_end) {
            Err(ScanStop::None) => at = hit.start() + 1,
            Err(ScanStop::Open) => {
                // A longer beginning may have begun before this one, and not be all here yet.
                let earlier = unfinished(text, recognised_to).unwrap_or(hit.start());
                found.open = Some(earlier.min(hit.start()));
                return found;
            }
            Ok(RecognisedText { secrets, end, is_command }) => {
                found.spans.extend(secrets.into_iter().map(|(place, name)| SecretSpan::of_form(place, name)));
                found.regions.push(hit.start()..end);
                if is_command {
                    at = hit.start() + 1;
                } else {
                    (at, recognised_to) = (end, end);
                }
            }
        }
    }
    if !is_end {
        // Not from `at`: a longer beginning may have begun before a shorter one that led to nothing.
        found.open = unfinished(text, recognised_to);
    }
    found
}

fn outcome(text: &str, format: usize, start: usize, is_end: bool) -> Outcome {
    let mut checked = CANDIDATES[format].iter().map(|candidate| candidate.check(text, start, is_end));
    checked.find(|outcome| !matches!(outcome, Err(ScanStop::None))).unwrap_or(Err(ScanStop::None))
}

/// The beginnings by their first byte, and the length of the longest.
static BY_FIRST_BYTE: LazyLock<(Vec<Vec<&'static [u8]>>, usize)> = LazyLock::new(|| {
    let mut by_byte = vec![Vec::new(); 256];
    let beginnings = || FORMATS.iter().map(|format| format.beginning.as_bytes());
    beginnings().filter(|text| !text.is_empty()).for_each(|text| by_byte[usize::from(text[0])].push(text));
    (by_byte, beginnings().map(<[u8]>::len).max().unwrap_or(0))
});

/// Returns where the longest end of the text begins that might be the beginning of a beginning.
fn unfinished(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (by_byte, longest) = &*BY_FIRST_BYTE;
    let is_beginning = |rest: &[u8]| by_byte[usize::from(rest[0])].iter().any(|beginning| beginning.starts_with(rest));
    let first = (bytes.len() + 1).saturating_sub(*longest).max(from);
    (first..bytes.len()).find(|&start| is_beginning(&bytes[start..]))
}

//! A file's lines, to be searched again and again. Time is linear in the file for any text.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use super::{Tier, fold};

/// The lines of a text.
pub(crate) struct Haystack<'a> {
    pub(super) text: &'a str,
    /// The start of each line, and the end of the last.
    starts: Vec<usize>,
    numbered: [OnceCell<NumberedLines<'a>>; 4],
}

/// Each different line has a number, so that comparing is comparing numbers.
struct NumberedLines<'a> {
    numbers: HashMap<Cow<'a, str>, u32>,
    lines: Vec<u32>,
}

/// The number of times each line of a file is compared before its lines are numbered.
const COMPARISONS_A_LINE: usize = 4;

/// The number of a line that is nowhere in the file.
const UNKNOWN: u32 = u32::MAX;

impl<'a> Haystack<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts, numbered: Default::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The line without its ending.
    pub(crate) fn line(&self, index: usize) -> &'a str {
        without_ending(self.whole_line(index))
    }

    pub(super) fn whole_line(&self, index: usize) -> &'a str {
        &self.text[self.starts[index]..self.starts[index + 1]]
    }

    /// Returns where the line begins; also one behind the last.
    pub(super) fn offset(&self, index: usize) -> usize {
        self.starts[index]
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.len()).map(|index| self.line(index))
    }

    /// Every line at which `old` stands, as the tier sees it; also where they overlap.
    pub(crate) fn starts(&self, old: &[&str], tier: Tier) -> Vec<usize> {
        if old.is_empty() || old.len() > self.len() {
            return Vec::new();
        }
        if let Some(found) = self.starts_at_once(old, tier) {
            return found;
        }
        let numbered = self.numbered(tier);
        let wanted: Vec<u32> = old.iter().map(|line| numbered.number(line, tier)).collect();
        if wanted.contains(&UNKNOWN) { Vec::new() } else { occurrences(&numbered.lines, &wanted) }
    }

    /// Line by line, which is quickest where lines differ; `None` where they don't and it would take long.
    fn starts_at_once(&self, old: &[&str], tier: Tier) -> Option<Vec<usize>> {
        let wanted: Vec<Cow<'_, str>> = old.iter().map(|line| key(line, tier)).collect();
        let mut left = self.len() * COMPARISONS_A_LINE;
        let mut found = Vec::new();
        for start in 0..=self.len() - old.len() {
            let lines = wanted.iter().zip(start..);
            let same = lines.take_while(|(line, index)| key(self.line(*index), tier) == **line).count();
            left = left.checked_sub(same)?;
            if same == old.len() {
                found.push(start);
            }
        }
        Some(found)
    }

    /// Returns whether `old`, with the `\r` that belongs to each, stands at this very line.
    pub(crate) fn stands_at(&self, old: &[&str], start: usize) -> bool {
        let raw = |index| self.whole_line(index);
        start.checked_add(old.len()).is_some_and(|end| end <= self.len())
            && (start..).zip(old).all(|(index, line)| raw(index).strip_suffix('\n').unwrap_or(raw(index)) == *line)
    }

    /// The number of each of the file's lines, and of each of `old`.
    pub(super) fn numbers(&self, old: &[&str], tier: Tier) -> (&[u32], Vec<u32>) {
        let numbered = self.numbered(tier);
        (&numbered.lines, old.iter().map(|line| numbered.number(line, tier)).collect())
    }

    fn numbered(&self, tier: Tier) -> &NumberedLines<'a> {
        self.numbered[slot(tier)].get_or_init(|| {
            let mut numbers = HashMap::new();
            let mut lines = Vec::with_capacity(self.len());
            for line in self.lines() {
                let next = u32::try_from(numbers.len()).unwrap_or(UNKNOWN);
                lines.push(*numbers.entry(key(line, tier)).or_insert(next));
            }
            NumberedLines { numbers, lines }
        })
    }
}

impl NumberedLines<'_> {
    fn number(&self, line: &str, tier: Tier) -> u32 {
        self.numbers.get(key(line, tier).as_ref()).copied().unwrap_or(UNKNOWN)
    }
}

fn slot(tier: Tier) -> usize {
    match tier {
        Tier::Exact => 0,
        Tier::TrailingSpace => 1,
        Tier::Indentation => 2,
        Tier::LookAlikes | Tier::Alignment => 3,
    }
}

/// Returns what the tier compares of a line.
fn key(line: &str, tier: Tier) -> Cow<'_, str> {
    match tier {
        Tier::Exact => Cow::Borrowed(line),
        Tier::TrailingSpace => Cow::Borrowed(line.trim_end()),
        Tier::Indentation => Cow::Borrowed(line.trim()),
        Tier::LookAlikes | Tier::Alignment if line.is_ascii() => Cow::Borrowed(line.trim()),
        Tier::LookAlikes | Tier::Alignment => Cow::Owned(fold::fold(line).trim().to_owned()),
    }
}

fn without_ending(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Knuth, Morris and Pratt: no text makes it slow.
fn occurrences(lines: &[u32], wanted: &[u32]) -> Vec<usize> {
    let mut borders = vec![0; wanted.len()];
    let mut border = 0;
    for index in 1..wanted.len() {
        while border > 0 && wanted[index] != wanted[border] {
            border = borders[border - 1];
        }
        border += usize::from(wanted[index] == wanted[border]);
        borders[index] = border;
    }
    let mut found = Vec::new();
    let mut matched = 0;
    for (index, line) in lines.iter().enumerate() {
        while matched > 0 && *line != wanted[matched] {
            matched = borders[matched - 1];
        }
        matched += usize::from(*line == wanted[matched]);
        if matched == wanted.len() {
            found.push(index + 1 - matched);
            matched = borders[matched - 1];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_without_their_endings_and_the_last_may_have_none() {
        let lines = |text| Haystack::new(text).lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines("a\r\nb\n\nc"), ["a", "b", "", "c"]);
        assert_eq!(lines("a\n"), ["a"]);
        assert!(lines("").is_empty());
    }

    #[test]
    fn a_tier_sees_what_it_forgives() {
        let haystack = Haystack::new("  a  \n\u{201c}b\u{201d}\n");
        assert!(haystack.starts(&["  a"], Tier::Exact).is_empty());
        assert_eq!(haystack.starts(&["  a"], Tier::TrailingSpace), [0]);
        assert_eq!(haystack.starts(&["a"], Tier::Indentation), [0]);
        assert_eq!(haystack.starts(&["a", " \"b\""], Tier::LookAlikes), [0]);
    }

    proptest! {
        #[test]
        fn every_place_is_found(text in prop::collection::vec("[ab]", 0..12), old in prop::collection::vec("[ab]", 1..4)) {
            let whole = text.join("\n");
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let haystack = Haystack::new(&whole);
            let expected: Vec<usize> = (0..text.len()).filter(|start| haystack.stands_at(&old, *start)).collect();
            prop_assert_eq!(haystack.starts(&old, Tier::Exact), expected);
        }
    }
}

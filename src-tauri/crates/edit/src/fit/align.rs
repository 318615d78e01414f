//! The last tier: some lines around a change are not as the model remembers them.
//!
//! What is removed has to be there, and the lines beside what is added have to lie together; only what the change keeps
//! may differ, and that stays as it is in the file. The best place has to be clearly better than any other.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Fit, Haystack, Op, PlacementError, Tier, fold};
use crate::likeness::likeness_percent;

/// Longer changes and files are not aligned: the time would be felt.
const OLD_LINES: usize = 120;
const FILE_LINES: usize = 200_000;
/// A line that is more often in the file says little about the place.
const ANCHOR_PLACES: usize = 8;
/// The number of places that are looked at closely.
const PLACES: usize = 24;
/// The number of lines that may have been forgotten or made up.
const SLACK: usize = 4;
/// The lowest share of matching lines; below it, this is another place.
const LEAST_SCORE: f64 = 0.6;
/// The lead over the next best place that is needed.
const LEAST_LEAD: f64 = 0.2;
/// Lines with words that the change has to bring, and that have to be in the file as they are.
const LEAST_LINES: usize = 3;
const LEAST_EQUAL: usize = 2;
/// The likeness, in percent, of two lines that may stand for each other.
const LIKENESS_PERCENT: usize = 60;
/// The cost of a line that is only on one side, in parts of what it is worth.
const GAP: f64 = 0.25;

struct Alignment {
    score: f64,
    rows: Vec<Option<usize>>,
    equal: usize,
}

/// The place that is alike enough, and clearly more so than any other, among the lines of `within`.
pub(crate) fn find(haystack: &Haystack<'_>, ops: &[Op<'_>], within: Range<usize>) -> Result<Fit, PlacementError> {
    let old = OldLines::new(haystack, ops);
    let words = old.worths.iter().filter(|worth| **worth >= 1.0).count();
    if words < LEAST_LINES || old.lines.len() > OLD_LINES || haystack.len() > FILE_LINES {
        return Err(PlacementError::Nowhere);
    }
    let mut by_change: Vec<(Vec<usize>, Alignment)> = Vec::new();
    for place in old.likely_places() {
        let Some(alignment) = old.align(place, &within) else { continue };
        let key = changed_rows(ops, &alignment.rows);
        match by_change.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) if known.score >= alignment.score => {}
            Some((_, known)) => *known = alignment,
            None => by_change.push((key, alignment)),
        }
    }
    by_change.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    let mut best = by_change.into_iter().map(|(_, alignment)| alignment);
    let Some(first) = best.next().filter(|first| first.score >= LEAST_SCORE) else {
        return Err(PlacementError::Nowhere);
    };
    let start = first_row(&first.rows).unwrap_or_default();
    if let Some(second) = best.next().filter(|second| first.score - second.score < LEAST_LEAD) {
        let starts = vec![start, first_row(&second.rows).unwrap_or_default()];
        return Err(PlacementError::Ambiguous { tier: Tier::Alignment, starts });
    }
    if first.equal < LEAST_EQUAL || !is_certain(ops, &first.rows, &old.equals(&first.rows)) {
        return Err(PlacementError::Nowhere);
    }
    let end = first.rows.iter().flatten().max().map_or(start, |last| last + 1);
    Ok(Fit { tier: Tier::Alignment, rows: first.rows, span: start..end })
}

struct OldLines<'a, 'text> {
    haystack: &'a Haystack<'text>,
    lines: Vec<&'a str>,
    is_removed: Vec<bool>,
    numbers: Vec<u32>,
    in_file: &'a [u32],
    /// The weight of finding each line at the place.
    worths: Vec<f64>,
}

impl<'a, 'text> OldLines<'a, 'text> {
    fn new(haystack: &'a Haystack<'text>, ops: &[Op<'a>]) -> Self {
        let lines: Vec<&str> = ops.iter().filter_map(|op| op.old()).collect();
        let old = ops.iter().filter(|op| op.old().is_some());
        let is_removed = old.map(|op| matches!(op, Op::Remove(_))).collect();
        let (in_file, numbers) = haystack.numbers(&lines, Tier::LookAlikes);
        let worths = lines.iter().map(|line| worth(line)).collect();
        Self { haystack, lines, is_removed, numbers, in_file, worths }
    }

    /// Returns where the first old line would be, by lines that are rare in the file.
    fn likely_places(&self) -> Vec<isize> {
        let wanted: HashSet<u32> = self
            .numbers
            .iter()
            .zip(&self.worths)
            .filter(|(_, worth)| **worth >= 1.0)
            .map(|(number, _)| *number)
            .collect();
        let mut rows: HashMap<u32, Vec<usize>> = HashMap::new();
        for (row, number) in self.in_file.iter().enumerate().filter(|(_, number)| wanted.contains(number)) {
            let known = rows.entry(*number).or_default();
            if known.len() <= ANCHOR_PLACES {
                known.push(row);
            }
        }
        rows.retain(|_, rows| rows.len() <= ANCHOR_PLACES);
        let mut votes: HashMap<isize, usize> = HashMap::new();
        for (index, number) in self.numbers.iter().enumerate() {
            for row in rows.get(number).into_iter().flatten() {
                *votes.entry(row.cast_signed() - index.cast_signed()).or_default() += 1;
            }
        }
        let mut places: Vec<(isize, usize)> = votes.into_iter().collect();
        places.sort_by_key(|(place, votes)| (usize::MAX - votes, *place));
        places.into_iter().take(PLACES).map(|(place, _)| place).collect()
    }

    /// The best alignment of all old lines with some of the lines about `place` (Needleman and Wunsch; what lies before
    /// and after costs nothing).
    fn align(&self, place: isize, within: &Range<usize>) -> Option<Alignment> {
        let first = usize::try_from(place - SLACK.cast_signed()).unwrap_or(0).max(within.start);
        let last = place.checked_add_unsigned(self.lines.len() + SLACK).and_then(|last| usize::try_from(last).ok())?;
        let rows: Vec<usize> = (first..last.min(within.end)).collect();
        let (height, width) = (self.lines.len() + 1, rows.len() + 1);
        let mut scores = vec![vec![0.0; width]; height];
        for index in 1..height {
            scores[index][0] = scores[index - 1][0] + self.forgotten(index - 1);
        }
        for index in 1..height {
            for column in 1..width {
                let both = scores[index - 1][column - 1] + self.gain(index - 1, rows[column - 1]);
                let ours_only = scores[index - 1][column] + self.forgotten(index - 1);
                let theirs_only = scores[index][column - 1] + self.unknown(index, rows[column - 1]);
                scores[index][column] = both.max(ours_only).max(theirs_only);
            }
        }
        self.trace(&scores, &rows)
    }

    fn trace(&self, scores: &[Vec<f64>], rows: &[usize]) -> Option<Alignment> {
        let (mut index, mut column) = (self.lines.len(), rows.len());
        let total = scores[index][column];
        if total == f64::NEG_INFINITY {
            return None;
        }
        let mut found = vec![None; index];
        while index > 0 {
            let score = scores[index][column];
            let both = |gain: f64| scores[index - 1][column - 1] + gain;
            if column > 0 && score == both(self.gain(index - 1, rows[column - 1])) {
                found[index - 1] = Some(rows[column - 1]);
                (index, column) = (index - 1, column - 1);
            } else if column > 0 && score == scores[index][column - 1] + self.unknown(index, rows[column - 1]) {
                column -= 1;
            } else {
                index -= 1;
            }
        }
        let equals = self.equals(&found);
        let equal = equals.iter().zip(&self.worths).filter(|(equal, worth)| **equal && **worth >= 1.0).count();
        Some(Alignment { score: total / self.worths.iter().sum::<f64>(), rows: found, equal })
    }

    fn equals(&self, rows: &[Option<usize>]) -> Vec<bool> {
        rows.iter()
            .zip(&self.numbers)
            .map(|(row, number)| row.is_some_and(|row| self.in_file[row] == *number))
            .collect()
    }

    fn gain(&self, index: usize, row: usize) -> f64 {
        if self.numbers[index] == self.in_file[row] {
            return self.worths[index].max(0.05);
        }
        if self.is_removed[index] || self.worths[index] < 1.0 {
            return f64::NEG_INFINITY;
        }
        let (ours, theirs) = (fold::fold(self.lines[index]), fold::fold(self.haystack.line(row)));
        let likeness = likeness_percent(ours.trim().as_bytes(), theirs.trim().as_bytes());
        if likeness < LIKENESS_PERCENT { f64::NEG_INFINITY } else { self.worths[index] * likeness as f64 / 200.0 }
    }

    /// An old line that is not in the file.
    fn forgotten(&self, index: usize) -> f64 {
        if self.is_removed[index] { f64::NEG_INFINITY } else { -GAP * self.worths[index] - 0.01 }
    }

    /// A line of the file that is not among the old ones, `index` of which lie before it.
    fn unknown(&self, index: usize, row: usize) -> f64 {
        let is_between = index > 0 && index < self.lines.len();
        if is_between { -GAP * worth(self.haystack.line(row)) - 0.01 } else { 0.0 }
    }
}

fn worth(line: &str) -> f64 {
    if line.chars().any(char::is_alphanumeric) {
        1.0
    } else if line.trim().is_empty() {
        0.0
    } else {
        0.3
    }
}

fn first_row(rows: &[Option<usize>]) -> Option<usize> {
    rows.iter().flatten().min().copied()
}

/// Returns what makes two alignments the same place: the lines that go, and those before which lines come.
fn changed_rows(ops: &[Op<'_>], rows: &[Option<usize>]) -> Vec<usize> {
    let mut rows = rows.iter();
    let mut next = 0;
    let mut changed = Vec::new();
    for op in ops {
        let row = if op.old().is_some() { rows.next().copied().flatten() } else { None };
        if !matches!(op, Op::Keep(_)) {
            changed.push(row.unwrap_or(next));
        }
        next = row.map_or(next, |row| row + 1);
    }
    changed
}

/// Returns whether around everything that changes the lines lie side by side, as the model saw them. What only comes
/// has to have neighbours that are exactly as it said: one that is merely alike may be the next but one.
fn is_certain(ops: &[Op<'_>], rows: &[Option<usize>], equals: &[bool]) -> bool {
    let mut index = 0;
    let mut at = 0;
    while at < ops.len() {
        if matches!(ops[at], Op::Keep(_)) {
            index += 1;
            at += 1;
            continue;
        }
        let (first, first_op) = (index, at);
        while at < ops.len() && !matches!(ops[at], Op::Keep(_)) {
            index += usize::from(ops[at].old().is_some());
            at += 1;
        }
        let around = first.saturating_sub(1)..(index + 1).min(rows.len());
        let Some(lines) = rows[around.clone()].iter().copied().collect::<Option<Vec<usize>>>() else { return false };
        let is_together = lines.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let only_comes = ops[first_op..at].iter().all(|op| op.old().is_none());
        let is_known = if only_comes { !equals[around].contains(&false) } else { equals[around].contains(&true) };
        if !is_together || !is_known {
            return false;
        }
    }
    true
}

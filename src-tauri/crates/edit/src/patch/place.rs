//! Places the hunks of a patch in a file, and builds the file after them. Pure.
//!
//! The text of a hunk decides. Where it fits several places, these tell them apart: the line named after `@@`, the end of
//! the file, the order of hunks. A line number hardly does: the file may have changed since it was counted, and among
//! lines that repeat it then points at the wrong ones as surely as at the right ones. It counts only where a later hunk
//! that fits one place alone stands at its own number too, so that nothing above it has moved.
//!
//! A hunk that only brings lines and shows none of the file's has no text to decide by ([`insertion`]).

use std::ops::Range;

use super::insertion;
use super::parse::PatchHunk;
use crate::edit::{candidates, closest};
use crate::error::PatchError;
use crate::fit::{
    FinalNewline, Fit, Haystack, LineEndings, Op, PlacementError, Replacement, Tier, Typing, find_alike, find_lines,
    replacement,
};
use crate::line_endings::Eol;

/// The number of places that the hunks of one file may have together, before their order tells these apart: they are
/// all kept.
const MAX_PLACES: usize = 1 << 20;

/// A text after its hunks.
#[derive(Debug)]
pub struct Patched {
    pub text: String,
    /// Number of the hunk, and line of the file before, both counted from 1.
    pub forgiven: Vec<(usize, Tier, usize)>,
}

/// The problem with one of the hunks, by its index.
#[derive(Debug)]
pub enum HunkProblem {
    Placement { hunk: usize, misfit: PlacementError },
    NoContext { hunk: usize },
    NoSection { hunk: usize, section: String },
    Overlap { hunk: usize, other: usize },
}

impl HunkProblem {
    /// Makes the error for `path`, whose `text` the hunks were to change.
    pub fn at(self, path: &str, text: &str, hunks: &[PatchHunk<'_>]) -> PatchError {
        let path = path.to_owned();
        match self {
            Self::NoContext { hunk } => {
                let PatchHunk { line, old_start, .. } = hunks[hunk];
                let last = text.lines().count();
                let start = old_start.unwrap_or(last).clamp(1, last.max(1)) - 1;
                let there = candidates(text, &[start]).pop();
                PatchError::NoContext { path, hunk: hunk + 1, line, is_numbered: old_start.is_some(), there }
            }
            Self::NoSection { hunk, section } => {
                let closest = closest(text, &section);
                PatchError::NoSection { path, hunk: hunk + 1, line: hunks[hunk].line, section, closest }
            }
            Self::Overlap { hunk, other } => {
                PatchError::Overlap { path, hunk: hunk + 1, other: other + 1, line: hunks[hunk].line }
            }
            Self::Placement { hunk, misfit } => {
                let (hunk, at) = (hunk + 1, &hunks[hunk]);
                let line = at.line;
                match misfit {
                    PlacementError::Nowhere => {
                        let old: Vec<&str> = at.ops.iter().filter_map(|op| op.old()).collect();
                        PatchError::HunkNotFound { path, hunk, line, closest: closest(text, &old.join("\n")) }
                    }
                    PlacementError::Ambiguous { tier, starts } => {
                        let candidates = candidates(text, &starts);
                        PatchError::HunkAmbiguous { path, hunk, line, tier, count: starts.len(), candidates }
                    }
                    PlacementError::Unclear { tier, start } => {
                        PatchError::HunkUnclear { path, hunk, line, tier, at: start + 1 }
                    }
                }
            }
        }
    }
}

/// Returns where each hunk belongs, in their order.
pub fn places(text: &str, hunks: &[PatchHunk<'_>]) -> Result<Vec<Fit>, HunkProblem> {
    by_text(&Haystack::new(text), hunks)
}

/// The text with the hunks at their places. `typing` is that of the whole patch.
pub fn patched(text: &str, hunks: &[PatchHunk<'_>], fits: &[Fit], typing: &Typing) -> Result<Patched, HunkProblem> {
    let haystack = Haystack::new(text);
    let mut replacements: Vec<(usize, Replacement)> = Vec::new();
    let mut forgiven = Vec::new();
    for (index, (hunk, fit)) in hunks.iter().zip(fits).enumerate().filter(|(_, (hunk, _))| hunk.changes()) {
        let replacement =
            replaced(&haystack, hunk, fit, typing).map_err(|misfit| HunkProblem::Placement { hunk: index, misfit })?;
        replacements.push((index, replacement));
        if fit.tier > Tier::Exact {
            forgiven.push((index + 1, fit.tier, fit.span.start + 1));
        }
    }
    replacements.sort_by_key(|(_, one)| (one.range.start, one.range.end));
    let touch = |pair: &&[(usize, Replacement)]| {
        let (before, after) = (&pair[0].1.range, &pair[1].1.range);
        before.end > after.start || (before.is_empty() && before == after)
    };
    if let Some(pair) = replacements.windows(2).find(touch) {
        return Err(HunkProblem::Overlap { hunk: pair[0].0.max(pair[1].0), other: pair[0].0.min(pair[1].0) });
    }
    let mut result = String::with_capacity(text.len());
    let mut copied = 0;
    for (_, replacement) in &replacements {
        result.push_str(&text[copied..replacement.range.start]);
        result.push_str(&replacement.text);
        copied = replacement.range.end;
    }
    result.push_str(&text[copied..]);
    Ok(Patched { text: result, forgiven })
}

fn by_text(haystack: &Haystack<'_>, hunks: &[PatchHunk<'_>]) -> Result<Vec<Fit>, HunkProblem> {
    let mut found = Vec::with_capacity(hunks.len());
    let mut places = 0;
    for (hunk, one) in hunks.iter().enumerate() {
        match find(haystack, one, hunk)? {
            FoundPlace::Several { tier, starts } if places + starts.len() > MAX_PLACES => {
                return Err(HunkProblem::Placement { hunk, misfit: PlacementError::Ambiguous { tier, starts } });
            }
            one => {
                places += one.starts().len();
                found.push(one);
            }
        }
    }
    let numbers_hold = hunks.iter().zip(&found).all(|(hunk, found)| {
        let start = hunk.old_start.and_then(|start| start.checked_sub(1));
        start.is_some_and(|start| found.starts().contains(&start))
    });
    // Nothing above it has moved since the numbers were counted.
    let last_certain = found.iter().rposition(|found| matches!(found, FoundPlace::One(fit) if fit.tier == Tier::Exact));
    let numbers = hunks.iter().filter_map(|hunk| hunk.old_start);
    let is_in_order = numbers.clone().zip(numbers.skip(1)).all(|(number, next)| number <= next);
    let certain: Vec<Option<Range<usize>>> = found.iter().map(FoundPlace::certain).collect();
    let mut fits = Vec::with_capacity(hunks.len());
    for (index, (hunk, found)) in hunks.iter().zip(found).enumerate() {
        let (tier, starts) = match found {
            FoundPlace::One(fit) => {
                fits.push(fit);
                continue;
            }
            FoundPlace::Several { tier, starts } => (tier, starts),
        };
        let lines = old_lines(hunk);
        let after = certain[..index].iter().rev().flatten().next().map_or(0, |range| range.end);
        let before = certain[index + 1..].iter().flatten().next().map_or(haystack.len(), |range| range.start);
        let only = |is_it: &dyn Fn(usize) -> bool| {
            let mut left = starts.iter().copied().filter(|start| is_it(*start));
            left.next().filter(|_| left.next().is_none())
        };
        let named = hunk.old_start.unwrap_or_default();
        let is_counted = numbers_hold && last_certain.is_some_and(|certain| certain > index);
        let in_order = || only(&|start| after <= start && start + lines.len() <= before);
        let place = is_counted
            .then(|| only(&|start| start + 1 == named))
            .flatten()
            .or_else(|| hunk.at_end.then(|| only(&|start| start + lines.len() == haystack.len())).flatten())
            .or_else(|| section(haystack, hunk).and_then(|section| only(&|start| section.contains(&start))))
            .or_else(|| is_in_order.then(in_order).flatten());
        match place {
            Some(start) => fits.push(Fit::at(start, lines.len(), tier)),
            None => {
                return Err(HunkProblem::Placement { hunk: index, misfit: PlacementError::Ambiguous { tier, starts } });
            }
        }
    }
    Ok(fits)
}

enum FoundPlace {
    One(Fit),
    Several { tier: Tier, starts: Vec<usize> },
}

impl FoundPlace {
    fn starts(&self) -> &[usize] {
        match self {
            Self::One(fit) => std::slice::from_ref(&fit.span.start),
            Self::Several { starts, .. } => starts,
        }
    }

    fn certain(&self) -> Option<Range<usize>> {
        match self {
            Self::One(fit) => Some(fit.span.clone()),
            Self::Several { .. } => None,
        }
    }
}

fn find(haystack: &Haystack<'_>, hunk: &PatchHunk<'_>, index: usize) -> Result<FoundPlace, HunkProblem> {
    let ops = without_returns(&hunk.ops);
    let all = 0..haystack.len();
    if insertion::shows_nothing(&ops) {
        return insertion::place(haystack, hunk, index).map(FoundPlace::One);
    }
    let failed = |misfit| HunkProblem::Placement { hunk: index, misfit };
    match find_lines(haystack, &ops, all.clone()) {
        Ok(fit) => Ok(FoundPlace::One(fit)),
        Err(PlacementError::Ambiguous { tier, starts }) => Ok(as_they_end(haystack, hunk, tier, starts)),
        Err(PlacementError::Nowhere) => find_alike(haystack, &ops, all).map(FoundPlace::One).map_err(failed),
        Err(misfit) => Err(failed(misfit)),
    }
}

/// Places that differ in the endings of their lines alone are told apart by those of the patch.
fn as_they_end(haystack: &Haystack<'_>, hunk: &PatchHunk<'_>, tier: Tier, starts: Vec<usize>) -> FoundPlace {
    let old = old_lines(hunk);
    let mut exact = starts.iter().filter(|start| tier == Tier::Exact && haystack.stands_at(&old, **start));
    match (exact.next(), exact.next()) {
        (Some(start), None) => FoundPlace::One(Fit::at(*start, old.len(), tier)),
        _ => FoundPlace::Several { tier, starts },
    }
}

fn old_lines<'a>(hunk: &PatchHunk<'a>) -> Vec<&'a str> {
    hunk.ops.iter().filter_map(|op| op.old()).collect()
}

/// The lines below the one that the hunk names, as far as they are indented deeper or only close what it opened. `None`
/// where that line is not there, or not once.
fn section(haystack: &Haystack<'_>, hunk: &PatchHunk<'_>) -> Option<Range<usize>> {
    (!hunk.sections.is_empty()).then(|| within(haystack, &hunk.sections))?
}

pub(super) fn within(haystack: &Haystack<'_>, sections: &[&str]) -> Option<Range<usize>> {
    let mut within = 0..haystack.len();
    for name in sections {
        let [start] = named_lines(haystack, within.clone(), name)[..] else { return None };
        let depth = indentation(haystack.line(start));
        let is_outside = |index: &usize| {
            let line = haystack.line(*index);
            let opens =
                line.trim_start().starts_with(|first: char| first.is_alphanumeric() || "_@#/<\"'".contains(first));
            opens && indentation(line) <= depth
        };
        let end = (start + 1..within.end).find(is_outside).unwrap_or(within.end);
        within = start..end;
    }
    Some(within)
}

/// The lines that a header's name stands for: those that are it, or else those that begin with it.
pub(super) fn named_lines(haystack: &Haystack<'_>, within: Range<usize>, name: &str) -> Vec<usize> {
    let name = name.trim();
    let whole: Vec<usize> = within.clone().filter(|index| haystack.line(*index).trim() == name).collect();
    if !whole.is_empty() {
        return whole;
    }
    within.filter(|index| haystack.line(*index).trim().starts_with(name)).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Endings are the file's, unless the patch has the very ones of the lines that it shows.
fn replaced(
    haystack: &Haystack<'_>,
    hunk: &PatchHunk<'_>,
    fit: &Fit,
    typing: &Typing,
) -> Result<Replacement, PlacementError> {
    let final_newline = hunk.final_newline;
    let old = old_lines(hunk);
    let shows_endings = fit.tier == Tier::Exact && haystack.stands_at(&old, fit.span.start);
    if shows_endings && (!old.is_empty() || haystack.len() == 0) {
        return replacement(haystack, &hunk.ops, fit, LineEndings { eol: Some(Eol::Lf), final_newline }, typing);
    }
    let target =
        LineEndings { eol: None, final_newline: if old.is_empty() { FinalNewline::AsItIs } else { final_newline } };
    replacement(haystack, &without_returns(&hunk.ops), fit, target, typing)
}

/// Learns the model's typing from the hunks of a file.
pub fn learn(typing: &mut Typing, text: &str, hunks: &[PatchHunk<'_>], fits: &[Fit]) {
    let haystack = Haystack::new(text);
    for (hunk, fit) in hunks.iter().zip(fits) {
        typing.learn(&haystack, &without_returns(&hunk.ops), fit);
    }
}

fn without_returns<'a>(ops: &[Op<'a>]) -> Vec<Op<'a>> {
    let plain = |line: &'a str| line.strip_suffix('\r').unwrap_or(line);
    ops.iter()
        .map(|op| match op {
            Op::Keep(line) => Op::Keep(plain(line)),
            Op::Remove(line) => Op::Remove(plain(line)),
            Op::Add(line) => Op::Add(plain(line)),
        })
        .collect()
}

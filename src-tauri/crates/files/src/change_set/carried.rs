//! A decision on what was shown, for the same change as it is by now. Pure.
//!
//! Between the two the user may have edited the files: the change has followed, and its hunks may have other numbers and
//! stand at other lines. A hunk is the same where all of its lines are, those of its context too.

use std::collections::{BTreeMap, BTreeSet};

use super::{Hunk, HunkSelection, Preview};
use arki_domain::WholeChange;

/// The part of a decision that holds for another preview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CarriedSelection {
    pub selection: HunkSelection,
    /// The files of which an accepted hunk is no longer as shown: nothing of them is selected, and they are to be asked
    /// anew.
    pub changed: BTreeSet<String>,
    /// The numbers of the selected hunks where they were shown, by their numbers now.
    pub shown: BTreeMap<usize, usize>,
}

/// Finds the hunks that were chosen in `shown` among those of `now`. Both diffs have to be in one form: with their secrets,
/// or without.
pub fn carry_selection(shown: &Preview, now: &Preview, selection: &HunkSelection) -> CarriedSelection {
    let now_hunks = texts_by_path(now);
    let mut carried = CarriedSelection::default();
    for (path, hunks) in texts_by_path(shown) {
        let chosen = || hunks.iter().filter(|(hunk, _)| is_chosen(selection, hunk.index));
        let own = now_hunks.get(path).map(Vec::as_slice).unwrap_or_default();
        let numbers: Option<Vec<(usize, usize)>> =
            chosen().map(|hunk| Some((hunk.0.index, same_hunk(hunk, &hunks, own)?))).collect();
        let Some(numbers) = numbers else {
            carried.changed.insert(path.to_owned());
            continue;
        };
        for (old, new) in numbers {
            carried.shown.insert(new, old);
            match selection.edited.get(&old) {
                Some(text) => drop(carried.selection.edited.insert(new, text.clone())),
                None => drop(carried.selection.accepted.insert(new)),
            }
        }
    }
    carried
}

fn is_chosen(selection: &HunkSelection, index: usize) -> bool {
    selection.accepted.contains(&index) || selection.edited.contains_key(&index)
}

/// A hunk and what it says.
type HunkText<'a> = (&'a Hunk, String);

/// The number of the same hunk; none where it isn't clear which one it is.
fn same_hunk((hunk, text): &HunkText<'_>, shown: &[HunkText<'_>], now: &[HunkText<'_>]) -> Option<usize> {
    let alike = |hunks: &[HunkText<'_>]| -> Vec<usize> {
        hunks.iter().filter(|(_, other)| other == text).map(|(hunk, _)| hunk.index).collect()
    };
    let (before, after) = (alike(shown), alike(now));
    let place = before.iter().position(|index| *index == hunk.index)?;
    if before.len() == after.len() { after.get(place).copied() } else { None }
}

/// The hunks of each file with what they say.
fn texts_by_path(preview: &Preview) -> BTreeMap<&str, Vec<HunkText<'_>>> {
    let mut by_path: BTreeMap<&str, Vec<HunkText<'_>>> = BTreeMap::new();
    let mut hunks = preview.hunks.iter().peekable();
    for file in starting_with(&preview.diff, "diff --git ") {
        let Some(path) = hunks.peek().map(|hunk| hunk.path.as_str()) else { break };
        let mut lined = starting_with(file, "@@ ").into_iter();
        while let Some(hunk) = hunks.next_if(|hunk| hunk.path == path) {
            let text = if hunk.old_lines + hunk.new_lines > 0 {
                let text = lined.next().unwrap_or_default();
                // Its line numbers may be others by now.
                text.split_once('\n').map_or("", |(_, lines)| lines).to_owned()
            } else {
                whole_text(hunk.what, file)
            };
            by_path.entry(path).or_default().push((hunk, text));
        }
    }
    by_path
}

/// The lines that tell of a change without lines.
fn whole_text(what: Option<WholeChange>, file: &str) -> String {
    let starts: &[&str] = match what {
        Some(WholeChange::Mode) => &["old mode ", "new mode "],
        Some(WholeChange::Move) => &["rename "],
        Some(WholeChange::Binary) => &["Binary files "],
        _ => &[""],
    };
    file.lines().filter(|line| starts.iter().any(|start| line.starts_with(start))).collect::<Vec<_>>().join("\n")
}

/// The pieces of a text, each from a line that begins so up to the next one.
fn starting_with<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut begun = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(start) {
            pieces.extend(begun.replace(at).map(|from| &text[from..at]));
        }
        at += line.len();
    }
    pieces.extend(begun.map(|from| &text[from..]));
    pieces
}

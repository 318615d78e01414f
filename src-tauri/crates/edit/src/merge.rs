//! Three-way merge: bringing a file to a wanted content without losing what was done to it since. Pure.
//!
//! It merges where the two sides changed different lines with at least one untouched line between them, and says
//! conflict everywhere else: a rewind that asks once too often is a nuisance, one that mixes two edits of the
//! same place is a loss. Lines are raw bytes up to `\n`, taken over whole, so endings, a byte-order mark and a
//! missing final newline stay as the side has them that changed the line, and no line comes out that went in
//! nowhere. That is also why this stands on the line differ alone: `similar::TextMerge` ends lines at a lone
//! `\r` too, and could put two halves of what everything else here takes for one line together.
//!
//! It writes no conflict markers: a conflicting file is left as it is.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::line_endings::split_lines;
use crate::text_file::{EDIT_LIMIT_BYTES, is_text};

/// The action for the file on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// It is already what it should be.
    Unchanged,
    /// Replace its content, or create it.
    Write(Vec<u8>),
    Delete,
    /// Both sides changed the same place; leave it alone.
    Conflict,
}

/// Brings `disk` from `base` to `wanted`. `base` is what Arki wrote last, `wanted` what it should become, `disk`
/// what is there now; `None` is no file. A side above [`EDIT_LIMIT_BYTES`], or one that is not UTF-8 text, is
/// taken whole or not at all.
pub fn merge(base: Option<&[u8]>, wanted: Option<&[u8]>, disk: Option<&[u8]>) -> Merge {
    if disk == wanted || base == wanted {
        return Merge::Unchanged;
    }
    if disk == base {
        return wanted.map_or(Merge::Delete, |wanted| Merge::Write(wanted.to_vec()));
    }
    match (base, wanted, disk) {
        (Some(base), Some(wanted), Some(disk)) if [base, wanted, disk].into_iter().all(has_lines) => {
            match merge_lines(base, wanted, disk, Neighbours::Conflict) {
                merged if merged.conflicts > 0 => Merge::Conflict,
                merged if merged.content == disk => Merge::Unchanged,
                merged => Merge::Write(merged.content),
            }
        }
        _ => Merge::Conflict,
    }
}

/// A file of which the wanted changes are made everywhere but where the disk has others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMerge {
    pub content: Vec<u8>,
    /// The number of places that stay as they are on the disk, for both sides changed them.
    pub conflicts: usize,
}

/// Changes without an untouched line between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Neighbours {
    Conflict,
    Merged,
}

/// Brings `disk` from `base` to `wanted` for a review: changes of neighbouring lines are merged, and what the disk has is
/// kept where both changed the same ones. `None` where one of them is above [`EDIT_LIMIT_BYTES`], or no text.
#[must_use]
pub fn merge_keeping(base: &[u8], wanted: &[u8], disk: &[u8]) -> Option<KeptMerge> {
    [base, wanted, disk].into_iter().all(has_lines).then(|| merge_lines(base, wanted, disk, Neighbours::Merged))
}

fn has_lines(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= EDIT_LIMIT_BYTES && is_text(bytes)
}

fn merge_lines(base: &[u8], wanted: &[u8], disk: &[u8], neighbours: Neighbours) -> KeptMerge {
    let base = split_lines(base);
    let mut wanted = Side::of(&base, wanted);
    let mut disk = Side::of(&base, disk);
    let mut merged = Vec::new();
    let (mut copied, mut conflicts) = (0, 0);
    while let Some(first) =
        [wanted.next_edit(), disk.next_edit()].into_iter().flatten().min_by_key(|edit| (edit.start, edit.end))
    {
        let limit = if neighbours == Neighbours::Merged { base.len() } else { 0 };
        let (place, ours, theirs) = next_place(first, limit, &mut wanted, &mut disk);
        merged.extend(base[copied..place.start].concat());
        copied = place.end;
        let (ours, theirs) = (wanted.text(ours, &place), disk.text(theirs, &place));
        merged.extend(match (ours, theirs) {
            (Some(text), None) | (None, Some(text)) => text,
            (Some(ours), Some(theirs)) => {
                conflicts += usize::from(ours != theirs);
                theirs
            }
            (None, None) => base[place].concat(),
        });
    }
    merged.extend(base[copied..].concat());
    KeptMerge { content: merged, conflicts }
}

/// One descendant of the base: its lines, and where it differs.
struct Side<'a> {
    lines: Vec<&'a [u8]>,
    edits: Vec<MergedLines>,
    /// Edits before this one are merged.
    next: usize,
}

/// These lines of the base became those of the side.
struct MergedLines {
    base: Range<usize>,
    side: Range<usize>,
}

impl<'a> Side<'a> {
    fn of(base: &[&[u8]], content: &'a [u8]) -> Self {
        let lines = split_lines(content);
        let edits = capture_diff_slices(Algorithm::Myers, base, &lines)
            .into_iter()
            .filter(|op| op.tag() != DiffTag::Equal)
            .map(|op| MergedLines { base: op.old_range(), side: op.new_range() })
            .collect();
        Self { lines, edits, next: 0 }
    }

    fn next_edit(&self) -> Option<Range<usize>> {
        self.edits.get(self.next).map(|edit| edit.base.clone())
    }

    /// Takes the edits that touch `place`, or before `limit` the same lines; where the last of them ends.
    fn take_touching(&mut self, place: &Range<usize>, limit: usize) -> usize {
        let mut reach = place.end;
        let touches = |edit: &Range<usize>, reach: usize| {
            // At the end a line may lack its ending.
            let is_same_place = *edit == (place.start..reach) || reach >= limit;
            edit.start < reach || (edit.start == reach && is_same_place)
        };
        while let Some(edit) = self.edits.get(self.next).filter(|edit| touches(&edit.base, reach)) {
            reach = reach.max(edit.base.end);
            self.next += 1;
        }
        reach
    }

    /// The side's lines for `place` in the base, when it has edits there.
    fn text(&self, edits: Range<usize>, place: &Range<usize>) -> Option<Vec<u8>> {
        let edits = &self.edits[edits];
        let (first, last) = (edits.first()?, edits.last()?);
        let start = first.side.start - (first.base.start - place.start);
        let end = last.side.end + (place.end - last.base.end);
        Some(self.lines[start..end].concat())
    }
}

/// The lines of the base that must be decided together, from those of the `first` edit on, and each side's edits there.
fn next_place(
    first: Range<usize>,
    limit: usize,
    a: &mut Side<'_>,
    b: &mut Side<'_>,
) -> (Range<usize>, Range<usize>, Range<usize>) {
    let (a_first, b_first) = (a.next, b.next);
    let mut place = first;
    loop {
        let (taken, end) = ((a.next, b.next), place.end);
        place.end = a.take_touching(&place, limit);
        place.end = b.take_touching(&place, limit);
        if place.end == end && taken == (a.next, b.next) {
            return (place, a_first..a.next, b_first..b.next);
        }
    }
}

#[cfg(test)]
mod tests;

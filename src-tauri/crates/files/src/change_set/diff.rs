//! The lines of one changed file, grouped into hunks. Pure.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::FileChange;
use arki_edit::{is_text, split_lines};

/// Lines of context around a change, as in `git diff`.
const CONTEXT_LINES: usize = 3;

/// A changed file's diff, to show and to select from.
pub(super) enum FileDiff<'a> {
    Lines(LineDiff<'a>),
    /// All or nothing: `binary` content, or an empty file that comes or goes.
    Whole {
        binary: bool,
    },
}

pub(super) struct LineDiff<'a> {
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
    /// Never empty, and no group is.
    pub(super) groups: Vec<Vec<DiffOp>>,
}

impl<'a> FileDiff<'a> {
    pub(super) fn of(change: &'a FileChange) -> Self {
        let before = change.before.as_deref().unwrap_or_default();
        let after = change.after.as_deref().unwrap_or_default();
        if !is_text(before) || !is_text(after) {
            return Self::Whole { binary: true };
        }
        let (old, new) = (split_lines(before), split_lines(after));
        let groups = group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT_LINES);
        if groups.is_empty() {
            return Self::Whole { binary: false };
        }
        Self::Lines(LineDiff { old, new, groups })
    }

    pub(super) fn hunk_count(&self) -> usize {
        match self {
            Self::Lines(diff) => diff.groups.len(),
            Self::Whole { .. } => 1,
        }
    }
}

/// The old and new lines that a group covers, counted from 0.
pub(super) fn extent(group: &[DiffOp]) -> (Range<usize>, Range<usize>) {
    let first = group.first().map_or((0, 0), |op| (op.old_range().start, op.new_range().start));
    let last = group.last().map_or((0, 0), |op| (op.old_range().end, op.new_range().end));
    (first.0..last.0, first.1..last.1)
}

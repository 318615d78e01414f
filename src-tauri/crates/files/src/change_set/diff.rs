//! The changes of a set as they are shown: one a file, with both paths of a moved file as one, and its lines grouped into
//! hunks. Pure.

use std::collections::BTreeSet;
use std::ops::Range;

use arki_domain::WholeChange;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use super::{ChangeSet, FileChange, changes_mode};
use crate::file_content::FileContent;
use crate::project::ProjectPath;
use arki_edit::{EDIT_LIMIT_BYTES, is_text, split_lines};

/// Lines of context around a change, as in `git diff`.
const CONTEXT_LINES: usize = 3;

/// A change of one file as it is shown.
#[derive(Clone, Copy)]
pub(super) struct DiffEntry<'a> {
    pub(super) change: &'a FileChange,
    /// The removal at the old path of a moved file.
    pub(super) moved: Option<&'a FileChange>,
}

impl<'a> DiffEntry<'a> {
    pub(super) fn path(&self) -> &'a ProjectPath {
        &self.change.path
    }

    pub(super) fn old_path(&self) -> &'a ProjectPath {
        &self.old().path
    }

    /// The change of the path that the old content is at.
    fn old(&self) -> &'a FileChange {
        self.moved.unwrap_or(self.change)
    }

    pub(super) fn before(&self) -> Option<&'a FileContent> {
        self.old().before.as_ref()
    }

    pub(super) fn after(&self) -> Option<&'a FileContent> {
        self.change.after.as_ref()
    }

    pub(super) fn old_mode(&self) -> Option<u32> {
        self.old().mode
    }

    pub(super) fn changes_mode(&self) -> bool {
        changes_mode(self.before(), self.after(), self.old_mode(), self.change.new_mode)
    }

    pub(super) fn is_of(&self, is_kind: fn(&FileContent) -> bool) -> bool {
        [self.before(), self.after()].into_iter().flatten().any(is_kind)
    }
}

/// The entries in the order of the diff: by path, a moved file at its new one.
pub(super) fn entries(set: &ChangeSet) -> Vec<DiffEntry<'_>> {
    let old_paths: BTreeSet<&ProjectPath> = set.moves.values().collect();
    let moved = |change: &FileChange| set.change_at(set.moves.get(&change.path)?);
    let entry = |change| DiffEntry { change, moved: moved(change) };
    set.files.iter().filter(|change| !old_paths.contains(&change.path)).map(entry).collect()
}

/// A changed file's diff, to show and to select from: its hunks are the whole changes in their order, then those of its
/// lines.
pub(super) struct FileDiff<'a> {
    pub(super) wholes: Vec<WholeChange>,
    /// The lines to show. Of a link, whose text is where it leads, they are no hunks of their own.
    pub(super) lines: Option<LineDiff<'a>>,
}

pub(super) struct LineDiff<'a> {
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
    /// Never empty, and no group is.
    pub(super) groups: Vec<Vec<DiffOp>>,
}

impl<'a> FileDiff<'a> {
    pub(super) fn of(entry: &DiffEntry<'a>) -> Self {
        let mut wholes = Vec::new();
        wholes.extend(entry.moved.map(|_| WholeChange::Move));
        wholes.extend(entry.changes_mode().then_some(WholeChange::Mode));
        let (before, after) = (entry.before(), entry.after());
        if before == after {
            return Self { wholes, lines: None };
        }
        let lines = LineDiff::of(before, after);
        if entry.is_of(FileContent::is_folder) {
            wholes.push(WholeChange::Folder);
        } else if entry.is_of(FileContent::is_link) {
            // Half a link leads nowhere.
            wholes.push(WholeChange::Link);
        } else if lines.is_none() {
            wholes.push(WholeChange::Binary);
        } else if lines.as_ref().is_some_and(|lines| lines.groups.is_empty()) {
            wholes.push(WholeChange::Empty);
        }
        Self { wholes, lines: lines.filter(|lines| !lines.groups.is_empty()) }
    }

    /// The groups that are hunks.
    pub(super) fn groups(&self) -> &[Vec<DiffOp>] {
        let lines = self.lines.as_ref().filter(|_| !self.wholes.contains(&WholeChange::Link));
        lines.map_or(&[], |lines| &lines.groups)
    }

    /// The share of lines that stay, in per cent.
    pub(super) fn similarity(&self) -> usize {
        let Some(lines) = &self.lines else { return 100 };
        let changed: usize =
            lines.groups.iter().flatten().filter(|op| op.tag() != DiffTag::Equal).map(|op| op.old_range().len()).sum();
        (lines.old.len() - changed) * 100 / lines.old.len().max(lines.new.len()).max(1)
    }

    pub(super) fn hunk_count(&self) -> usize {
        self.wholes.len() + self.groups().len()
    }
}

impl<'a> LineDiff<'a> {
    /// `None` where one side is no text, or more than can be edited.
    fn of(before: Option<&'a FileContent>, after: Option<&'a FileContent>) -> Option<Self> {
        let [before, after] = [before, after].map(|content| content.map(|content| &**content).unwrap_or_default());
        let has_lines = |bytes: &[u8]| bytes.len() as u64 <= EDIT_LIMIT_BYTES && is_text(bytes);
        if !has_lines(before) || !has_lines(after) {
            return None;
        }
        let (old, new) = (split_lines(before), split_lines(after));
        let groups = group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT_LINES);
        Some(Self { old, new, groups })
    }
}

/// The old and new lines that a group covers, counted from 0.
pub(super) fn extent(group: &[DiffOp]) -> (Range<usize>, Range<usize>) {
    let first = group.first().map_or((0, 0), |op| (op.old_range().start, op.new_range().start));
    let last = group.last().map_or((0, 0), |op| (op.old_range().end, op.new_range().end));
    (first.0..last.0, first.1..last.1)
}

//! The changes of a set as they are shown: one a file, with both paths of a moved file as one.

use std::collections::BTreeSet;

use super::{ChangeSet, FileChange, changes_mode};
use crate::file_content::FileContent;
use crate::project::ProjectPath;

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

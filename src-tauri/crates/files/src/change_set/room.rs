//! Files and folders that take each other's place: what goes has to be gone before what comes can be staged.

use std::collections::BTreeSet;

use super::FileChange;
use crate::project::{Project, ProjectPath};

/// The files that a change set deletes, to ask what stands in whose way.
pub(super) struct Deletions<'a>(BTreeSet<&'a str>);

impl<'a> Deletions<'a> {
    pub(super) fn of(files: &'a [FileChange]) -> Self {
        let deleted = files.iter().filter(|change| change.after.is_none());
        Self(deleted.map(|change| change.path.as_str()).collect())
    }

    /// Returns whether a file is written where a deleted one is a folder's name on the way, or lies below.
    pub(super) fn make_room_for(&self, change: &FileChange) -> bool {
        change.after.is_some() && (self.are_above(&change.path) || self.are_below(&change.path))
    }

    /// Returns whether a deleted file has the name of a folder on the way to `path`.
    pub(super) fn are_above(&self, path: &ProjectPath) -> bool {
        self.above(path).is_some()
    }

    /// The deleted file that has the name of a folder on the way to `path`.
    pub(super) fn above<'p>(&self, path: &'p ProjectPath) -> Option<&'p str> {
        let path = path.as_str();
        path.match_indices('/').map(|(end, _)| &path[..end]).find(|folder| self.contain(folder))
    }

    pub(super) fn contain(&self, path: &str) -> bool {
        self.0.contains(path)
    }

    /// Returns whether something in this folder is deleted.
    pub(super) fn are_below(&self, folder: &ProjectPath) -> bool {
        let below = format!("{folder}/");
        self.0.range(below.as_str()..).next().is_some_and(|deleted| deleted.starts_with(&below))
    }
}

/// Removes the folder at `path` where nothing is in it but folders; leaves anything else for the write to refuse.
pub(super) fn clear(project: &Project, path: &ProjectPath) {
    if project.holds_only(path, |_| false) {
        // What came into it meanwhile stays, and so does the folder.
        let _ = remove_folders(project, path.as_str());
    }
}

fn remove_folders(project: &Project, path: &str) -> std::io::Result<()> {
    for entry in project.dir().read_dir(path)? {
        let name = entry?.file_name();
        remove_folders(project, &format!("{path}/{}", name.to_string_lossy()))?;
    }
    project.dir().remove_dir(path)
}

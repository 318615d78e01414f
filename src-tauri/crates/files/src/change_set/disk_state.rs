//! The files on the disk, for comparing them with what a change set begins and ends with.

use super::room::Deletions;
use super::{ChangeSet, FileChange, Links, PERMISSION_BITS};
use crate::file_content::FileContent;
use crate::project::{FileFound, Project, ProjectPath};
use arki_edit::EDIT_LIMIT_BYTES;
use std::io::ErrorKind;

/// The state of a path: `None` where there is nothing, an error where it can't be compared. That is what can't be read, is
/// far larger than expected or behind a link, and a folder with something in it.
pub(super) type DiskState = Result<Option<FileFound>, Unknown>;

/// Something is there that is no content of a change set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown;

/// The disk as the changes of one set find it: what they delete is in none's way.
pub(super) struct DiskView<'a> {
    project: &'a Project,
    links: Links,
    deletions: Deletions<'a>,
}

impl<'a> DiskView<'a> {
    pub(super) fn of(set: &ChangeSet, project: &'a Project, changes: &'a [FileChange]) -> Self {
        Self { project, links: set.links, deletions: Deletions::of(changes) }
    }

    /// Reads what is at the path of a change.
    pub(super) fn state(&self, change: &FileChange) -> DiskState {
        let (project, way) = (self.project, change.way(self.links));
        let is_behind_file = || {
            let found = project.dir().symlink_metadata(change.path.as_str());
            found.is_err_and(|error| error.kind() == ErrorKind::NotADirectory)
        };
        if self.makes_room_for(change) || (change.after.is_none() && is_behind_file()) {
            return Ok(None);
        }
        let place = way.place(project, &change.path).map_err(|_| Unknown)?;
        if project.dir().symlink_metadata(place.as_str()).is_ok_and(|found| found.is_dir()) {
            let is_empty = project.dir().read_dir(place.as_str()).is_ok_and(|mut entries| entries.next().is_none());
            let folder = FileFound { content: FileContent::Folder, mode: None };
            return match (&change.before, &change.after) {
                _ if is_empty => Ok(Some(folder)),
                // The file that was to go is gone.
                (Some(FileContent::File(_) | FileContent::Link(_)), None) => Ok(None),
                _ => Err(Unknown),
            };
        }
        let known = [&change.before, &change.after].into_iter().flatten().map(|content| content.len() as u64);
        let limit = known.max().unwrap_or_default().max(EDIT_LIMIT_BYTES);
        way.found(project, &change.path, limit).map_err(|_| Unknown)
    }

    /// Returns whether all that is in the way of a new file is deleted with it: a file where its folder is to be, or a
    /// folder in its place.
    fn makes_room_for(&self, change: &FileChange) -> bool {
        if change.before.is_some() || !self.deletions.make_room_for(change) {
            return false;
        }
        // What a path shows through a link that goes is no file of its own.
        let is_link = |path: &str| self.project.dir().symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        if self.deletions.above(&change.path).is_some_and(is_link) {
            return true;
        }
        match self.project.dir().symlink_metadata(change.path.as_str()) {
            Ok(found) => found.is_dir() && self.project.holds_only(&change.path, |path| self.deletions.contain(path)),
            Err(error) => error.kind() == ErrorKind::NotADirectory && self.deletions.are_above(&change.path),
        }
    }

    /// Returns the new files among `changes`, for which the set of this view has room, that have none in this set alone.
    pub(super) fn without_room(&self, set: &ChangeSet, changes: &[FileChange]) -> Vec<ProjectPath> {
        let left = DiskView::of(set, self.project, changes);
        let is_misplaced = |change: &&FileChange| self.makes_room_for(change) && !left.makes_room_for(change);
        changes.iter().filter(is_misplaced).map(|change| change.path.clone()).collect()
    }
}

pub(super) fn is_same_mode(one: Option<u32>, other: Option<u32>) -> bool {
    one.zip(other).is_none_or(|(one, other)| (one ^ other) & PERMISSION_BITS == 0)
}

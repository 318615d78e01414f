//! The files on the disk, for comparing them with what a change set begins and ends with.

use super::{ChangeSet, FileChange, PERMISSION_BITS};
use crate::file_content::FileContent;
use crate::project::{FileFound, Project};
use arki_edit::EDIT_LIMIT_BYTES;

/// The state of a path: `None` where there is nothing, an error where it can't be compared. That is what can't be read, is
/// far larger than expected or behind a link, and a folder with something in it.
pub(super) type DiskState = Result<Option<FileFound>, Unknown>;

/// Something is there that is no content of a change set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown;

/// Reads what is at the path of a change.
pub(super) fn disk_state(set: &ChangeSet, project: &Project, change: &FileChange) -> DiskState {
    let way = change.way(set.links);
    let place = way.place(project, &change.path).map_err(|_| Unknown)?;
    if project.dir().symlink_metadata(place.as_str()).is_ok_and(|found| found.is_dir()) {
        let is_empty = project.dir().read_dir(place.as_str()).is_ok_and(|mut entries| entries.next().is_none());
        return if is_empty { Ok(Some(FileFound { content: FileContent::Folder, mode: None })) } else { Err(Unknown) };
    }
    let known = [&change.before, &change.after].into_iter().flatten().map(|content| content.len() as u64);
    let limit = known.max().unwrap_or_default().max(EDIT_LIMIT_BYTES);
    way.found(project, &change.path, limit).map_err(|_| Unknown)
}

pub(super) fn is_same_mode(one: Option<u32>, other: Option<u32>) -> bool {
    one.zip(other).is_none_or(|(one, other)| (one ^ other) & PERMISSION_BITS == 0)
}

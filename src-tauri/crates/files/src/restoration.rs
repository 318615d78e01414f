//! Putting files back to contents that are known: what a rewind does once it is decided.
//!
//! It only turns the wanted contents into a [`ChangeSet`], so a restoration is checked, staged, written and
//! taken back exactly as a reviewed change is. What the contents should be is decided elsewhere (`merge`).

use crate::applied_change::AppliedChange;
use crate::change_set::{ChangeSet, FileChange};
use crate::error::Result;
use crate::file_content::FileContent;
use crate::project::{Project, ProjectPath};
use arki_domain::Permissions;

/// One file or link to put back; `None` is neither. Nothing is read or written through a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restoration {
    pub path: ProjectPath,
    pub wanted: Option<FileContent>,
    /// The content that is there now. Is it another when it comes to writing, nothing at all is written.
    pub expected_now: Option<FileContent>,
    /// The permissions of the wanted content. An existing file keeps its own, narrowed to these.
    pub permissions: Permissions,
}

/// The restorations as one change, to preview or to apply. Leaves out what is expected to be as wanted already, and
/// refuses two restorations of one path.
pub fn plan_restorations(project: &Project, restorations: Vec<Restoration>) -> Result<ChangeSet> {
    let files = restorations.into_iter().map(|restoration| file_change(project, restoration));
    Ok(ChangeSet::new(files.collect())?.over_write_protected().never_through_links())
}

/// Writes all of them or none: folders are made as needed, permissions kept, also those of a file that nobody may write
/// to. A file that is no longer `expected_now` is an error with the code `STALE_PREVIEW`, and nothing is written. Should
/// a later file fail, the earlier ones are put back; where that fails too, the error is
/// [`crate::ChangeError::PartlyApplied`].
pub fn apply_restorations(project: &Project, restorations: Vec<Restoration>) -> Result<Vec<AppliedChange>> {
    plan_restorations(project, restorations)?.apply(project)
}

fn file_change(project: &Project, restoration: Restoration) -> FileChange {
    let Restoration { path, wanted, expected_now, permissions } = restoration;
    let mode = match project.mode(&path) {
        // As it is: it may have to be taken back.
        Some(mode) if wanted.is_none() => mode,
        Some(mode) => permissions.narrow(mode),
        None => permissions.mode(),
    };
    FileChange::of_content(path, expected_now, wanted, Some(mode))
}

#[cfg(test)]
mod tests;

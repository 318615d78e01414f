//! Making a change set real: every file is checked, then every new content is written beside its file, and only
//! then is anything renamed into place. So a full disk or a missing permission shows before the first
//! visible change, and what fails after that is taken back.

use super::{AppliedChange, ChangeSet, FileChange, content_hash};
use crate::atomic_write::{self, Staged};
use crate::error::{ChangeError, Result, StaleKind, StalePreview, WorkspaceError};
use crate::project::Project;
use arki_domain::Code;

impl ChangeSet {
    /// Whether every file on disk is still what `before` says, byte for byte.
    pub fn check_current(&self, project: &Project) -> Result<(), StalePreview> {
        self.files.iter().try_for_each(|change| check_one(project, change))
    }

    /// Checks every file, then writes each atomically. On an error nothing is changed, except with
    /// [`ChangeError::PartlyApplied`], which says what is.
    pub fn apply(&self, project: &Project) -> Result<Vec<AppliedChange>> {
        self.check_current(project)?;
        let mut staged = Vec::with_capacity(self.files.len());
        for change in &self.files {
            staged.push(stage(project, change)?);
        }
        for (done, (change, staged)) in self.files.iter().zip(staged).enumerate() {
            if let Err(cause) = commit(project, change, staged) {
                return Err(take_back(project, &self.files[..done], cause));
            }
        }
        Ok(self.files.iter().map(applied).collect())
    }
}

fn check_one(project: &Project, change: &FileChange) -> Result<(), StalePreview> {
    let stale = |kind| StalePreview { path: change.path.to_string(), kind };
    // One byte more than expected is enough to know; a file that grew to gigabytes is not read.
    let limit = change.before.as_ref().map_or(0, Vec::len) as u64;
    let current = match project.read_if_present(&change.path, limit) {
        Ok(current) => current.map(|file| file.bytes),
        Err(error) => return Err(stale(kind_of(&error, change))),
    };
    match (&change.before, &current) {
        (before, current) if before == current => Ok(()),
        (Some(_), None) => Err(stale(StaleKind::Missing)),
        (None, Some(_)) => Err(stale(StaleKind::Appeared)),
        _ => Err(stale(StaleKind::Changed)),
    }
}

fn kind_of(error: &WorkspaceError, change: &FileChange) -> StaleKind {
    match (error.code(), &change.before) {
        (Code::FILE_TOO_LARGE, Some(_)) => StaleKind::Changed,
        (Code::FILE_TOO_LARGE | Code::FILE_NOT_TEXT, None) => StaleKind::Appeared,
        _ => StaleKind::Unreadable,
    }
}

/// `None` for a deletion.
fn stage(project: &Project, change: &FileChange) -> Result<Option<Staged>> {
    match &change.after {
        Some(bytes) => atomic_write::stage(project, &change.path, bytes, change.mode).map(Some),
        None => Ok(None),
    }
}

/// Looks once more: staging syncs to disk, which is long enough for an editor to save.
fn commit(project: &Project, change: &FileChange, staged: Option<Staged>) -> Result<()> {
    check_one(project, change)?;
    match staged {
        Some(staged) => staged.commit(),
        None => atomic_write::remove(project, &change.path),
    }
}

fn take_back(project: &Project, done: &[FileChange], cause: WorkspaceError) -> WorkspaceError {
    let stuck: Vec<AppliedChange> =
        done.iter().filter(|change| revert(project, change).is_err()).map(applied).collect();
    if stuck.is_empty() {
        return cause;
    }
    ChangeError::PartlyApplied { applied: stuck, cause: Box::new(cause) }.into()
}

fn revert(project: &Project, change: &FileChange) -> Result<()> {
    let reverse = FileChange { before: change.after.clone(), after: change.before.clone(), ..change.clone() };
    check_one(project, &reverse)?;
    let staged = stage(project, &reverse)?;
    commit(project, &reverse, staged)
}

fn applied(change: &FileChange) -> AppliedChange {
    AppliedChange {
        path: change.path.to_string(),
        before_hash: change.before.as_deref().map(content_hash),
        after_hash: change.after.as_deref().map(content_hash),
    }
}

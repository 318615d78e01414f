//! Making a change set real: every file is checked, then every new content is written beside its file, and only
//! then is anything renamed into place. So a full disk or a missing permission shows before the first
//! visible change, and what fails after that is taken back. Only what needs the place of something that is deleted is
//! written after it.

use super::room::{self, Deletions};
use super::{ChangeSet, FileChange, Links, content_hash};
use crate::applied_change::AppliedChange;
use crate::atomic_write::{self, MadeFolders, Staged, Way, WriteProtected};
use crate::error::{ChangeError, FilesError, Result, StaleKind, StalePreview};
use crate::project::Project;
use arki_domain::Code;

impl ChangeSet {
    /// Checks that every file on disk is still what `before` says, byte for byte.
    pub fn check_current(&self, project: &Project) -> Result<(), StalePreview> {
        self.files.iter().try_for_each(|change| check_one(project, change, change.way(self.links)))
    }

    /// Checks every file, then writes each atomically. On an error nothing is changed, except with
    /// [`ChangeError::PartlyApplied`], which says what is.
    pub fn apply(&self, project: &Project) -> Result<Vec<AppliedChange>> {
        let deletions = Deletions::of(&self.files);
        let (waiting, at_once): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|change| deletions.make_room_for(change));
        at_once.iter().try_for_each(|change| check_one(project, change, change.way(self.links)))?;
        let mut staged = Vec::with_capacity(at_once.len());
        for change in &at_once {
            staged.push(stage(project, change, change.way(self.links), self.write_protected)?);
        }
        let mut done = Vec::with_capacity(self.files.len());
        let mut made_folders = MadeFolders::default();
        for (change, staged) in at_once.into_iter().zip(staged) {
            match commit(project, change, change.way(self.links), staged) {
                Ok(made) => made_folders.append(made),
                Err(cause) => return Err(take_back(project, &done, self.links, cause)),
            }
            done.push(change);
        }
        for change in waiting {
            match make(project, change, change.way(self.links), self.write_protected) {
                Ok(made) => made_folders.append(made),
                Err(cause) => return Err(take_back(project, &done, self.links, cause)),
            }
            done.push(change);
        }
        made_folders.keep();
        Ok(self.files.iter().map(applied).collect())
    }
}

fn check_one(project: &Project, change: &FileChange, way: Way) -> Result<(), StalePreview> {
    let stale = |kind| StalePreview { path: change.path.to_string(), kind };
    // One byte more than expected is enough to know; a file that grew to gigabytes is not read.
    let limit = change.before.as_deref().map_or(0, <[u8]>::len) as u64;
    let current = match way.content(project, &change.path, limit) {
        Ok(current) => current,
        Err(error) => return Err(stale(kind_of(&error, change))),
    };
    match (&change.before, &current) {
        (before, current) if before == current => Ok(()),
        (Some(_), None) => Err(stale(StaleKind::Missing)),
        (None, Some(_)) => Err(stale(StaleKind::Appeared)),
        _ => Err(stale(StaleKind::Changed)),
    }
}

fn kind_of(error: &FilesError, change: &FileChange) -> StaleKind {
    match (error.code(), &change.before) {
        (Code::FILE_TOO_LARGE, Some(_)) => StaleKind::Changed,
        (Code::FILE_TOO_LARGE | Code::FILE_NOT_TEXT, None) => StaleKind::Appeared,
        _ => StaleKind::Unreadable,
    }
}

/// `None` for a deletion.
fn stage(project: &Project, change: &FileChange, way: Way, write_protected: WriteProtected) -> Result<Option<Staged>> {
    match &change.after {
        Some(content) => {
            atomic_write::stage(project, &change.path, way, content, change.mode, write_protected).map(Some)
        }
        None => Ok(None),
    }
}

/// Looks once more: staging syncs to disk, which is long enough for an editor to save.
fn commit(project: &Project, change: &FileChange, way: Way, staged: Option<Staged>) -> Result<MadeFolders> {
    check_one(project, change, way)?;
    match staged {
        Some(staged) => staged.commit(),
        None => atomic_write::remove(project, &change.path, way).map(|()| MadeFolders::default()),
    }
}

/// A change alone, once there is room for it.
fn make(project: &Project, change: &FileChange, way: Way, write_protected: WriteProtected) -> Result<MadeFolders> {
    if change.before.is_none() {
        room::clear(project, &change.path);
    }
    check_one(project, change, way)?;
    let staged = stage(project, change, way, write_protected)?;
    commit(project, change, way, staged)
}

/// The last first: what was made may stand where something else was.
fn take_back(project: &Project, done: &[&FileChange], links: Links, cause: FilesError) -> FilesError {
    let mut stuck: Vec<AppliedChange> = done
        .iter()
        .rev()
        .filter(|change| revert(project, change, links).is_err())
        .map(|change| applied(change))
        .collect();
    if stuck.is_empty() {
        return cause;
    }
    stuck.reverse();
    ChangeError::PartlyApplied { applied: stuck, cause: Box::new(cause) }.into()
}

fn revert(project: &Project, change: &FileChange, links: Links) -> Result<()> {
    let reverse = FileChange { before: change.after.clone(), after: change.before.clone(), ..change.clone() };
    make(project, &reverse, reverse.way(links), WriteProtected::Replaced).map(MadeFolders::keep)
}

fn applied(change: &FileChange) -> AppliedChange {
    AppliedChange {
        path: change.path.to_string(),
        before_hash: change.before.as_deref().map(content_hash),
        after_hash: change.after.as_deref().map(content_hash),
    }
}

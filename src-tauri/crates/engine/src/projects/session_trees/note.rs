//! The note on a worktree: a file of its own, written before there is anything to note, and kept when the worktree is
//! gone, so that a session's list can still say what its folder was.

use super::key;
use arki_disk::{FolderLock, create_private_dir, write_private_file};
use arki_domain::{Error, WorktreeOf};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

const ENDING: &str = "json";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorktreeNote {
    /// Canonical, as those of projects and sessions are.
    pub(super) folder: PathBuf,
    pub(super) project: PathBuf,
    pub(super) branch: String,
    /// The commit that it began at.
    pub(super) base: String,
    /// The last commit that was brought back.
    pub(super) brought: Option<String>,
    /// Milliseconds since 1970.
    pub(super) created_at: i64,
    pub(super) is_made: bool,
    pub(super) is_removed: bool,
}

impl WorktreeNote {
    /// `None` where there is none, or it can't be read.
    pub(super) fn read(notes: &Path, folder: &Path) -> Option<Self> {
        let note: Self = serde_json::from_slice(&fs::read(file(notes, folder)).ok()?).ok()?;
        (note.folder == folder).then_some(note)
    }

    pub(super) fn all(notes: &Path) -> Vec<Self> {
        let files = fs::read_dir(notes).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|it| it == ENDING));
        files.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect()
    }

    /// Held while it is made; `None` where another process makes it. It goes with its process, and its folder with
    /// [`Self::made`].
    pub(super) fn making(notes: &Path, folder: &Path) -> Option<FolderLock> {
        let place = making(notes, folder);
        create_private_dir(&place).ok()?;
        FolderLock::try_take(&place)
    }

    pub(super) fn made(notes: &Path, folder: &Path, making_lock: FolderLock) {
        if let Err(error) = arki_disk::remove_private_dir(&making(notes, folder)) {
            tracing::debug!(%error, "the mark of a worktree's making stays");
        }
        drop(making_lock);
    }

    pub(super) fn of(self) -> WorktreeOf {
        WorktreeOf { project: self.project.display().to_string(), branch: self.branch }
    }

    pub(super) fn write(&self, notes: &Path) -> Result<(), Error> {
        let bytes = serde_json::to_vec(self).map_err(Error::internal)?;
        Ok(write_private_file(&file(notes, &self.folder), &bytes)?)
    }

    pub(super) fn forget(&self, notes: &Path) -> Result<(), Error> {
        Ok(arki_disk::remove_private_file(&file(notes, &self.folder))?)
    }
}

fn making(notes: &Path, folder: &Path) -> PathBuf {
    notes.join(format!("{}.making", key(folder)))
}

fn file(notes: &Path, folder: &Path) -> PathBuf {
    notes.join(format!("{}.{ENDING}", key(folder)))
}

//! The note on a worktree: a file of its own, written before there is anything to note, and kept when the worktree is
//! gone, so that a session's list can still say what its folder was.

use crate::notes::Note;
use arki_domain::{WorktreeOf, sha256_hex};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

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
    pub(super) fn of(self) -> WorktreeOf {
        WorktreeOf { project: self.project.display().to_string(), branch: self.branch }
    }
}

impl Note for WorktreeNote {
    fn name(&self) -> String {
        key(&self.folder)
    }
}

/// The beginning of a hash of the folder: enough to tell worktrees apart.
pub(super) fn key(folder: &Path) -> String {
    const CHARS: usize = 32;
    sha256_hex(folder.as_os_str().as_encoded_bytes())[..CHARS].to_owned()
}

//! stub
use crate::error::{Result, StalePreview};
use crate::project::{Project, ProjectPath};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One file before and after; `None` where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: ProjectPath,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    /// Unix permission bits for a new file; an existing one keeps its own.
    pub mode: Option<u32>,
}

/// A change that was computed and not yet made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeSet {
    files: Vec<FileChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// Counted from 1 across all files, in diff order.
    pub index: usize,
    pub path: String,
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    pub files_affected: Vec<String>,
    /// Added and removed lines.
    pub lines_changed: usize,
    pub diff: String,
    pub hunks: Vec<Hunk>,
    pub preview_hash: String,
}

/// What the user kept of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HunkSelection {
    pub accepted: BTreeSet<usize>,
    /// Accepted with another new side: the whole of it, context lines included.
    pub edited: BTreeMap<usize, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedChange {
    pub path: String,
    /// SHA-256 hex of the raw bytes; `None` where there is no file.
    pub before_hash: Option<String>,
    pub after_hash: Option<String>,
}

impl ChangeSet {
    /// Refuses two changes to one path; drops files that don't change.
    pub fn new(_files: Vec<FileChange>) -> Result<Self> {
        todo!()
    }
    pub fn files(&self) -> &[FileChange] {
        &self.files
    }
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
    pub fn preview(&self) -> Preview {
        todo!()
    }
    /// Keeps only what was accepted.
    pub fn select(&self, _selection: &HunkSelection) -> Result<Self> {
        todo!()
    }
    /// Whether every file on disk is still what `before` says.
    pub fn check_current(&self, _project: &Project) -> Result<(), StalePreview> {
        todo!()
    }
    /// Checks every file, then writes.
    pub fn apply(&self, _project: &Project) -> Result<Vec<AppliedChange>> {
        todo!()
    }
}

//! The work of an update: the files that a walk found, beside those that the index knows, within an index's bounds.

use crate::state::IndexState;
use arki_files::{FileStamp, IndexableFile, IndexableFiles};
use std::collections::HashMap;
use std::time::Duration;

/// The bounds of an index.
#[derive(Debug, Clone, Copy)]
pub struct IndexLimits {
    pub max_files: usize,
    /// Larger files are left out, in bytes.
    pub max_file_bytes: u64,
    /// All files that are indexed together, in bytes.
    pub max_total_bytes: u64,
    /// A question is answered after this time, with what is indexed so far.
    pub patience: Duration,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self {
            max_files: 200_000,
            max_file_bytes: 1 << 20,
            max_total_bytes: 1 << 30,
            patience: Duration::from_secs(10),
        }
    }
}

/// A file as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub(crate) id: i64,
    pub(crate) stamp: FileStamp,
    /// Its stamp proved nothing when it was read.
    pub(crate) is_fresh: bool,
    /// SHA-256 hex of what was indexed; `None` of what was left out.
    pub(crate) hash: Option<String>,
}

/// A file that is new or changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileToRead {
    pub(crate) file: IndexableFile,
    pub(crate) known: Option<KnownFile>,
}

#[derive(Debug, Default)]
pub(crate) struct UpdatePlan {
    pub(crate) changed: Vec<FileToRead>,
    /// New or changed too, but not to be read.
    pub(crate) too_large: Vec<FileToRead>,
    /// The ids of files that are gone, or left out now.
    pub(crate) removed: Vec<i64>,
    state: IndexState,
}

impl UpdatePlan {
    pub(crate) fn new(mut known: HashMap<String, KnownFile>, found: IndexableFiles, limits: &IndexLimits) -> Self {
        let state = IndexState { secrets: found.secrets as u64, is_cut: found.is_cut, ..IndexState::default() };
        let mut plan = Self { state, ..Self::default() };
        let mut total = 0;
        for file in found.files {
            let is_too_large = file.stamp.size > limits.max_file_bytes;
            if !is_too_large {
                total += file.stamp.size;
            }
            // Those after it may be smaller, but then which files there are would depend on one byte.
            if total > limits.max_total_bytes {
                plan.state.over_limit += 1;
                continue;
            }
            let known = known.remove(file.path.as_str());
            if known.as_ref().is_some_and(|known| known.stamp == file.stamp && !known.is_fresh) {
                continue;
            }
            let changed = FileToRead { file, known };
            if is_too_large { plan.too_large.push(changed) } else { plan.changed.push(changed) }
        }
        plan.removed = known.into_values().map(|known| known.id).collect();
        plan
    }

    /// The index's state once so many of the changed files are written.
    pub(crate) fn state(&self, written: usize) -> IndexState {
        IndexState { pending: self.changed.len().saturating_sub(written) as u64, ..self.state }
    }
}

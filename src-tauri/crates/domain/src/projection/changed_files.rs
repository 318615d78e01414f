//! The files that a session changed, and how often: the window lists them without reading the whole log.
//!
//! Bounded, so it cannot say what a file was at any moment; going back asks [`super::FilesAt`], which folds the events
//! themselves.

use crate::{Event, EventBody, Permissions, RestoreAction, RestoredFile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Paths that are kept; beyond it those go whose last change is the longest ago.
pub const MAX_CHANGED_FILES: usize = 10_000;
/// Many at once, so that each further path does not search for the oldest again.
const FORGOTTEN_AT_ONCE: usize = 1_000;

/// A changed file; hashes are SHA-256 hex of the raw bytes, `None` where there is no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The hash before the first change.
    pub first_before_hash: Option<String>,
    /// The hash after the last change, or as a rewind found it.
    pub last_after_hash: Option<String>,
    /// The number of writes and deletions, going back included.
    pub changes: u64,
    /// The event of the last change.
    pub last_seq: u64,
}

/// A fold over a session's events; for a fork over its origins' first, whose changes it does not count as its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFiles {
    files: BTreeMap<String, ChangedFile>,
    is_incomplete: bool,
}

impl ChangedFiles {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        if let EventBody::SessionForked(_) = body {
            *self = Self::default();
        }
        for change in file_states(body) {
            self.note(event.seq, &change);
        }
        if self.files.len() > MAX_CHANGED_FILES {
            self.forget_the_oldest();
        }
    }

    /// The changed files by path, relative to the project.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, ChangedFile> {
        &self.files
    }

    /// Returns whether more than [`MAX_CHANGED_FILES`] were changed, so that some are not listed.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    fn note(&mut self, seq: u64, change: &ReportedFile<'_>) {
        let after_hash = change.after_hash.cloned();
        match self.files.get_mut(change.path) {
            Some(file) => {
                file.last_after_hash = after_hash;
                if change.is_change {
                    file.changes += 1;
                    file.last_seq = seq;
                }
            }
            None if change.is_change => {
                let file = ChangedFile {
                    first_before_hash: change.before_hash.cloned(),
                    last_after_hash: after_hash,
                    changes: 1,
                    last_seq: seq,
                };
                self.files.insert(change.path.to_owned(), file);
            }
            None => {}
        }
    }

    fn forget_the_oldest(&mut self) {
        let mut by_age: Vec<(u64, String)> =
            self.files.iter().map(|(path, file)| (file.last_seq, path.clone())).collect();
        let excess = by_age.len() - MAX_CHANGED_FILES;
        let forgotten = (excess + FORGOTTEN_AT_ONCE).min(by_age.len());
        by_age.sort_unstable();
        for (_, path) in by_age.drain(..forgotten) {
            self.files.remove(&path);
        }
        self.is_incomplete = true;
    }
}

/// The state of one file that an event reports.
pub(super) struct ReportedFile<'a> {
    pub(super) path: &'a str,
    pub(super) before_hash: Option<&'a String>,
    pub(super) after_hash: Option<&'a String>,
    /// There was a file, but its content was not kept.
    pub(super) before_unknown: bool,
    pub(super) after_unknown: bool,
    pub(super) before_permissions: Permissions,
    pub(super) before_link: bool,
    pub(super) after_link: bool,
    /// True if it was written or deleted; false if it was only found to be as it should.
    pub(super) is_change: bool,
}

/// The kinds of events that tell of files.
pub(super) const FILE_KINDS: &[&str] = &["session.forked", "session.rewound", "file.changed", "change.taken_back"];

pub(super) fn file_states(body: &EventBody) -> Vec<ReportedFile<'_>> {
    match body {
        EventBody::FileChanged(changed) => vec![ReportedFile {
            path: &changed.path,
            before_hash: changed.before_hash.as_ref(),
            after_hash: changed.after_hash.as_ref(),
            before_unknown: changed.before_unknown,
            after_unknown: changed.after_unknown,
            before_permissions: changed.before_permissions,
            before_link: changed.before_link,
            after_link: changed.after_link,
            is_change: true,
        }],
        EventBody::SessionRewound(rewound) => rewound.changes.iter().filter_map(restored).collect(),
        EventBody::ChangeTakenBack(taken_back) => taken_back.changes.iter().filter_map(restored).collect(),
        _ => Vec::new(),
    }
}

fn restored(file: &RestoredFile) -> Option<ReportedFile<'_>> {
    let is_change = match file.action {
        RestoreAction::Restore | RestoreAction::Delete => true,
        RestoreAction::Keep => false,
        // The file holds the user's edits: they are not ours, and must not be taken for ours the next time.
        RestoreAction::Conflict => return None,
    };
    let (before_hash, after_hash) = (file.before_hash.as_ref(), file.after_hash.as_ref());
    Some(ReportedFile {
        path: &file.path,
        before_hash,
        after_hash,
        before_unknown: false,
        after_unknown: false,
        before_permissions: file.before_permissions,
        before_link: file.before_link,
        after_link: file.after_link,
        is_change,
    })
}

#[cfg(test)]
mod tests;

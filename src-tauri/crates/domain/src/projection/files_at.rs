//! The state of a session's files right after one of its events: going back is planned from it.
//!
//! Exact, and therefore not part of the bounded overview: it folds the events after that moment, and keeps some hashes a
//! path. Whether a file on the disk may be put back (the user may have edited it since) is not decided here.

mod replayed;

pub use replayed::{ReplayedFile, replayed_files};

use super::changed_files::{FILE_KINDS, ReportedFile, file_states};
use crate::{Event, EventBody, Permissions};
use std::collections::BTreeMap;

/// A file that was changed after the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedFile {
    /// Relative to the project.
    pub path: String,
    /// The state before the first change after the moment.
    pub wanted: FileAt,
    /// The last state in the log. The disk may say otherwise.
    pub last_known: FileAt,
    /// The permissions that it had then, for creating it again if it is gone.
    pub wanted_permissions: Permissions,
    /// The changes from the first to the last; between two of them somebody else changed the file.
    pub steps: Vec<FileStep>,
}

/// Changes of the session's, each of what the one before had left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStep {
    pub before: FileAt,
    pub after: FileAt,
}

/// The content at a path; hashes are SHA-256 hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAt {
    Nothing,
    /// A file, by the hash of its raw bytes.
    File(String),
    /// A symbolic link; of where it leads, as its text says it.
    Link(String),
    /// A file whose content nobody knows.
    Unknown,
}

impl FileAt {
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        match self {
            Self::File(hash) | Self::Link(hash) => Some(hash),
            Self::Nothing | Self::Unknown => None,
        }
    }

    fn before(state: &ReportedFile<'_>) -> Self {
        Self::of(state.before_hash, state.before_link, state.before_unknown)
    }

    fn after(state: &ReportedFile<'_>) -> Self {
        Self::of(state.after_hash, state.after_link, state.after_unknown)
    }

    fn of(hash: Option<&String>, is_link: bool, is_unknown: bool) -> Self {
        match hash {
            _ if is_unknown => Self::Unknown,
            None => Self::Nothing,
            Some(hash) if is_link => Self::Link(hash.clone()),
            Some(hash) => Self::File(hash.clone()),
        }
    }
}

/// A fold over a session's events, oldest first; events up to the moment may be left out. Events of a fork's origins are
/// ignored when `session.forked` follows them: what the origin did is not the fork's to take back.
#[derive(Debug, Clone)]
pub struct FilesAt {
    to_seq: u64,
    files: BTreeMap<String, WantedFile>,
}

impl FilesAt {
    /// Right after event `to_seq`; 0 is before the first.
    #[must_use]
    pub fn new(to_seq: u64) -> Self {
        Self { to_seq, files: BTreeMap::new() }
    }

    #[must_use]
    pub fn fold<'a>(to_seq: u64, events: impl IntoIterator<Item = &'a Event>) -> Vec<WantedFile> {
        let mut files = Self::new(to_seq);
        events.into_iter().for_each(|event| files.apply(event));
        files.wanted()
    }

    pub fn apply(&mut self, event: &Event) {
        if event.seq <= self.to_seq && event.kind != "session.forked" {
            return;
        }
        // Most events do not tell of files, and some are large: they are not even read.
        if !FILE_KINDS.contains(&event.kind.as_str()) {
            return;
        }
        let body = event.body();
        if let EventBody::SessionForked(_) = body {
            self.files.clear();
        }
        for state in file_states(&body) {
            match self.files.get_mut(state.path) {
                Some(file) => {
                    if state.is_change {
                        file.go_on(&state);
                    }
                    file.last_known = FileAt::after(&state);
                }
                None if state.is_change => {
                    let file = WantedFile {
                        path: state.path.to_owned(),
                        wanted: FileAt::before(&state),
                        last_known: FileAt::after(&state),
                        wanted_permissions: state.before_permissions,
                        steps: vec![FileStep::of(&state)],
                    };
                    self.files.insert(state.path.to_owned(), file);
                }
                None => {}
            }
        }
    }

    /// Returns the wanted files by path. Files that were not changed after the moment are not listed: they are as they
    /// were. Files that were changed and changed back are listed with twice the same state.
    #[must_use]
    pub fn wanted(self) -> Vec<WantedFile> {
        self.files.into_values().collect()
    }
}

impl WantedFile {
    fn go_on(&mut self, state: &ReportedFile<'_>) {
        // Tools keep permissions and say nothing of them; so what is told of the file later was so at first as well.
        if self.wanted_permissions.are_ordinary() {
            self.wanted_permissions = state.before_permissions;
        }
        let FileStep { before, after } = FileStep::of(state);
        // Where a content is not known, nobody can tell that somebody else changed it.
        let follows = |last: &FileStep| [&last.after, &before].contains(&&FileAt::Unknown) || last.after == before;
        match self.steps.last_mut().filter(|last| follows(last)) {
            Some(last) => last.after = after,
            None => self.steps.push(FileStep { before, after }),
        }
    }
}

impl FileStep {
    fn of(state: &ReportedFile<'_>) -> Self {
        Self { before: FileAt::before(state), after: FileAt::after(state) }
    }
}

#[cfg(test)]
mod tests;

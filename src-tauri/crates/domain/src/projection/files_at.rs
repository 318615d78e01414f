//! What a session's files were right after one of its events: what going back is planned from.
//!
//! Exact, and therefore not part of the bounded overview: it folds the events after that moment, and keeps two hashes a
//! path. Whether a file on the disk may be put back (the user may have edited it since) is not decided here.

use super::changed_files::{FILE_KINDS, FileState, file_states};
use crate::{Event, EventBody, Permissions};
use std::collections::BTreeMap;

/// A file that was changed after the moment; hashes are SHA-256 hex of the raw bytes, `None` where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedFile {
    /// Relative to the project.
    pub path: String,
    /// What it was: the state before the first change after the moment.
    pub wanted_hash: Option<String>,
    /// What the log last knows of it. The disk may say otherwise.
    pub last_known_hash: Option<String>,
    /// There was a file then, but nobody knows what it contained.
    pub wanted_unknown: bool,
    pub last_known_unknown: bool,
    /// Those that it had then: for making it again where it is gone.
    pub wanted_permissions: Permissions,
    /// From the first to the last; between two of them somebody else changed the file.
    pub steps: Vec<FileStep>,
}

/// Changes of the session's, each of what the one before had left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStep {
    pub before_hash: Option<String>,
    pub after_hash: Option<String>,
    pub after_unknown: bool,
}

/// A fold over a session's events, oldest first; events up to the moment may be left out. Events of a fork's origins are
/// ignored when `session.forked` follows them: what the origin did is not the fork's to take back.
#[derive(Debug, Clone)]
pub struct FilesAt {
    to_seq: u64,
    files: BTreeMap<String, Hashes>,
}

#[derive(Debug, Clone)]
struct Hashes {
    wanted: Option<String>,
    last_known: Option<String>,
    wanted_unknown: bool,
    last_known_unknown: bool,
    wanted_permissions: Permissions,
    steps: Vec<FileStep>,
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
                Some(hashes) => {
                    if state.is_change {
                        hashes.go_on(&state);
                    }
                    hashes.last_known = state.after_hash.cloned();
                    hashes.last_known_unknown = state.after_unknown;
                }
                None if state.is_change => {
                    let hashes = Hashes {
                        wanted: state.before_hash.cloned(),
                        last_known: state.after_hash.cloned(),
                        wanted_unknown: state.before_unknown,
                        last_known_unknown: state.after_unknown,
                        wanted_permissions: state.before_permissions,
                        steps: vec![FileStep::of(&state)],
                    };
                    self.files.insert(state.path.to_owned(), hashes);
                }
                None => {}
            }
        }
    }

    /// By path. Files that were not changed after the moment are not listed: they are as they were. Files that were
    /// changed and changed back are listed with twice the same hash.
    #[must_use]
    pub fn wanted(self) -> Vec<WantedFile> {
        let file = |(path, hashes): (String, Hashes)| WantedFile {
            path,
            wanted_hash: hashes.wanted,
            last_known_hash: hashes.last_known,
            wanted_unknown: hashes.wanted_unknown,
            last_known_unknown: hashes.last_known_unknown,
            wanted_permissions: hashes.wanted_permissions,
            steps: hashes.steps,
        };
        self.files.into_iter().map(file).collect()
    }
}

impl Hashes {
    fn go_on(&mut self, state: &FileState<'_>) {
        // Tools keep permissions and say nothing of them; so what is told of the file later was so at first as well.
        if self.wanted_permissions.are_ordinary() {
            self.wanted_permissions = state.before_permissions;
        }
        // Where a content is not known, nobody can tell that somebody else changed it.
        let follows = |last: &FileStep| {
            last.after_unknown || state.before_unknown || last.after_hash.as_ref() == state.before_hash
        };
        match self.steps.last_mut().filter(|last| follows(last)) {
            Some(last) => {
                last.after_hash = state.after_hash.cloned();
                last.after_unknown = state.after_unknown;
            }
            None => self.steps.push(FileStep::of(state)),
        }
    }
}

impl FileStep {
    fn of(state: &FileState<'_>) -> Self {
        Self {
            before_hash: state.before_hash.cloned(),
            after_hash: state.after_hash.cloned(),
            after_unknown: state.after_unknown,
        }
    }
}

#[cfg(test)]
mod tests;

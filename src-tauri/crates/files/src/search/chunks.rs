//! A walk cut into chunks of files, which several threads search and one takes in the order of the walk.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, TrySendError, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use globset::GlobSet;

use super::SearchHit;
use crate::project::{Project, ProjectPath};
use crate::protection::is_secret;
use crate::walk::{Ignored, PathGlob, Skipped, Walk, path_of, walk};
use arki_disk::EntryKind;

const CHUNK_FILES: usize = 64;
/// Chunks that wait for each helper, so that the walk may rest without them resting too.
const QUEUED_EACH: usize = 2;

/// Files that follow one another in a walk.
pub(super) struct Chunk {
    files: Vec<ProjectPath>,
    /// Secret files between them.
    secrets: Skipped,
    /// The ignored entries between them.
    ignored: Skipped,
}

pub(super) struct Searched {
    /// The results of the chunk, file by file.
    pub(super) hits: Vec<Vec<SearchHit>>,
    pub(super) secrets: Skipped,
    pub(super) ignored: Skipped,
}

impl Searched {
    pub(super) fn matches(&self) -> usize {
        self.hits.iter().flatten().filter(|hit| hit.is_match).count()
    }
}

impl Chunk {
    /// `find` answers nothing for what turns out to be a secret file.
    pub(super) fn search(self, mut find: impl FnMut(&ProjectPath) -> Option<Vec<SearchHit>>) -> Searched {
        let Self { files, mut secrets, ignored } = self;
        let mut hits = Vec::with_capacity(files.len());
        for path in &files {
            match find(path) {
                Some(found) => hits.push(found),
                None => secrets.add(path),
            }
        }
        Searched { hits, secrets, ignored }
    }
}

/// The files to search, a chunk at a time.
pub(super) struct Chunks<'a> {
    project: &'a Project,
    walk: Walk,
    glob: Option<&'a PathGlob>,
    secrets: &'a GlobSet,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(
        project: &'a Project,
        glob: Option<&'a PathGlob>,
        secrets: &'a GlobSet,
        ignored: Ignored,
    ) -> Self {
        Self { project, walk: walk(project, &ProjectPath::root(), None).with_ignored(ignored), glob, secrets }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        let (secrets, ignored) = (Skipped::default(), Skipped::default());
        let mut chunk = Chunk { files: Vec::with_capacity(CHUNK_FILES), secrets, ignored };
        while chunk.files.len() < CHUNK_FILES {
            let Some(entry) = self.walk.next() else { break };
            let Ok(entry) = entry else { continue };
            let Some(path) = path_of(self.project, &entry) else { continue };
            if entry.is_left_out {
                if self.glob.is_none_or(|glob| glob.may_match(&path, entry.kind)) {
                    chunk.ignored.add_entry(&path, entry.kind);
                }
            } else if entry.kind != EntryKind::File || self.glob.is_some_and(|glob| !glob.is_match(&path)) {
            } else if is_secret(&path, self.secrets) {
                chunk.secrets.add(&path);
            } else {
                chunk.files.push(path);
            }
        }
        (!chunk.files.is_empty() || chunk.secrets.count + chunk.ignored.count > 0).then_some(chunk)
    }
}

/// Searches the chunks with so many helpers and the caller's own thread, and gives `take` what was found in the order of
/// the chunks, until it answers `false`.
pub(super) fn in_order<T: Send, R: Send>(
    chunks: impl Iterator<Item = T>,
    helpers: usize,
    search: &(impl Fn(T) -> R + Sync),
    take: impl FnMut(R) -> bool,
) {
    let (offers, offered) = sync_channel::<(usize, T)>(helpers * QUEUED_EACH);
    let (done, finished) = channel();
    let offered = &Mutex::new(offered);
    let mut sorted = Sorted { early: BTreeMap::new(), next: 0, take, is_over: false };
    thread::scope(move |scope| {
        for _ in 0..helpers {
            let done = done.clone();
            scope.spawn(move || {
                while let Some((number, chunk)) = next_of(offered)
                    && done.send((number, search(chunk))).is_ok()
                {}
            });
        }
        drop(done);
        for (number, chunk) in chunks.enumerate() {
            // Whoever finds everybody at work does it himself.
            if let Err(TrySendError::Full((_, chunk)) | TrySendError::Disconnected((_, chunk))) =
                offers.try_send((number, chunk))
            {
                sorted.add(number, search(chunk));
            }
            finished.try_iter().for_each(|(number, found)| sorted.add(number, found));
            if sorted.is_over {
                break;
            }
        }
        drop(offers);
        // Until the last helper has gone.
        finished.iter().for_each(|(number, found)| sorted.add(number, found));
    });
}

fn next_of<T>(offered: &Mutex<Receiver<T>>) -> Option<T> {
    offered.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Sorts hits: one that was found before something that comes earlier is kept until then.
struct Sorted<R, Take> {
    early: BTreeMap<usize, R>,
    next: usize,
    take: Take,
    is_over: bool,
}

impl<R, Take: FnMut(R) -> bool> Sorted<R, Take> {
    fn add(&mut self, number: usize, found: R) {
        self.early.insert(number, found);
        while !self.is_over
            && let Some(found) = self.early.remove(&self.next)
        {
            self.next += 1;
            self.is_over = !(self.take)(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_taken_once_and_in_order_however_long_each_takes() {
        for helpers in 0..4 {
            let slow = |number: usize| (0..(number % 7) * 1000).fold(number, |sum, step| sum ^ step ^ step);
            let mut taken = Vec::new();
            in_order(0..500, helpers, &slow, |number| {
                taken.push(number);
                true
            });
            assert_eq!(taken, (0..500).collect::<Vec<_>>(), "{helpers}");
        }
    }

    #[test]
    fn nothing_is_taken_after_there_is_enough() {
        for helpers in 0..4 {
            let mut taken = Vec::new();
            in_order(0.., helpers, &|number| number, |number| {
                taken.push(number);
                number < 10
            });
            assert_eq!(taken, (0..=10).collect::<Vec<_>>(), "{helpers}");
        }
    }
}

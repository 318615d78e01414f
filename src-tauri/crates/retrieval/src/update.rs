//! Bringing an index up to date: a walk tells which files changed, only these are read, and their chunks replaced.
//!
//! Files are read, redacted and split by several threads, and written by one, a batch at a time: whoever asks meanwhile
//! finds what is committed, and a crash loses a batch. All of it happens on a thread of its own, for which others wait.

use crate::chunks::IndexedText;
use crate::content::IndexableContent;
use crate::database;
use crate::error::{Result, RetrievalError};
use crate::plan::{FileToRead, IndexLimits, UpdatePlan};
use crate::rows::{known_files, put_file, put_text, remove_file, touch_file};
use crate::state::FileKind;
use arki_disk::FolderLock;
use arki_domain::Error;
use arki_files::{CancellationToken, Project, content_hash, indexable_files, read_indexable};
use arki_redaction::Redactor;
use globset::GlobSet;
use rusqlite::{Connection, Transaction};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// More threads don't help: one writes.
const MAX_READERS: usize = 3;
/// Files that are read and wait to be written.
const MAX_WAITING: usize = 32;
/// Whoever asks meanwhile finds what was read before that.
const BATCH_TIME: Duration = Duration::from_millis(250);

/// An update of one index, as it is handed to a thread.
pub(crate) struct Update {
    /// The index's own folder.
    pub(crate) folder: PathBuf,
    pub(crate) project: Arc<Project>,
    pub(crate) left_out: GlobSet,
    pub(crate) redactor: Redactor,
    pub(crate) limits: IndexLimits,
    pub(crate) stop: CancellationToken,
}

/// A changed file, as it was read.
enum ReadFile {
    /// Its content is that of before.
    Same,
    LeftOut(FileKind),
    Text {
        hash: String,
        text: IndexedText,
    },
    /// It changed meanwhile or can't be read: the next update sees to it.
    NotRead,
}

impl Update {
    /// Waits for other processes, which may be at the same. Blocking.
    pub(crate) fn run(&self) -> Result<()> {
        database::note_folder(&self.folder, self.project.root())?;
        let _lock = FolderLock::take(&self.folder)?;
        match self.bring_up_to_date() {
            Err(error) if error.is_damage() => {
                tracing::info!(%error, "the search index is made anew");
                database::remove(&self.folder);
                self.bring_up_to_date()
            }
            done => done,
        }
    }

    fn bring_up_to_date(&self) -> Result<()> {
        let mut connection = database::open(&self.folder)?;
        let found = indexable_files(&self.project, &self.left_out, self.limits.max_files, &self.stop)?;
        let plan = UpdatePlan::new(known_files(&connection)?, found, &self.limits);
        let begin = connection.transaction()?;
        plan.removed.iter().try_for_each(|id| remove_file(&begin, *id))?;
        plan.too_large.iter().try_for_each(|file| put_file(&begin, file, FileKind::TooLarge, None).map(drop))?;
        plan.state(0).write(&begin)?;
        begin.commit()?;
        if plan.changed.is_empty() {
            return Ok(());
        }
        self.read_changed(&mut connection, &plan)
    }

    fn read_changed(&self, connection: &mut Connection, plan: &UpdatePlan) -> Result<()> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let readers = thread::available_parallelism().map_or(1, |count| count.get().min(MAX_READERS));
        thread::scope(|scope| {
            for _ in 0..readers {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || self.read_files(&plan.changed, next, &sender));
            }
            drop(sender);
            // It owns the receiver: where it fails, the readers end too.
            self.write_files(connection, plan, receiver)
        })
    }

    fn read_files<'a>(
        &self,
        changed: &'a [FileToRead],
        next: &AtomicUsize,
        read: &SyncSender<(&'a FileToRead, ReadFile)>,
    ) {
        while let Some(file) = changed.get(next.fetch_add(1, Ordering::Relaxed)) {
            if self.stop.is_cancelled() || read.send((file, self.read(file))).is_err() {
                return;
            }
        }
    }

    fn read(&self, changed: &FileToRead) -> ReadFile {
        let file = &changed.file;
        let read = read_indexable(&self.project, &file.path, &file.stamp, self.limits.max_file_bytes);
        let Ok(Some(bytes)) = read else { return ReadFile::NotRead };
        let hash = content_hash(&bytes);
        if changed.known.as_ref().is_some_and(|known| known.hash.as_ref() == Some(&hash)) {
            return ReadFile::Same;
        }
        match IndexableContent::of(file.path.as_str(), &bytes) {
            IndexableContent::Binary => ReadFile::LeftOut(FileKind::Binary),
            IndexableContent::Generated => ReadFile::LeftOut(FileKind::Generated),
            IndexableContent::Text(text) => {
                let redacted = self.redactor.redact_in_lines(&text);
                ReadFile::Text { hash, text: IndexedText::read(redacted.as_deref().unwrap_or(&text)) }
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "dropped here, it ends the readers")]
    fn write_files(
        &self,
        connection: &mut Connection,
        plan: &UpdatePlan,
        read: Receiver<(&FileToRead, ReadFile)>,
    ) -> Result<()> {
        let mut done = 0;
        while let Ok(first) = read.recv() {
            let batch = connection.transaction()?;
            let until = Instant::now() + BATCH_TIME;
            let in_time =
                std::iter::from_fn(|| read.recv_timeout(until.saturating_duration_since(Instant::now())).ok());
            for (file, found) in std::iter::once(first).chain(in_time) {
                write_file(&batch, file, &found)?;
                done += 1;
            }
            plan.state(done).write(&batch)?;
            batch.commit()?;
            if self.stop.is_cancelled() {
                return Err(RetrievalError::Cancelled);
            }
        }
        Ok(())
    }
}

fn write_file(batch: &Transaction<'_>, changed: &FileToRead, read: &ReadFile) -> Result<()> {
    match read {
        ReadFile::Same => touch_file(batch, changed),
        ReadFile::LeftOut(kind) => put_file(batch, changed, *kind, None).map(drop),
        ReadFile::Text { hash, text } => put_text(batch, changed, hash, text),
        ReadFile::NotRead => Ok(()),
    }
}

/// Whoever waits looks so often whether he is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// The end of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waited {
    UpToDate,
    OutOfTime,
    Cancelled,
    Failed(Error),
}

pub(crate) struct UpdateThread {
    ended: Mutex<Option<Result<(), Error>>>,
    signal: Condvar,
    stop: CancellationToken,
}

impl UpdateThread {
    /// Begins an update; `afterwards` runs once it has ended.
    pub(crate) fn start(update: Update, afterwards: impl FnOnce() + Send + 'static) -> Arc<Self> {
        let stop = update.stop.clone();
        let this = Arc::new(Self { ended: Mutex::default(), signal: Condvar::new(), stop });
        let (thread, updating) = (this.clone(), move || update.run().map_err(Error::from));
        let started = thread::Builder::new().name("search-index".to_owned()).spawn(move || {
            // Also where it stops hard, nobody waits for ever.
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(updating));
            thread.end(ended.unwrap_or_else(|_| Err(Error::internal("the update of the search index stopped"))));
            afterwards();
        });
        if let Err(error) = started {
            this.end(Err(Error::internal(error)));
        }
        this
    }

    fn end(&self, result: Result<(), Error>) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.signal.notify_all();
    }

    pub(crate) fn is_at_work(&self) -> bool {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    pub(crate) fn wait(&self, until: Instant, cancel: &CancellationToken) -> Waited {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*ended {
                Some(Ok(())) => return Waited::UpToDate,
                Some(Err(error)) => return Waited::Failed(error.clone()),
                None if cancel.is_cancelled() => return Waited::Cancelled,
                None if Instant::now() >= until => return Waited::OutOfTime,
                None => ended = self.signal.wait_timeout(ended, LOOK).unwrap_or_else(PoisonError::into_inner).0,
            }
        }
    }
}

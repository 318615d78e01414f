//! The one thread that writes, and how waiting writes share a transaction.
//!
//! A write (`write`) is a closure over the connection (`writing_connection`). Whatever waits when the thread is free goes into one
//! transaction and, where that waits for the disk, what comes while it is at work (`group`); nobody is answered before
//! the commit. A large append that finds nobody before it is sealed while the thread stores its beginning (`append::relay`). A
//! small one, where the disk need not be waited for, is done by the caller itself: the connection is behind a lock, and
//! still only one writes.

pub(crate) mod group;
pub(crate) mod write;
pub(crate) mod writing_connection;

use crate::StoreError;
use crate::chain::heads::Heads;
use group::WaitingJobs;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::Semaphore;
use write::{Durability, Pending, Work, Write, WriteAnswer, WriteIsolation, WriterJob};
use writing_connection::WritingConnection;

/// Writes that may wait; whoever comes later waits for a place.
pub const MAX_QUEUED_WRITES: usize = 1024;

/// The state shared by the thread and its callers.
struct SharedWriter {
    /// `None` once it is closed; poisoned when a write panicked, and then nothing more is written.
    connection: Mutex<Option<WritingConnection>>,
    /// The last transaction of the thread had several writes. Whoever then wrote alone, before the others are back,
    /// would have a commit of its own and hold theirs up.
    has_neighbours: AtomicBool,
}

pub(crate) struct Writer {
    queue: WriteQueue,
    thread: JoinHandle<Result<(), StoreError>>,
}

/// The end of the queue that callers hold on to while they wait.
#[derive(Clone)]
pub(crate) struct WriteQueue {
    jobs: Sender<WriterJob>,
    places: Arc<Semaphore>,
    shared: Arc<SharedWriter>,
}

impl Writer {
    pub(crate) fn start(connection: Connection, path: PathBuf) -> Result<Self, StoreError> {
        let (sender, jobs) = channel();
        let connection = Mutex::new(Some(WritingConnection::new(connection, path)?));
        let shared = Arc::new(SharedWriter { connection, has_neighbours: AtomicBool::new(false) });
        let (of_thread, waiting) = (shared.clone(), WaitingJobs::new(jobs));
        let thread =
            std::thread::Builder::new().name("arki-store".to_owned()).spawn(move || run(&of_thread, waiting))?;
        let places = Arc::new(Semaphore::new(MAX_QUEUED_WRITES));
        Ok(Self { queue: WriteQueue { jobs: sender, places, shared }, thread })
    }

    pub(crate) fn queue(&self) -> WriteQueue {
        self.queue.clone()
    }

    /// Writes what waits, then closes the database.
    pub(crate) fn close(self) -> Result<(), StoreError> {
        self.queue.places.close();
        // When the thread is gone there is nobody to tell.
        let _ = self.queue.jobs.send(WriterJob::Close);
        self.thread.join().map_err(|_| ended_early())?
    }
}

impl WriteQueue {
    /// Runs `work` inside a transaction and answers after its commit. Dropping the future after its first poll may
    /// leave the write done.
    pub(crate) async fn write<T, F>(self, durability: Durability, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let forgetting = move |connection: &Connection, heads: &mut Heads| {
            heads.forget();
            work(connection)
        };
        let answered = self.begin(durability, WriteIsolation::Savepoint, forgetting).await?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// The same, done as soon as the thread is free, for work that keeps `Heads` right. What it waits for is the answer.
    pub(crate) async fn begin<T: Send + 'static>(
        self,
        durability: Durability,
        isolation: WriteIsolation,
        work: impl Work<T>,
    ) -> Result<WriteAnswer<T>, StoreError> {
        let (write, answered) = self.pending(durability, isolation, work).await?;
        self.send(write)?;
        Ok(answered)
    }

    /// The same for work that writes nothing but events, and keeps `Heads` right. Where nobody waits, and the disk need
    /// not be waited for, it is done at once on the caller's thread: two changes of threads take longer than it.
    pub(crate) async fn append<T: Send + 'static>(
        self,
        durability: Durability,
        isolation: WriteIsolation,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        let (write, answered) = self.pending(durability, isolation, work).await?;
        let is_alone = self.places.available_permits() + 1 == MAX_QUEUED_WRITES
            && !self.shared.has_neighbours.load(Ordering::Relaxed);
        let waiting = if is_alone && durability == Durability::Normal && isolation == WriteIsolation::Shared {
            self.write_here(write)
        } else {
            Some(write)
        };
        if let Some(write) = waiting {
            self.send(write)?;
        }
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Returns whether nobody waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.places.available_permits() == MAX_QUEUED_WRITES
    }

    /// Writes like [`Self::write`], for whoever can't wait: nobody hears of the result.
    pub(crate) fn write_soon<F>(self, durability: Durability, work: F) -> Result<(), StoreError>
    where
        F: FnOnce(&Connection) -> Result<(), StoreError> + Send + 'static,
    {
        let place = self.places.clone().try_acquire_owned().map_err(|_| StoreError::Closed)?;
        let work = move |connection: &Connection, heads: &mut Heads| {
            heads.forget();
            work(connection)
        };
        self.send(Pending::boxed(work, durability, WriteIsolation::Savepoint, place).0)
    }

    async fn pending<T: Send + 'static>(
        &self,
        durability: Durability,
        isolation: WriteIsolation,
        work: impl Work<T>,
    ) -> Result<(Box<dyn Write>, WriteAnswer<T>), StoreError> {
        let place = self.places.clone().acquire_owned().await.map_err(|_| StoreError::Closed)?;
        Ok(Pending::boxed(work, durability, isolation, place))
    }

    fn send(&self, write: Box<dyn Write>) -> Result<(), StoreError> {
        self.jobs.send(WriterJob::Write(write)).map_err(|_| StoreError::Closed)
    }

    /// Gives back what could not be done without waiting.
    fn write_here(&self, write: Box<dyn Write>) -> Option<Box<dyn Write>> {
        let Ok(mut shared) = self.shared.connection.try_lock() else { return Some(write) };
        let Some(connection) = shared.as_mut() else { return Some(write) };
        if connection.begin_at_once(write.durability()).is_err() {
            return Some(write);
        }
        let mut group = vec![write];
        let outcomes = connection.finish(&mut group, None);
        drop(shared);
        group.into_iter().zip(outcomes).for_each(|(write, error)| write.answer(error));
        None
    }
}

/// Writes until nobody can ask for it any more.
fn run(shared: &SharedWriter, mut waiting: WaitingJobs) -> Result<(), StoreError> {
    while let Some(mut group) = waiting.next_group() {
        let started = Instant::now();
        let mut connection = shared.connection.lock().map_err(|_| ended_early())?;
        let outcomes = connection.as_mut().ok_or(StoreError::Closed)?.commit(&mut group, &mut waiting);
        // Whoever is answered may write at once, and then finds the connection free.
        drop(connection);
        waiting.note(group.len(), started.elapsed());
        shared.has_neighbours.store(waiting.expects_others(), Ordering::Relaxed);
        group.into_iter().zip(outcomes).for_each(|(write, error)| write.answer(error));
    }
    let connection = shared.connection.lock().map_err(|_| ended_early())?.take();
    connection.map_or(Ok(()), WritingConnection::close)
}

fn ended_early() -> StoreError {
    StoreError::internal("the writer ended early")
}

#[cfg(test)]
mod tests;

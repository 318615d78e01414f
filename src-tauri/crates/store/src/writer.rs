//! The one thread that writes, and how waiting writes share a transaction.
//!
//! A write is a closure over the connection. Whatever waits when the thread is free goes into one transaction, each
//! within a savepoint of its own, so that a failing one takes only itself back. Nobody is answered before the commit.

use crate::heads::Heads;
use crate::{StoreError, connection};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Writes that may wait; whoever comes later waits for a place.
pub const MAX_QUEUED_WRITES: usize = 1024;
/// Writes that share one transaction, at most.
pub const MAX_GROUP: usize = 128;
/// How long a transaction waits for as many writes as the last one had.
const LINGER: Duration = Duration::from_micros(200);

/// What a write asks of the disk before it counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Durability {
    /// Survives the end of the process, and usually that of the machine.
    Normal,
    /// On the disk: survives a power cut.
    Full,
}

/// What becomes of the rest of its group when a write fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// Nothing.
    Savepoint,
    /// Nothing, as long as it has not written anything; afterwards it takes the group with it.
    Shared,
}

pub(crate) struct Writer {
    queue: Sender<Job>,
    places: Arc<Semaphore>,
    thread: JoinHandle<Result<(), StoreError>>,
}

/// The end of the queue that callers hold on to while they wait.
#[derive(Clone)]
pub(crate) struct WriteQueue {
    queue: Sender<Job>,
    places: Arc<Semaphore>,
}

enum Job {
    Write(Box<dyn Write>),
    Close,
}

trait Write: Send {
    fn durability(&self) -> Durability;
    fn isolation(&self) -> Isolation;
    fn run(&mut self, connection: &Connection, heads: &mut Heads) -> Result<(), StoreError>;
    /// `error` when it was taken back.
    fn answer(self: Box<Self>, error: Option<StoreError>);
}

struct Pending<T, F> {
    work: Option<F>,
    done: Option<T>,
    durability: Durability,
    isolation: Isolation,
    answer: oneshot::Sender<Result<T, StoreError>>,
    _place: OwnedSemaphorePermit,
}

impl<T, F> Write for Pending<T, F>
where
    T: Send,
    F: FnOnce(&Connection, &mut Heads) -> Result<T, StoreError> + Send,
{
    fn durability(&self) -> Durability {
        self.durability
    }

    fn isolation(&self) -> Isolation {
        self.isolation
    }

    fn run(&mut self, connection: &Connection, heads: &mut Heads) -> Result<(), StoreError> {
        if let Some(work) = self.work.take() {
            self.done = Some(work(connection, heads)?);
        }
        Ok(())
    }

    fn answer(self: Box<Self>, error: Option<StoreError>) {
        let result = match (error, self.done) {
            (Some(error), _) => Err(error),
            (None, done) => done.ok_or(StoreError::Closed),
        };
        // Whoever asked may have gone; the write stands.
        let _ = self.answer.send(result);
    }
}

impl Writer {
    pub(crate) fn start(connection: Connection, path: PathBuf) -> Result<Self, StoreError> {
        let (queue, jobs) = channel();
        let thread = std::thread::Builder::new()
            .name("arki-store".to_owned())
            .spawn(move || Loop::new(connection, path).run(&jobs))?;
        Ok(Self { queue, places: Arc::new(Semaphore::new(MAX_QUEUED_WRITES)), thread })
    }

    pub(crate) fn queue(&self) -> WriteQueue {
        WriteQueue { queue: self.queue.clone(), places: self.places.clone() }
    }

    /// Writes what waits, then closes the database.
    pub(crate) fn close(self) -> Result<(), StoreError> {
        self.places.close();
        // When the thread is gone there is nobody to tell.
        let _ = self.queue.send(Job::Close);
        self.thread.join().map_err(|_| StoreError::internal("the writer ended early"))?
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
        self.append(durability, Isolation::Savepoint, forgetting).await
    }

    /// The same for work that writes nothing but events, and keeps `Heads` right.
    pub(crate) async fn append<T, F>(
        self,
        durability: Durability,
        isolation: Isolation,
        work: F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, &mut Heads) -> Result<T, StoreError> + Send + 'static,
    {
        let place = self.places.acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let (answer, answered) = oneshot::channel();
        let pending = Pending { work: Some(work), done: None, durability, isolation, answer, _place: place };
        self.queue.send(Job::Write(Box::new(pending))).map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }
}

struct Loop {
    connection: Connection,
    path: PathBuf,
    /// What the connection is set to.
    durability: Durability,
    heads: Heads,
    /// Writes of the last transaction.
    neighbours: usize,
}

impl Loop {
    fn new(connection: Connection, path: PathBuf) -> Self {
        Self { connection, path, durability: Durability::Normal, heads: Heads::default(), neighbours: 0 }
    }

    fn run(mut self, jobs: &Receiver<Job>) -> Result<(), StoreError> {
        let mut open = true;
        while open {
            let mut group = Vec::with_capacity(self.neighbours);
            open = self.gather(jobs, &mut group);
            self.neighbours = group.len();
            self.commit(group);
        }
        connection::close(self.connection).map_err(|error| error.located(&self.path))
    }

    /// Waits for a write and takes what comes with it. `false` when nothing more will come.
    fn gather(&self, jobs: &Receiver<Job>, group: &mut Vec<Box<dyn Write>>) -> bool {
        let mut next = jobs.recv().unwrap_or(Job::Close);
        let mut patience = None;
        loop {
            match next {
                Job::Write(write) => group.push(write),
                Job::Close => return false,
            }
            if group.len() >= MAX_GROUP {
                return true;
            }
            next = loop {
                match jobs.try_recv() {
                    Ok(job) => break job,
                    Err(TryRecvError::Disconnected) => return false,
                    Err(TryRecvError::Empty) if group.len() >= self.neighbours => return true,
                    Err(TryRecvError::Empty) => {}
                }
                // Those who were just answered are about to come again: together they cost one commit.
                let give_up = *patience.get_or_insert_with(|| Instant::now() + LINGER);
                if Instant::now() >= give_up {
                    return true;
                }
                std::thread::yield_now();
            };
        }
    }

    fn commit(&mut self, mut group: Vec<Box<dyn Write>>) {
        if group.is_empty() {
            return;
        }
        let (failures, committed) = match self.try_commit(&mut group) {
            Ok(failures) => (failures, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let mut failures = failures.into_iter();
        for write in group {
            let error = committed.clone().or_else(|| failures.next().flatten());
            write.answer(error.map(|error| error.located(&self.path)));
        }
    }

    /// One entry a write: why it alone was taken back. An error is everybody's.
    fn try_commit(&mut self, group: &mut [Box<dyn Write>]) -> Result<Vec<Option<StoreError>>, StoreError> {
        let durability = group.iter().map(|write| write.durability()).max().unwrap_or(Durability::Normal);
        self.set_durability(durability)?;
        self.execute("BEGIN IMMEDIATE")?;
        let failures = self.heads.begin(&self.connection).and_then(|()| self.run_group(group));
        if failures.as_ref().is_ok_and(|failures| failures.iter().any(Option::is_none)) {
            self.execute("COMMIT").inspect_err(|_| self.roll_back())?;
        } else {
            self.roll_back();
        }
        failures
    }

    fn run_group(&mut self, group: &mut [Box<dyn Write>]) -> Result<Vec<Option<StoreError>>, StoreError> {
        let [alone] = group else {
            return group.iter_mut().map(|write| self.run_among_others(write.as_mut())).collect();
        };
        Ok(vec![alone.run(&self.connection, &mut self.heads).err()])
    }

    fn run_among_others(&mut self, write: &mut dyn Write) -> Result<Option<StoreError>, StoreError> {
        match write.isolation() {
            Isolation::Savepoint => self.run_in_savepoint(write),
            Isolation::Shared => self.run_shared(write),
        }
    }

    fn run_shared(&mut self, write: &mut dyn Write) -> Result<Option<StoreError>, StoreError> {
        let before = self.connection.total_changes();
        match write.run(&self.connection, &mut self.heads) {
            Err(error) if self.connection.total_changes() != before => Err(error),
            result => Ok(result.err()),
        }
    }

    fn run_in_savepoint(&mut self, write: &mut dyn Write) -> Result<Option<StoreError>, StoreError> {
        self.execute("SAVEPOINT one_write")?;
        let failure = write.run(&self.connection, &mut self.heads).err();
        if let Some(error) = &failure {
            // A full disk ends the whole transaction, not just this part of it.
            if self.connection.is_autocommit() {
                return Err(error.clone());
            }
            self.execute("ROLLBACK TO one_write")?;
        }
        self.execute("RELEASE one_write")?;
        Ok(failure)
    }

    fn set_durability(&mut self, durability: Durability) -> Result<(), StoreError> {
        if self.durability != durability {
            self.execute(match durability {
                Durability::Normal => "PRAGMA synchronous = NORMAL",
                Durability::Full => "PRAGMA synchronous = FULL",
            })?;
            self.durability = durability;
        }
        Ok(())
    }

    fn execute(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    fn roll_back(&mut self) {
        self.heads.forget();
        if !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "rolling back failed");
        }
    }
}

#[cfg(test)]
mod tests;

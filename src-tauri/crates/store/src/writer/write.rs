//! One write, as the thread that writes sees it.

use crate::StoreError;
use crate::chain::heads::Heads;
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// The durability that a write needs before it counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Durability {
    /// Survives the end of the process, and usually that of the machine.
    Normal,
    /// Syncs to the disk, so that it survives a power cut.
    Full,
}

/// The fate of the rest of its group when a write fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteIsolation {
    /// Nothing.
    Savepoint,
    /// Nothing, as long as it has not written anything; afterwards it takes the group with it.
    Shared,
}

pub(crate) enum WriterJob {
    Write(Box<dyn Write>),
    Close,
}

pub(crate) trait Write: Send {
    fn durability(&self) -> Durability;
    fn isolation(&self) -> WriteIsolation;
    fn run(&mut self, connection: &Connection, heads: &mut Heads) -> Result<(), StoreError>;
    /// `error` when it was taken back.
    fn answer(self: Box<Self>, error: Option<StoreError>);
}

/// The work of a write, done in a transaction.
pub(crate) trait Work<T>: FnOnce(&Connection, &mut Heads) -> Result<T, StoreError> + Send + 'static {}

impl<T, F: FnOnce(&Connection, &mut Heads) -> Result<T, StoreError> + Send + 'static> Work<T> for F {}

pub(crate) type WriteAnswer<T> = oneshot::Receiver<Result<T, StoreError>>;

/// A write whose caller waits for the answer.
pub(crate) struct Pending<T, F> {
    pub(crate) work: Option<F>,
    pub(crate) done: Option<T>,
    pub(crate) durability: Durability,
    pub(crate) isolation: WriteIsolation,
    pub(crate) answer: oneshot::Sender<Result<T, StoreError>>,
    pub(crate) place: OwnedSemaphorePermit,
}

impl<T: Send + 'static, F: Work<T>> Pending<T, F> {
    pub(crate) fn boxed(
        work: F,
        durability: Durability,
        isolation: WriteIsolation,
        place: OwnedSemaphorePermit,
    ) -> (Box<dyn Write>, WriteAnswer<T>) {
        let (answer, answered) = oneshot::channel();
        (Box::new(Self { work: Some(work), done: None, durability, isolation, answer, place }), answered)
    }
}

impl<T: Send, F: Work<T>> Write for Pending<T, F> {
    fn durability(&self) -> Durability {
        self.durability
    }

    fn isolation(&self) -> WriteIsolation {
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
        drop(self.place);
        // Whoever asked may have gone; the write stands.
        let _ = self.answer.send(result);
    }
}

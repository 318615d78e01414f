//! Groups the writes that share a transaction: those that wait when it begins and, where it waits for the disk, those
//! that come while it is at work. Whoever was answered by the one before is about to come again, and each who still
//! finds a place spares the disk a commit.

use crate::writer::write::{Write, WriterJob};
use std::sync::mpsc::{Receiver, RecvError, TryRecvError};
use std::time::{Duration, Instant};

/// Writes that share one transaction, at most.
pub const MAX_GROUP: usize = 128;
/// A transaction that waits for the disk also waits for as many writes as the last one had, but no longer than one part
/// in so many of the time that one took.
const LINGER_PART: u32 = 16;
/// And never longer than this: the last one may have waited for another process, and this one may hold up others.
const LONGEST_LINGER: Duration = Duration::from_millis(1);
/// The time the writer stays awake for those who shared the last transaction: to fall asleep and to be woken takes
/// about as long as they take to come back.
const LONGEST_WATCH: Duration = Duration::from_micros(100);

pub(crate) type WriteGroup = Vec<Box<dyn Write>>;

/// The writer's end of the queue.
pub(crate) struct WaitingJobs {
    jobs: Receiver<WriterJob>,
    is_open: bool,
    /// Writes of the last transaction, and how long it took.
    neighbours: usize,
    took: Duration,
    /// The rest of the time that the transaction at work may wait for others.
    patience: Duration,
}

impl WaitingJobs {
    pub(crate) fn new(jobs: Receiver<WriterJob>) -> Self {
        let (took, patience) = (Duration::ZERO, Duration::ZERO);
        Self { jobs, is_open: true, neighbours: 0, took, patience }
    }

    /// Waits for a write and takes what has come with it. `None` when nothing more will come.
    pub(crate) fn next_group(&mut self) -> Option<WriteGroup> {
        self.patience = (self.took / LINGER_PART).min(LONGEST_LINGER);
        let mut group = WriteGroup::new();
        if self.is_open {
            match self.first() {
                Ok(WriterJob::Write(write)) => group.push(write),
                Ok(WriterJob::Close) | Err(_) => self.is_open = false,
            }
        }
        while group.len() < MAX_GROUP
            && let Some(write) = self.arrived()
        {
            group.push(write);
        }
        (!group.is_empty()).then_some(group)
    }

    /// Returns whether others are likely to join a transaction, so that each write must be one that can fail alone.
    pub(crate) fn expects_others(&self) -> bool {
        self.neighbours > 1
    }

    /// One more for a transaction at work that waits for the disk and has `taken` so many.
    pub(crate) fn late(&mut self, taken: usize) -> Option<Box<dyn Write>> {
        if taken >= MAX_GROUP {
            return None;
        }
        self.arrived().or_else(|| self.linger(taken))
    }

    pub(crate) fn note(&mut self, writes: usize, took: Duration) {
        (self.neighbours, self.took) = (writes, took);
    }

    fn linger(&mut self, taken: usize) -> Option<Box<dyn Write>> {
        let started = Instant::now();
        let mut found = None;
        while found.is_none() && taken < self.neighbours && self.is_open && started.elapsed() < self.patience {
            std::thread::yield_now();
            found = self.arrived();
        }
        self.patience = self.patience.saturating_sub(started.elapsed());
        found
    }

    /// Waits for whatever comes next.
    fn first(&self) -> Result<WriterJob, RecvError> {
        let started = Instant::now();
        while self.expects_others() && started.elapsed() < LONGEST_WATCH {
            match self.jobs.try_recv() {
                Ok(job) => return Ok(job),
                Err(TryRecvError::Disconnected) => return Err(RecvError),
                Err(TryRecvError::Empty) => std::thread::yield_now(),
            }
        }
        self.jobs.recv()
    }

    fn arrived(&mut self) -> Option<Box<dyn Write>> {
        match self.is_open.then(|| self.jobs.try_recv())? {
            Ok(WriterJob::Write(write)) => return Some(write),
            Ok(WriterJob::Close) | Err(TryRecvError::Disconnected) => self.is_open = false,
            Err(TryRecvError::Empty) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreError;
    use crate::chain::heads::Heads;
    use crate::writer::write::{Durability, WriteIsolation};
    use rusqlite::Connection;
    use std::sync::mpsc::{Sender, channel};

    struct Nothing;

    impl Write for Nothing {
        fn durability(&self) -> Durability {
            Durability::Full
        }

        fn isolation(&self) -> WriteIsolation {
            WriteIsolation::Savepoint
        }

        fn run(&mut self, _: &Connection, _: &mut Heads) -> Result<(), StoreError> {
            Ok(())
        }

        fn answer(self: Box<Self>, _: Option<StoreError>) {}
    }

    fn send(jobs: &Sender<WriterJob>) {
        jobs.send(WriterJob::Write(Box::new(Nothing))).unwrap();
    }

    fn queue(writes: usize) -> (Sender<WriterJob>, WaitingJobs) {
        let (sender, jobs) = channel();
        (0..writes).for_each(|_| send(&sender));
        (sender, WaitingJobs::new(jobs))
    }

    #[test]
    fn no_more_share_a_transaction_than_the_limit_whenever_they_come() {
        let (jobs, mut waiting) = queue(MAX_GROUP - 1);
        assert_eq!(waiting.next_group().unwrap().len(), MAX_GROUP - 1);
        (0..2).for_each(|_| send(&jobs));
        assert!(waiting.late(MAX_GROUP - 1).is_some());
        assert!(waiting.late(MAX_GROUP).is_none());
        assert_eq!(waiting.next_group().unwrap().len(), 1);
    }

    #[test]
    fn what_came_before_the_end_is_still_taken() {
        let (jobs, mut waiting) = queue(1);
        waiting.next_group().unwrap();
        send(&jobs);
        jobs.send(WriterJob::Close).unwrap();
        assert!(waiting.late(1).is_some());
        assert!(waiting.late(2).is_none());
        assert!(waiting.next_group().is_none());
    }

    #[test]
    fn a_transaction_waits_for_others_only_where_the_last_one_was_shared() {
        let (jobs, mut waiting) = queue(1);
        assert!(!waiting.expects_others());
        waiting.note(2, Duration::from_secs(1));
        assert!(waiting.expects_others());
        assert_eq!(waiting.next_group().unwrap().len(), 1);
        assert_eq!(waiting.patience, LONGEST_LINGER);
        assert!(waiting.late(1).is_none());
        assert_eq!(waiting.patience, Duration::ZERO);
        drop(jobs);
    }
}

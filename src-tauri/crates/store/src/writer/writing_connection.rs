//! The connection that writes: one transaction for a group of writes, each taken back alone where it fails.

use crate::StoreError;
use crate::chain::heads::Heads;
use crate::database::connection;
use crate::database::statements::change;
use crate::writer::group::{WaitingJobs, WriteGroup};
use crate::writer::write::{Durability, Write, WriteIsolation};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pages of the write-ahead log after which they are copied into the database. A log that has been this long before is
/// written over, which the disk does faster than letting it grow.
const CHECKPOINT_PAGES: u32 = 1000;
/// The same where writes of several callers share a transaction. Each of their sessions has pages of its own, which are
/// written again with every commit and need be copied only once.
const SHARED_CHECKPOINT_PAGES: u32 = 4000;
/// The log is not cut back below that.
const MAX_LOG_BYTES: u32 = SHARED_CHECKPOINT_PAGES * 4200;

pub(crate) struct WritingConnection {
    connection: Connection,
    path: PathBuf,
    /// The file that was opened; `None` where there are no such numbers, or no file.
    file: Option<(u64, u64)>,
    /// The connection's present setting.
    durability: Durability,
    checkpoint_pages: u32,
    heads: Heads,
    /// The time it otherwise waits for another process.
    patience: Duration,
}

impl WritingConnection {
    pub(crate) fn new(connection: Connection, path: PathBuf) -> Result<Self, StoreError> {
        connection.pragma_update(None, "journal_size_limit", MAX_LOG_BYTES)?;
        let patience = connection.query_row("PRAGMA busy_timeout", [], |row| row.get::<_, u32>(0))?;
        let patience = Duration::from_millis(patience.into());
        let (durability, checkpoint_pages) = (Durability::Normal, CHECKPOINT_PAGES);
        let file = file_id(&path);
        Ok(Self { connection, path, file, durability, checkpoint_pages, heads: Heads::default(), patience })
    }

    pub(crate) fn close(self) -> Result<(), StoreError> {
        connection::close(self.connection).map_err(|error| error.located(&self.path))
    }

    /// One entry a write, also for those that still join the group: why it was taken back.
    pub(crate) fn commit(&mut self, group: &mut WriteGroup, waiting: &mut WaitingJobs) -> Vec<Option<StoreError>> {
        let durability = group.iter().map(|write| write.durability()).max().unwrap_or(Durability::Normal);
        let is_shared = group.len() > 1 || waiting.expects_others();
        let checkpoint_pages = if is_shared { SHARED_CHECKPOINT_PAGES } else { CHECKPOINT_PAGES };
        match self.set_checkpoint(checkpoint_pages).and_then(|()| self.begin(durability)) {
            Ok(()) => self.finish(group, is_shared.then_some(waiting)),
            Err(error) => vec![Some(error.located(&self.path)); group.len()],
        }
    }

    fn begin(&mut self, durability: Durability) -> Result<(), StoreError> {
        // SQLite would go on writing into a file that nobody finds any more.
        if self.file.is_some() && file_id(&self.path) != self.file {
            return Err(StoreError::Gone { path: self.path.clone() });
        }
        self.set_durability(durability)?;
        self.execute("BEGIN IMMEDIATE")
    }

    /// Begins without waiting for another process.
    pub(crate) fn begin_at_once(&mut self, durability: Durability) -> Result<(), StoreError> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let begun = self.begin(durability);
        self.connection.busy_timeout(self.patience)?;
        begun
    }

    /// Runs the writes in the transaction that has begun, and those that come meanwhile, and commits. Without `waiting`
    /// there is one write, alone.
    pub(crate) fn finish(
        &mut self,
        group: &mut WriteGroup,
        waiting: Option<&mut WaitingJobs>,
    ) -> Vec<Option<StoreError>> {
        let outcomes = self.try_finish(group, waiting).unwrap_or_else(|error| vec![Some(error); group.len()]);
        outcomes.into_iter().map(|error| error.map(|error| error.located(&self.path))).collect()
    }

    /// An error is everybody's.
    fn try_finish(
        &mut self,
        group: &mut WriteGroup,
        waiting: Option<&mut WaitingJobs>,
    ) -> Result<Vec<Option<StoreError>>, StoreError> {
        let begun = self.heads.begin(&self.connection);
        let failures = begun.and_then(|()| match waiting {
            Some(waiting) => self.run_group(group, waiting),
            None => Ok(group.iter_mut().map(|write| write.run(&self.connection, &mut self.heads).err()).collect()),
        });
        if failures.as_ref().is_ok_and(|failures| failures.iter().any(Option::is_none)) {
            self.execute("COMMIT").inspect_err(|_| self.roll_back())?;
        } else {
            self.roll_back();
        }
        failures
    }

    fn run_group(
        &mut self,
        group: &mut WriteGroup,
        waiting: &mut WaitingJobs,
    ) -> Result<Vec<Option<StoreError>>, StoreError> {
        let mut failures = Vec::with_capacity(group.len());
        while let Some(write) = group.get_mut(failures.len()) {
            failures.push(self.run_among_others(write.as_mut())?);
            if failures.len() == group.len() && self.durability == Durability::Full {
                group.extend(waiting.late(group.len()));
            }
        }
        Ok(failures)
    }

    fn run_among_others(&mut self, write: &mut dyn Write) -> Result<Option<StoreError>, StoreError> {
        match write.isolation() {
            WriteIsolation::Savepoint => self.run_in_savepoint(write),
            WriteIsolation::Shared => self.run_shared(write),
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

    fn set_checkpoint(&mut self, pages: u32) -> Result<(), StoreError> {
        if self.checkpoint_pages != pages {
            let pragma = format!("PRAGMA wal_autocheckpoint = {pages}");
            self.connection.prepare_cached(&pragma)?.query_row([], |_| Ok(()))?;
            self.checkpoint_pages = pages;
        }
        Ok(())
    }

    fn execute(&self, sql: &str) -> Result<(), StoreError> {
        change(&self.connection, sql, []).map(drop)
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

#[cfg(unix)]
fn file_id(path: &Path) -> Option<(u64, u64)> {
    let found = path.metadata().ok()?;
    Some((std::os::unix::fs::MetadataExt::dev(&found), std::os::unix::fs::MetadataExt::ino(&found)))
}

/// There nobody can remove a file that is open.
#[cfg(not(unix))]
fn file_id(_: &Path) -> Option<(u64, u64)> {
    None
}

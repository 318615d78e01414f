//! The connection that writes: one transaction for a group of writes, each taken back alone where it fails.

use crate::StoreError;
use crate::connection;
use crate::heads::Heads;
use crate::writer::{Durability, Isolation, Write};
use rusqlite::Connection;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) struct WritingConnection {
    connection: Connection,
    path: PathBuf,
    /// What the connection is set to.
    durability: Durability,
    heads: Heads,
    /// How long it otherwise waits for another process.
    patience: Duration,
}

impl WritingConnection {
    pub(crate) fn new(connection: Connection, path: PathBuf) -> Result<Self, StoreError> {
        let patience = connection.query_row("PRAGMA busy_timeout", [], |row| row.get::<_, u32>(0))?;
        let patience = Duration::from_millis(patience.into());
        Ok(Self { connection, path, durability: Durability::Normal, heads: Heads::default(), patience })
    }

    pub(crate) fn close(self) -> Result<(), StoreError> {
        connection::close(self.connection).map_err(|error| error.located(&self.path))
    }

    /// One entry a write: why it was taken back.
    pub(crate) fn commit(&mut self, group: &mut [Box<dyn Write>]) -> Vec<Option<StoreError>> {
        let durability = group.iter().map(|write| write.durability()).max().unwrap_or(Durability::Normal);
        match self.begin(durability) {
            Ok(()) => self.finish(group),
            Err(error) => vec![Some(error.located(&self.path)); group.len()],
        }
    }

    fn begin(&mut self, durability: Durability) -> Result<(), StoreError> {
        self.set_durability(durability)?;
        self.execute("BEGIN IMMEDIATE")
    }

    /// Without waiting for another process.
    pub(crate) fn begin_at_once(&mut self, durability: Durability) -> Result<(), StoreError> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let begun = self.begin(durability);
        self.connection.busy_timeout(self.patience)?;
        begun
    }

    /// Runs the writes in the transaction that has begun, and commits.
    pub(crate) fn finish(&mut self, group: &mut [Box<dyn Write>]) -> Vec<Option<StoreError>> {
        let outcomes = self.try_finish(group).unwrap_or_else(|error| vec![Some(error); group.len()]);
        outcomes.into_iter().map(|error| error.map(|error| error.located(&self.path))).collect()
    }

    /// An error is everybody's.
    fn try_finish(&mut self, group: &mut [Box<dyn Write>]) -> Result<Vec<Option<StoreError>>, StoreError> {
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

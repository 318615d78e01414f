//! Opening SQLite: where the file is, who may read it, and how a connection behaves.
//!
//! Opening is on the way to the first request, so that it asks for the layout's version, whether it is Arki's, and
//! nothing else.

use crate::StoreError;
use crate::database::damage_mark;
use crate::database::files::{beside, make_private_file};
use crate::database::read_only_open::{self, Untouched};
use crate::database::schema;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time a statement waits for another process before it gives up.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The time that closing waits for another process's readers; the log is whole without it.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);
/// More than the statements of all modules together.
const CACHED_STATEMENTS: usize = 64;

/// A database that connections can be opened to.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    /// The path shown in messages.
    pub(crate) path: PathBuf,
    kind: DatabaseKind,
    /// The time to wait for locks.
    patience: Duration,
}

#[derive(Debug, Clone)]
enum DatabaseKind {
    File,
    /// A file beside which nothing may be created, nor anything in it be changed.
    Untouched(Untouched),
    /// SQLite's own name of a database that lives in memory as long as a connection to it does.
    Memory(String),
}

impl Location {
    pub(crate) fn file(path: &Path) -> Self {
        Self { path: path.to_owned(), kind: DatabaseKind::File, patience: BUSY_TIMEOUT }
    }

    pub(crate) fn untouched(path: &Path) -> Self {
        Self { path: path.to_owned(), kind: DatabaseKind::Untouched(Untouched::default()), patience: BUSY_TIMEOUT }
    }

    pub(crate) fn memory() -> Self {
        // The `memdb` VFS shares by name within the process, and unlike the shared cache waits for locks.
        let uri = format!("file:/arki-{}?vfs=memdb", arki_domain::EventId::new());
        Self { path: PathBuf::from(":memory:"), kind: DatabaseKind::Memory(uri), patience: BUSY_TIMEOUT }
    }

    #[cfg(test)]
    pub(crate) fn impatient(self) -> Self {
        Self { patience: Duration::ZERO, ..self }
    }

    /// The connection that writes: creates the file and brings its layout up to date.
    pub(crate) fn open_writer(&self) -> Result<Connection, StoreError> {
        self.try_open_writer().map_err(|error| error.located(&self.path))
    }

    fn try_open_writer(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = match &self.kind {
            DatabaseKind::File | DatabaseKind::Untouched(_) => {
                make_private_file(&self.path)?;
                ensure_log_has_database(&self.path)?;
                Connection::open_with_flags(&self.path, flags)?
            }
            DatabaseKind::Memory(uri) => open_memory(uri, flags)?,
        };
        prepare(&connection, self.patience)?;
        if !matches!(self.kind, DatabaseKind::Memory(_)) && schema::version(&connection)? <= schema::VERSION {
            ensure_not_cut_off(&connection, &self.path)?;
        }
        schema::bring_up_to_date(&mut connection, &self.path, self.patience)?;
        // What is removed must not be found in the file's gaps either: overwritten where the page is written anyway;
        // whole pages are given back when a session is removed.
        connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST;")?;
        Ok(connection)
    }

    /// The size of the write-ahead log; 0 if there is none.
    pub(crate) fn log_bytes(&self) -> u64 {
        match self.kind {
            DatabaseKind::Memory(_) => 0,
            DatabaseKind::File | DatabaseKind::Untouched(_) => {
                beside(&self.path, "-wal").metadata().map_or(0, |log| log.len())
            }
        }
    }

    /// Returns the state that changes with a file read without a lock; `None` where there are locks.
    pub(crate) fn unlocked_state(&self) -> Option<(bool, Option<SystemTime>, u64)> {
        let DatabaseKind::Untouched(_) = self.kind else { return None };
        read_only_open::state(&self.path)
    }

    /// Notes the damage so that the next start looks for it; does nothing if nothing may be changed, or nothing lasts.
    pub(crate) fn note_damage(&self) {
        if let DatabaseKind::File = self.kind {
            damage_mark::note(&self.path);
        }
    }

    /// A connection that only reads, beside one that writes.
    pub(crate) fn open_reader(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match &self.kind {
            DatabaseKind::File => Connection::open_with_flags(&self.path, flags)?,
            DatabaseKind::Untouched(untouched) => return untouched.open(&self.path),
            DatabaseKind::Memory(uri) => {
                open_memory(uri, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?
            }
        };
        prepare(&connection, self.patience)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }
}

/// SQLite takes an empty file for a new database, and throws the log beside it away.
fn ensure_log_has_database(path: &Path) -> Result<(), StoreError> {
    match path.metadata()?.len() == 0 && has_log(path) {
        true => Err(StoreError::damaged("it is empty, and the log beside it is not")),
        false => Ok(()),
    }
}

/// SQLite itself misses a last page of which only a part is there, and fills it with zeros. What a write-ahead log still
/// has to add is not looked for: without one, the file is as long as its header says.
pub(crate) fn ensure_not_cut_off(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    // As long as it is open no other process can copy its log into the file.
    let snapshot = connection.unchecked_transaction()?;
    let count = |pragma| snapshot.query_row(pragma, [], |row| row.get::<_, i64>(0).map(i64::unsigned_abs));
    let expected = count("PRAGMA page_count")? * count("PRAGMA page_size")?;
    let found = path.metadata()?.len();
    match found < expected && !has_log(path) {
        true => Err(StoreError::damaged(format!("{} bytes are missing at its end", expected - found))),
        false => Ok(()),
    }
}

fn has_log(path: &Path) -> bool {
    beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0)
}

/// <https://www.sqlite.org/uri.html>
pub(crate) fn file_uri(path: &Path) -> String {
    let mut text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    if cfg!(windows) {
        text = text.replace('\\', "/");
        if text.get(1..2) == Some(":") {
            text.insert(0, '/');
        }
    }
    format!("file:{text}")
}

fn open_memory(uri: &str, flags: OpenFlags) -> Result<Connection, StoreError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(uri, flags)?)
}

pub(crate) fn prepare(connection: &Connection, patience: Duration) -> Result<(), StoreError> {
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(())
}

/// Copies the write-ahead log into the database and empties it, as far as other processes let us.
pub(crate) fn close(connection: Connection) -> Result<(), StoreError> {
    connection.busy_timeout(CLOSE_TIMEOUT)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error.into())
}

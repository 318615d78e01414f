//! The database of one index: its tables, how it is opened, how it goes when it is damaged, and the note beside it.
//!
//! One process at a time brings it up to date, under a lock of its folder; others read meanwhile, which is what SQLite's
//! write-ahead log is for. Nothing in it can't be made again, so damage and older versions are thrown away.

use crate::error::{Result, RetrievalError};
use arki_disk::{create_private_dir, remove_private_file, write_private_file_once};
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FILE: &str = "index.db";
/// The extension of the note beside an index that says which folder it is of, so that it goes when the folder is gone.
const NOTE: &str = "folder";
/// Raised when the tables change, or what is a word.
const VERSION: i64 = 1;
/// Another process commits every quarter of a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// The full-text table has no text: its rows are those of `chunks`.
const TABLES: &str = "
    CREATE TABLE files (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        modified_ns INTEGER NOT NULL,
        changed_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        is_fresh INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        hash TEXT
    ) STRICT;
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,
        file INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX chunks_of_file ON chunks (file);
    CREATE VIRTUAL TABLE passages USING fts5 (
        path, symbols, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
    CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
";

/// Opens the database to write, and makes it where there is none.
pub(crate) fn open(folder: &Path) -> Result<Connection> {
    create_private_dir(folder)?;
    let connection = Connection::open(path(folder))?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    match version(&connection)? {
        VERSION => {}
        0 => make_tables(&connection)?,
        _ => return Err(RetrievalError::OtherVersion),
    }
    Ok(connection)
}

/// Opens the database to read; `None` where there is none yet.
pub(crate) fn open_to_read(folder: &Path) -> Result<Option<Connection>> {
    let path = path(folder);
    if !path.exists() {
        return Ok(None);
    }
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "query_only", true)?;
    match version(&connection)? {
        VERSION => Ok(Some(connection)),
        0 => Ok(None),
        _ => Err(RetrievalError::OtherVersion),
    }
}

/// Removes the database, whoever has it open.
pub(crate) fn remove(folder: &Path) {
    let path = path(folder);
    for end in ["", "-wal", "-shm"] {
        let mut name = path.clone().into_os_string();
        name.push(end);
        let file = PathBuf::from(name);
        if file.exists()
            && let Err(error) = remove_private_file(&file)
        {
            tracing::warn!(%error, "a damaged search index stays");
        }
    }
}

fn make_tables(connection: &Connection) -> Result<()> {
    connection.execute_batch(&format!("BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))?;
    Ok(())
}

fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Notes beside an index which folder it is of: not in it, since that is locked while another process is at it.
pub(crate) fn note_folder(place: &Path, folder: &Path) -> Result<()> {
    create_private_dir(place)?;
    Ok(write_private_file_once(&note_of(place), folder.display().to_string().as_bytes())?)
}

pub(crate) fn note_of(place: &Path) -> PathBuf {
    place.with_extension(NOTE)
}

pub(crate) fn noted_folder(place: &Path) -> Option<String> {
    fs::read_to_string(note_of(place)).ok()
}

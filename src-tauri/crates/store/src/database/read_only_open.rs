//! Opening a database that must not change: nothing is created beside it, and nothing in it is written. It works on
//! whatever a killed program leaves, on a disk that can't be written, and beside a program that is at work.
//!
//! Which way depends on the write-ahead log:
//!
//! 1. It has no page, so that the database file is all there is: that is read, without a lock (`immutable`). A log of
//!    which only the header was written must not be left to SQLite, which waits ten seconds for an index that nobody
//!    makes, and fails.
//! 2. It has pages: SQLite reads both by the shared memory of whoever has the database open, without writing that; or,
//!    where nobody has, by an index of its own in memory (`readonly_shm`).
//! 3. The shared memory is missing, or was left half written beside a program that is open, and only a writer could put
//!    it right: a private copy of file and log is read ([`PrivateCopy`]).

use crate::StoreError;
use crate::database::connection::{BUSY_TIMEOUT, ensure_not_cut_off, file_uri, prepare};
use crate::database::files::beside;
use crate::database::private_copy::PrivateCopy;
use crate::database::schema;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The size of the header before a log's pages: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
pub(crate) const LOG_HEADER_BYTES: usize = 32;
/// The last bit says in which order the checksum takes a word's bytes.
const LOG_MAGIC: u32 = 0x377f_0682;

/// A database opened for reading without being touched.
#[derive(Debug, Clone, Default)]
pub(crate) struct Untouched {
    /// Made at most once, so that all connections read the same moment.
    copy: Arc<Mutex<Option<PrivateCopy>>>,
}

impl Untouched {
    pub(crate) fn open(&self, path: &Path) -> Result<Connection, StoreError> {
        let has_pages = log_has_pages(path);
        match path.metadata() {
            Ok(file) if file.is_file() && file.len() > 0 => {}
            Ok(file) if file.is_file() && has_pages => {
                return Err(StoreError::damaged("it is empty, and the log beside it is not"));
            }
            _ => return Err(StoreError::Missing { path: path.to_owned() }),
        }
        let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(copy) = &*copy {
            return open(path, &copy.database(), "immutable=1");
        }
        if !has_pages {
            return open(path, path, "immutable=1");
        }
        if beside(path, "-shm").exists() {
            match open(path, path, "readonly_shm=1") {
                Err(error @ (StoreError::NotPermitted { .. } | StoreError::Locked { .. } | StoreError::Io { .. })) => {
                    tracing::info!(%error, "the log's index can't be used: reading a copy");
                }
                opened => return opened,
            }
        }
        let copy = copy.insert(PrivateCopy::of(path)?);
        open(path, &copy.database(), "immutable=1")
    }
}

/// Returns the state that changes with a database that is read without a lock.
pub(crate) fn state(path: &Path) -> Option<(bool, Option<SystemTime>, u64)> {
    let file = path.metadata().ok()?;
    Some((log_has_pages(path), file.modified().ok(), file.len()))
}

/// Opens the database at `file`, which is the one at `path` or a copy of it.
fn open(path: &Path, file: &Path, option: &str) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(format!("{}?{option}", file_uri(file)), flags)?;
    prepare(&connection, BUSY_TIMEOUT)?;
    match schema::version(&connection)? {
        found if found > schema::VERSION => {
            Err(StoreError::Newer { path: path.to_owned(), found, known: schema::VERSION })
        }
        found => {
            schema::ensure_arkis(&connection, path, found)?;
            ensure_not_cut_off(&connection, file)?;
            match found {
                // A first start that was killed had not made its tables yet.
                0 => Err(StoreError::Missing { path: path.to_owned() }),
                schema::VERSION => Ok(connection),
                _ => Err(StoreError::Older { path: path.to_owned() }),
            }
        }
    }
}

/// Returns whether the log has a page, or may have one, below a header that counts. SQLite takes any other for empty.
fn log_has_pages(path: &Path) -> bool {
    log_header(path).is_some_and(|(header, bytes)| bytes > LOG_HEADER_BYTES as u64 && counts(&header))
}

/// The header of the log beside a database, and the log's length; `None` where not even a header is there.
pub(crate) fn log_header(path: &Path) -> Option<([u8; LOG_HEADER_BYTES], u64)> {
    let mut log = File::open(beside(path, "-wal")).ok()?;
    let bytes = log.metadata().ok()?.len();
    let mut header = [0; LOG_HEADER_BYTES];
    log.read_exact(&mut header).ok()?;
    Some((header, bytes))
}

/// Its magic number, its size of a page, and its checksum over the first 24 bytes are right.
fn counts(header: &[u8; LOG_HEADER_BYTES]) -> bool {
    let (words, _) = header.as_chunks::<4>();
    let magic = u32::from_be_bytes(words[0]);
    let page_bytes = u32::from_be_bytes(words[2]);
    let word: fn([u8; 4]) -> u32 = if magic & 1 == 1 { u32::from_be_bytes } else { u32::from_le_bytes };
    let (mut first, mut second) = (0_u32, 0_u32);
    for pair in words[..6].as_chunks::<2>().0 {
        first = first.wrapping_add(word(pair[0])).wrapping_add(second);
        second = second.wrapping_add(word(pair[1])).wrapping_add(first);
    }
    magic & !1 == LOG_MAGIC
        && page_bytes.is_power_of_two()
        && (512..=1 << 16).contains(&page_bytes)
        && [first, second] == [u32::from_be_bytes(words[6]), u32::from_be_bytes(words[7])]
}

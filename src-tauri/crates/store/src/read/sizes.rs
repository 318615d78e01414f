//! Measures the disk space used, for those who want some of it back.

use crate::database::row::{lossy_text, signed, unsigned};
use crate::database::statements::{get, list};
use crate::{StoreError, StoreReader};
use arki_domain::SessionId;
use rusqlite::Connection;

/// Sessions that [`Sizes`] names.
pub const MAX_LARGEST_SESSIONS: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// The database's file; `free_bytes` of it are empty.
    pub database_bytes: u64,
    /// The write-ahead log beside it.
    pub log_bytes: u64,
    pub events: u64,
    /// Contents, compressed.
    pub blobs_bytes: u64,
    pub free_bytes: u64,
    /// The largest sessions with their titles and the bytes of their events, the largest first.
    pub largest: Vec<(SessionId, String, u64)>,
}

/// The query that measures what is stored, without loading it.
const LARGEST: &str = "SELECT session_id, title, (SELECT sum(octet_length(payload) + octet_length(event_id) + \
     ifnull(octet_length(run_id), 0) + octet_length(session_id) + octet_length(type) + octet_length(prev_hash) + \
     octet_length(hash)) FROM events WHERE substr(events.session_id, -8) = substr(sessions.session_id, -8) \
     AND events.session_id = sessions.session_id) AS bytes \
     FROM sessions WHERE bytes > 0 ORDER BY bytes DESC, session_id LIMIT ?1";

impl StoreReader {
    /// Looks at every event: a second for a million of them.
    pub fn sizes(&self) -> Result<Sizes, StoreError> {
        let log_bytes = self.log_bytes();
        self.read(|connection| {
            let count = |sql| count(connection, sql);
            let page_bytes = count("PRAGMA page_size")?;
            Ok(Sizes {
                database_bytes: count("PRAGMA page_count")? * page_bytes,
                log_bytes,
                events: count("SELECT count(*) FROM events")?,
                blobs_bytes: count("SELECT ifnull(sum(octet_length(content)), 0) FROM blobs")?,
                free_bytes: count("PRAGMA freelist_count")? * page_bytes,
                largest: largest(connection)?,
            })
        })
    }

    /// Returns what is in the database, as against what its file has room for.
    pub(crate) fn used_bytes(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let count = |sql| count(connection, sql);
            let pages = count("PRAGMA page_count")?.saturating_sub(count("PRAGMA freelist_count")?);
            Ok(pages * count("PRAGMA page_size")?)
        })
    }
}

fn largest(connection: &Connection) -> Result<Vec<(SessionId, String, u64)>, StoreError> {
    list(connection, LARGEST, [signed(MAX_LARGEST_SESSIONS as u64)], |row| {
        Ok((lossy_text(row.get_ref(0)?).into(), lossy_text(row.get_ref(1)?), unsigned(row.get(2)?)))
    })
}

fn count(connection: &Connection, sql: &str) -> Result<u64, StoreError> {
    get(connection, sql, [], |row| row.get(0).map(unsigned))
}

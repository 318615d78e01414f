//! The chain of a session's events as the database has it: how an event is sealed and stored, where the chain ends, and
//! what its events leave in lists and in other sessions.

pub(crate) mod cross_references;
pub(crate) mod heads;
pub(crate) mod projections;
pub(crate) mod replay;
pub(crate) mod seal;

use crate::StoreError;
use crate::database::row::{self, OF_SESSION};
use crate::database::statements::{find, get};
use arki_domain::Event;
use rusqlite::{CachedStatement, Connection, params};

/// `OR FAIL`: a row that is refused was not written, so that SQLite need not keep every page to undo it.
const INSERT: &str = "INSERT OR FAIL INTO events (event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

/// The table of events, for one event after the other.
pub(crate) struct Log<'a> {
    insert: CachedStatement<'a>,
}

impl<'a> Log<'a> {
    pub(crate) fn open(transaction: &'a Connection) -> Result<Self, StoreError> {
        Ok(Self { insert: transaction.prepare_cached(INSERT)? })
    }

    /// Stores the event as it is.
    pub(crate) fn insert(&mut self, event: &Event) -> Result<(), StoreError> {
        self.insert.execute(params![
            event.event_id.as_str(),
            event.run_id.as_ref().map(|id| id.as_str()),
            event.session_id.as_str(),
            row::signed(event.seq),
            event.ts,
            event.kind,
            event.payload.get(),
            event.prev_hash,
            event.hash,
        ])?;
        Ok(())
    }
}

/// The number of a session's last event; 0 if there is none.
pub(crate) fn last_seq(connection: &Connection, session: &str) -> Result<u64, StoreError> {
    let sql = format!("SELECT max(seq) FROM events WHERE {OF_SESSION}");
    let last: Option<i64> = get(connection, &sql, [session], |row| row.get(0))?;
    Ok(row::unsigned(last.unwrap_or(0)))
}

/// The stored hash of one event of a session.
pub(crate) fn hash_at(connection: &Connection, session: &str, seq: u64) -> Result<Option<String>, StoreError> {
    let sql = format!("SELECT hash FROM events WHERE {OF_SESSION} AND seq = ?2");
    find(connection, &sql, params![session, row::signed(seq)], |row| row.get_ref(0).map(row::lossy_text))
}

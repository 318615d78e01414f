//! The end of the log, watched: what this process and others append, in the order in which it was committed.
//!
//! SQLite says with `data_version` whether anything was committed by another connection, for the price of a look into
//! shared memory. Rows are numbered in the order of their commits, since there is one writer at a time; the numbers
//! above the last one seen are the news. Where the last rows of the log were removed their numbers are given again,
//! and the table `log_cuts` says from where on.

use crate::database::row::{EVENT_COLUMNS, OF_SESSION, event, signed};
use crate::database::statements::get;
use crate::read::event_pages::MAX_PAGE_BYTES;
use crate::{CommitFeed, StoreError, StoreReader};
use arki_domain::{Event, SessionId};
use rusqlite::{Connection, Rows, params};

/// Events that one poll answers with, at most; fewer when their payloads fill a page of [`MAX_PAGE_BYTES`].
pub const MAX_TAIL_PAGE: usize = 1000;

const CUTS: &str = "SELECT max(cut), min(last_row) FROM log_cuts WHERE cut > ?1";

/// Begins at the end that the log had when it was made. Its connection is its own; drop it before the store is closed,
/// or the write-ahead log stays behind until the next start.
pub struct Tail {
    connection: Connection,
    reader: StoreReader,
    /// SQLite's data version when everything up to `last_row` had been read; `None` when there is more to read.
    version: Option<i64>,
    last_row: i64,
    last_cut: i64,
}

impl CommitFeed<'_> {
    pub fn tail(self) -> Result<Tail, StoreError> {
        let reader = self.store.reader().clone();
        let connection = reader.open_connection()?;
        let mut tail = Tail { connection, reader, version: None, last_row: 0, last_cut: 0 };
        tail.go_to_end().map_err(|error| tail.reader.locate(error))?;
        Ok(tail)
    }
}

impl Tail {
    /// The next events, oldest first; none when nothing was appended since. Blocks, when there is nothing for a few
    /// microseconds. When as many come as may, more may wait.
    ///
    /// # Errors
    /// When the database cannot be read; the next poll begins at the same place.
    pub fn poll(&mut self) -> Result<Vec<Event>, StoreError> {
        self.try_poll().map_err(|error| self.reader.locate(error))
    }

    fn try_poll(&mut self) -> Result<Vec<Event>, StoreError> {
        // Asked first: what is committed in between is then read twice rather than never.
        let version = data_version(&self.connection)?;
        if self.version == Some(version) {
            return Ok(Vec::new());
        }
        let snapshot = self.connection.unchecked_transaction()?;
        let (last_cut, last_row) = after_cuts(&snapshot, self.last_cut, self.last_row)?;
        let page = TailPage::read(&snapshot, last_row, MAX_TAIL_PAGE)?;
        snapshot.finish()?;
        self.last_cut = last_cut;
        self.last_row = page.last_row;
        self.version = (!page.is_full).then_some(version);
        Ok(page.events)
    }

    fn go_to_end(&mut self) -> Result<(), StoreError> {
        let version = data_version(&self.connection)?;
        let snapshot = self.connection.unchecked_transaction()?;
        (self.last_cut, _) = after_cuts(&snapshot, 0, 0)?;
        self.last_row = last_row(&snapshot)?;
        snapshot.finish()?;
        self.version = Some(version);
        Ok(())
    }
}

fn data_version(connection: &Connection) -> Result<i64, StoreError> {
    get(connection, "PRAGMA data_version", [], |row| row.get(0))
}

/// The last row of the log; 0 if it has none.
pub(crate) fn last_row(connection: &Connection) -> Result<i64, StoreError> {
    get(connection, "SELECT ifnull(max(rowid), 0) FROM events", [], |row| row.get(0))
}

/// Everything above the lowest end that the log had since was appended after it, and so is new.
pub(crate) fn after_cuts(connection: &Connection, last_cut: i64, last_row: i64) -> Result<(i64, i64), StoreError> {
    let (cut, row): (Option<i64>, Option<i64>) =
        get(connection, CUTS, [last_cut], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok((cut.unwrap_or(last_cut), row.map_or(last_row, |row| row.min(last_row))))
}

pub(crate) struct TailPage {
    pub(crate) events: Vec<Event>,
    /// One for each event.
    pub(crate) rows: Vec<i64>,
    pub(crate) last_row: i64,
    pub(crate) is_full: bool,
}

impl TailPage {
    pub(crate) fn read(connection: &Connection, after: i64, limit: usize) -> Result<Self, StoreError> {
        let sql = format!("SELECT {EVENT_COLUMNS}, rowid FROM events WHERE rowid > ?1 ORDER BY rowid LIMIT ?2");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query(params![after, i64::try_from(limit).unwrap_or(i64::MAX)])?;
        Self::fill(rows, after, limit)
    }

    pub(crate) fn of_session(
        connection: &Connection,
        session: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Self, StoreError> {
        let sql =
            format!("SELECT {EVENT_COLUMNS}, rowid FROM events WHERE {OF_SESSION} AND seq > ?2 ORDER BY seq LIMIT ?3");
        let mut statement = connection.prepare_cached(&sql)?;
        let bounds = params![session.as_str(), signed(after_seq), i64::try_from(limit).unwrap_or(i64::MAX)];
        Self::fill(statement.query(bounds)?, 0, limit)
    }

    fn fill(mut rows: Rows<'_>, after: i64, limit: usize) -> Result<Self, StoreError> {
        let mut page = Self { events: Vec::new(), rows: Vec::new(), last_row: after, is_full: false };
        let mut bytes = 0;
        while !page.is_full {
            let Some(row) = rows.next()? else { break };
            let event = event(row)?;
            bytes += event.payload.get().len();
            page.last_row = row.get(9)?;
            page.events.push(event);
            page.rows.push(page.last_row);
            page.is_full = page.events.len() >= limit || bytes > MAX_PAGE_BYTES;
        }
        Ok(page)
    }
}

//! Events, a bounded piece at a time.

use crate::chain::last_seq;
use crate::database::row::{EVENT_COLUMNS, OF_SESSION, event, signed};
use crate::database::statements::{self, find};
use crate::{LogReader, StoreError};
use arki_domain::{Event, RunId, SessionId};
use rusqlite::{Connection, Params, Row, params};

/// The payloads of one page end it when together they are longer than this, in bytes.
pub const MAX_PAGE_BYTES: usize = 32 << 20;

#[derive(Debug, Clone)]
pub struct EventPage {
    /// Oldest first; at least one, if there is any.
    pub events: Vec<Event>,
    /// True if there are more events in the direction of the page.
    pub has_more: bool,
}

impl LogReader<'_> {
    /// The events with numbers above `after_seq`, at most `limit`.
    pub fn events(self, session: &SessionId, after_seq: u64, limit: usize) -> Result<EventPage, StoreError> {
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} AND seq > ?2 ORDER BY seq LIMIT ?3");
        let bounds = params![session.as_str(), signed(after_seq), more_than(limit)];
        self.reader.read(|connection| read_page(connection, &sql, bounds, limit))
    }

    /// The last events before `before_seq` (`None`: the very last), at most `limit`, oldest first. The cost does not
    /// depend on how long the session is.
    pub fn page(self, session: &SessionId, before_seq: Option<u64>, limit: usize) -> Result<EventPage, StoreError> {
        let sql =
            format!("SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} AND seq < ?2 ORDER BY seq DESC LIMIT ?3");
        let before = before_seq.map_or(i64::MAX, signed);
        let bounds = params![session.as_str(), before, more_than(limit)];
        let mut page = self.reader.read(|connection| read_page(connection, &sql, bounds, limit))?;
        page.events.reverse();
        Ok(page)
    }

    /// All events of a run, oldest first; none if there is no such run.
    pub fn run_events(self, run_id: &RunId) -> Result<Vec<Event>, StoreError> {
        let mut events = Vec::new();
        self.each_run_event(run_id, |event| events.push(event))?;
        Ok(events)
    }

    /// Hands out all events of a run, oldest first, one at a time: a long run has many.
    pub fn each_run_event(self, run_id: &RunId, each: impl FnMut(Event)) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} AND seq BETWEEN ?2 AND ?3 AND run_id = ?4 \
             ORDER BY seq"
        );
        self.reader.read(|connection| {
            let of_run = "SELECT session_id, first_seq, last_seq FROM runs WHERE run_id = ?1";
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            let bounds: Option<(String, i64, Option<i64>)> = find(connection, of_run, [run_id.as_str()], read)?;
            let Some((session, first, last)) = bounds else { return Ok(()) };
            let bounds = params![session, first, last.unwrap_or(i64::MAX), run_id.as_str()];
            each_event(connection, &sql, bounds, each)
        })
    }

    /// The number of the session's last event; 0 if there is none. Cheap enough to ask again and again.
    pub fn last_seq(self, session: &SessionId) -> Result<u64, StoreError> {
        self.reader.read(|connection| last_seq(connection, session.as_str()))
    }
}

/// One event of a session.
pub(crate) fn one(connection: &Connection, session: &SessionId, seq: i64) -> Result<Option<Event>, StoreError> {
    let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} AND seq = ?2");
    find(connection, &sql, params![session.as_str(), seq], event)
}

/// Hands out the events of a statement, one at a time.
pub(crate) fn each_event(
    connection: &Connection,
    sql: &str,
    bounds: impl Params,
    mut each: impl FnMut(Event),
) -> Result<(), StoreError> {
    statements::each(connection, sql, bounds, |row| {
        each(event(row)?);
        Ok(())
    })
}

fn more_than(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

fn read_page(connection: &Connection, sql: &str, bounds: impl Params, limit: usize) -> Result<EventPage, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(bounds)?;
    let mut page = EventPage { events: Vec::new(), has_more: false };
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        if page.events.len() >= limit || bytes > MAX_PAGE_BYTES {
            page.has_more = true;
            break;
        }
        let event = event(row)?;
        bytes += event.payload.get().len();
        page.events.push(event);
    }
    Ok(page)
}

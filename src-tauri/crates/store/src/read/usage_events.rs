//! The events that say what was used.
//!
//! There is no index for them: two events of every turn are among them, so that it leads to nearly every page as well
//! (over 400,000 events, 293 MiB, a partial index took 1.2 times as long as the scan). Whoever has read them all once
//! goes on from a mark.

use crate::database::row::{EVENT_COLUMNS, OF_SESSION, event, lossy_text};
use crate::database::statements::{self, change, get};
use crate::read::tail::last_row;
use crate::{LogReader, StoreError};
use arki_domain::{Event, SessionId};
use rusqlite::{Connection, Params};
use serde::{Deserialize, Serialize};

/// Nothing of sessions that are being removed.
const OF_USAGE: &str = "type IN ('engine.request', 'engine.response') \
     AND session_id NOT IN (SELECT session_id FROM session_removals)";

/// The project of the event's session, behind the event's own columns.
const PROJECT: &str = "(SELECT project FROM sessions WHERE sessions.session_id = events.session_id)";
const PROJECT_COLUMN: usize = 9;

/// The number of sessions removed since marks are made.
const REMOVALS: &str = "usage_removals";

/// The position up to which the log was read. The default is its beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageMark {
    row: i64,
    /// Sessions that had been removed until then.
    removals: i64,
}

impl UsageMark {
    pub(crate) fn is_beginning(self) -> bool {
        self.row == 0
    }
}

impl LogReader<'_> {
    /// Requests to models and their answers, of one session, in their order; each with its session's project.
    pub fn each_usage_event_of(self, session: &SessionId, each: impl FnMut(&Event, &str)) -> Result<(), StoreError> {
        let sql =
            format!("SELECT {EVENT_COLUMNS}, {PROJECT} FROM events WHERE {OF_SESSION} AND {OF_USAGE} ORDER BY seq");
        self.reader.read(|connection| each_with_project(connection, &sql, [session.as_str()], each))
    }

    /// The same of all sessions, each session's in their order, from a mark on; and the mark to go on from. `None`, and
    /// no event, where sessions were removed since the mark: then it has to be begun anew.
    pub fn each_usage_event_after(
        self,
        mark: UsageMark,
        each: impl FnMut(&Event, &str),
    ) -> Result<Option<UsageMark>, StoreError> {
        let sql =
            format!("SELECT {EVENT_COLUMNS}, {PROJECT} FROM events WHERE rowid > ?1 AND {OF_USAGE} ORDER BY rowid");
        self.reader.read(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let removed = "SELECT ifnull(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = ?1";
            let removals = get(&snapshot, removed, [REMOVALS], |row| row.get(0))?;
            if !mark.is_beginning() && mark.removals != removals {
                return Ok(None);
            }
            let row = last_row(&snapshot)?;
            each_with_project(&snapshot, &sql, [mark.row], each)?;
            Ok(Some(UsageMark { row, removals }))
        })
    }
}

fn each_with_project(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    mut each: impl FnMut(&Event, &str),
) -> Result<(), StoreError> {
    statements::each(connection, sql, params, |row| {
        each(&event(row)?, &lossy_text(row.get_ref(PROJECT_COLUMN)?));
        Ok(())
    })
}

/// Marks from before a removal have counted what is gone; those from then on leave it out already.
pub(crate) fn note_removal(transaction: &Connection) -> Result<(), StoreError> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, '1') \
         ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1";
    change(transaction, sql, [REMOVALS]).map(drop)
}

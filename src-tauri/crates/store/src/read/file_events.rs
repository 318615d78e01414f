//! Events by the file they changed, and single ones by their number.

use crate::database::row::{EVENT_COLUMNS, event, signed};
use crate::read::event_pages::one;
use crate::{LogReader, StoreError};
use arki_domain::{Event, SessionId};
use rusqlite::{Params, params};

/// The condition for the index of events, which has only the end of the session's ID.
const SAME_EVENT: &str = "substr(events.session_id, -8) = substr(changes.session_id, -8) \
     AND events.session_id = changes.session_id AND events.seq = changes.seq";

impl LogReader<'_> {
    /// Returns what was done to one file of a project (its canonical path), by whichever session, in the order it was
    /// stored: `file.changed`, `session.rewound` and `change.taken_back`. `path` as those name it.
    pub fn file_changes(self, project: &str, path: &str) -> Result<Vec<Event>, StoreError> {
        let columns = of_events();
        let sql = format!(
            "SELECT {columns} FROM file_changes AS changes CROSS JOIN events ON {SAME_EVENT} \
             WHERE project = ?1 AND path = ?2 ORDER BY events.rowid"
        );
        self.list_events(&sql, params![project, path])
    }

    /// Returns what the session did to files after event `after_seq`, oldest first; the same kinds.
    pub fn session_file_events(self, session: &SessionId, after_seq: u64) -> Result<Vec<Event>, StoreError> {
        let columns = of_events();
        // An event that changed several files stands there as often.
        let sql = format!(
            "SELECT {columns} FROM (SELECT DISTINCT session_id, seq FROM file_changes WHERE session_id = ?1 AND seq > ?2) \
             AS changes CROSS JOIN events ON {SAME_EVENT} ORDER BY events.seq"
        );
        self.list_events(&sql, params![session.as_str(), signed(after_seq)])
    }

    /// The session's events that say what was committed, oldest first.
    pub fn commits(self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        let columns = of_events();
        let sql =
            format!("SELECT {columns} FROM events WHERE session_id = ?1 AND type = 'changes.committed' ORDER BY seq");
        self.list_events(&sql, params![session.as_str()])
    }

    /// One event of a session.
    pub fn event(self, session: &SessionId, seq: u64) -> Result<Option<Event>, StoreError> {
        self.reader.read(|connection| one(connection, session, signed(seq)))
    }

    fn list_events(self, sql: &str, bounds: impl Params) -> Result<Vec<Event>, StoreError> {
        self.reader.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(bounds, event)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

fn of_events() -> String {
    EVENT_COLUMNS.split(", ").map(|column| format!("events.{column}")).collect::<Vec<_>>().join(", ")
}

//! The events that are about one thing: a file, what is remembered, a session's state, commits; and single ones by their
//! number.

use crate::database::row::{EVENT_COLUMNS, OF_SESSION, event, event_columns_of, signed};
use crate::database::statements::list;
use crate::read::event_pages::{each_event, one};
use crate::{LogReader, StoreError};
use arki_domain::{Event, SessionId};
use rusqlite::{Params, params};

/// The condition for the index of events, which has only the end of the session's ID.
const SAME_EVENT: &str = "substr(events.session_id, -8) = substr(changes.session_id, -8) \
     AND events.session_id = changes.session_id AND events.seq = changes.seq";

/// The events that say what sessions propose to remember, what became of it, and those that take a proposal back. There
/// is no index for them: whoever looks at the inbox waits for one scan, which a bound keeps short however large the log
/// is.
const OF_MEMORY: &str = "type IN ('memory.observed', 'memory.reflected', 'memory.reviewed', 'session.rewound', \
     'session.forked') AND session_id NOT IN (SELECT session_id FROM session_removals)";

impl LogReader<'_> {
    /// Returns what was done to one file of a project (its canonical path), by whichever session, in the order it was
    /// stored: `file.changed`, `session.rewound` and `change.taken_back`. `path` as those name it.
    pub fn file_changes(self, project: &str, path: &str) -> Result<Vec<Event>, StoreError> {
        let columns = event_columns_of("events");
        let sql = format!(
            "SELECT {columns} FROM file_changes AS changes CROSS JOIN events ON {SAME_EVENT} \
             WHERE project = ?1 AND path = ?2 ORDER BY events.rowid"
        );
        self.list_events(&sql, [project, path])
    }

    /// Returns what the session did to files after event `after_seq`, oldest first; the same kinds.
    pub fn session_file_events(self, session: &SessionId, after_seq: u64) -> Result<Vec<Event>, StoreError> {
        let columns = event_columns_of("events");
        // An event that changed several files stands there as often.
        let sql = format!(
            "SELECT {columns} FROM (SELECT DISTINCT session_id, seq FROM file_changes WHERE session_id = ?1 AND seq > ?2) \
             AS changes CROSS JOIN events ON {SAME_EVENT} ORDER BY events.seq"
        );
        self.list_events(&sql, params![session.as_str(), signed(after_seq)])
    }

    /// The session's events that say what was committed, oldest first.
    pub fn commits(self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        let is_wanted = "session_id = ?1 AND type = 'changes.committed'";
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {is_wanted} ORDER BY seq");
        self.list_events(&sql, [session.as_str()])
    }

    /// One event of a session.
    pub fn event(self, session: &SessionId, seq: u64) -> Result<Option<Event>, StoreError> {
        self.reader.read(|connection| one(connection, session, signed(seq)))
    }

    /// Hands out the events about memory of all sessions, each session's in their order. Only the newest `scanned`
    /// events of the log are looked at.
    pub fn each_memory_event(self, scanned: u32, mut each: impl FnMut(&Event)) -> Result<(), StoreError> {
        let newest = "rowid > (SELECT max(rowid) FROM events) - ?1";
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {newest} AND {OF_MEMORY} ORDER BY rowid");
        self.reader.read(|connection| each_event(connection, &sql, [scanned], |event| each(&event)))
    }

    /// Hands out the `state.changed` of one session up to event `to_seq`, oldest first.
    pub fn each_state_event(
        self,
        session: &SessionId,
        to_seq: u64,
        mut each: impl FnMut(&Event),
    ) -> Result<(), StoreError> {
        let is_wanted = "seq <= ?2 AND type = 'state.changed'";
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} AND {is_wanted} ORDER BY seq");
        let bounds = params![session.as_str(), signed(to_seq)];
        self.reader.read(|connection| each_event(connection, &sql, bounds, |event| each(&event)))
    }

    fn list_events(self, sql: &str, bounds: impl Params) -> Result<Vec<Event>, StoreError> {
        self.reader.read(|connection| list(connection, sql, bounds, event))
    }
}

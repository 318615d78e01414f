//! The events that say what was used. There is no index for them: all events are looked at, but for the others' payloads.
//! Two events of every turn are among them, so that an index leads to nearly every page as well: over 400,000 events
//! (293 MiB) a partial index took 1.2 times as long as the scan.

use crate::row::{EVENT_COLUMNS, OF_SESSION, event};
use crate::{Reader, StoreError};
use arki_domain::{Event, SessionId};

/// Nothing of sessions that are being removed.
const OF_USAGE: &str = "type IN ('engine.request', 'engine.response') \
     AND session_id NOT IN (SELECT session_id FROM session_removals)";

impl Reader {
    /// Requests to models and their answers, of one session or of all, each session's in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn each_usage_event(
        &self,
        session: Option<&SessionId>,
        mut each: impl FnMut(&Event),
    ) -> Result<(), StoreError> {
        let of_session = if session.is_some() { OF_SESSION } else { "?1 IS NULL" };
        let order = if session.is_some() { "seq" } else { "rowid" };
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {of_session} AND {OF_USAGE} ORDER BY {order}");
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([session.map(SessionId::as_str)])?;
            while let Some(row) = rows.next()? {
                each(&event(row)?);
            }
            Ok(())
        })
    }
}

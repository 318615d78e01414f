//! The events that change a session's state.

use crate::database::row::{EVENT_COLUMNS, OF_SESSION, event, signed};
use crate::{LogReader, StoreError};
use arki_domain::{Event, SessionId};
use rusqlite::params;

impl LogReader<'_> {
    /// Hands out the `state.changed` of one session up to event `to_seq`, oldest first.
    pub fn each_state_event(
        self,
        session: &SessionId,
        to_seq: u64,
        mut each: impl FnMut(&Event),
    ) -> Result<(), StoreError> {
        let is_wanted = "seq <= ?2 AND type = 'state.changed'";
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} AND {is_wanted} ORDER BY seq");
        self.reader.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![session.as_str(), signed(to_seq)])?;
            while let Some(row) = rows.next()? {
                each(&event(row)?);
            }
            Ok(())
        })
    }
}

//! The events that say what sessions propose to remember, and what became of it.

use crate::database::row::{EVENT_COLUMNS, event};
use crate::{LogReader, StoreError};
use arki_domain::Event;

/// And those that take a proposal back. There is no index for them: whoever looks at the inbox waits for one scan, which
/// a bound keeps short however large the log is.
const OF_MEMORY: &str = "type IN ('memory.observed', 'memory.reflected', 'memory.reviewed', 'session.rewound', \
     'session.forked') AND session_id NOT IN (SELECT session_id FROM session_removals)";

impl LogReader<'_> {
    /// Hands out these events of all sessions, each session's in their order. Only the newest `scanned` events of the log
    /// are looked at.
    pub fn each_memory_event(self, scanned: u32, mut each: impl FnMut(&Event)) -> Result<(), StoreError> {
        let newest = "rowid > (SELECT max(rowid) FROM events) - ?1";
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {newest} AND {OF_MEMORY} ORDER BY rowid");
        self.reader.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([scanned])?;
            while let Some(row) = rows.next()? {
                each(&event(row)?);
            }
            Ok(())
        })
    }
}

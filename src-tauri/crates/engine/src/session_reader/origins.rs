//! The origins of a session's conversation, read from the log.

use crate::session_reader::SessionReader;
use arki_domain::{Error, EventBody, RunId, RunStarted, SessionId};
use arki_export::{EventSource, Origin, Stretch};
use arki_store::EventPage;

impl EventSource for SessionReader {
    fn events(&self, session_id: &SessionId, after_seq: u64, limit: usize) -> Result<EventPage, Error> {
        self.events_after(session_id, after_seq, limit)
    }

    fn large_diff(&self, hash: &str) -> Result<Option<String>, Error> {
        let bytes = self.records.reader().contents().blob(hash)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn run_start(&self, run: &RunId) -> Result<Option<RunStarted>, Error> {
        let Some(record) = self.records.reader().lists().run(run)? else { return Ok(None) };
        let first = self.events_after(&record.session_id, record.first_seq.saturating_sub(1), 1)?;
        Ok(first.events.first().and_then(|event| match event.body() {
            EventBody::RunStarted(started) => Some(started),
            _ => None,
        }))
    }
}

impl SessionReader {
    /// Returns where a session was forked from.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn origin(&self, session_id: &SessionId) -> Result<Option<Origin>, Error> {
        arki_export::origin(self, session_id)
    }

    /// The stretches of log that make up a session's conversation, the oldest first; its own comes last.
    ///
    /// # Errors
    /// When the database cannot be read, or forks lead in a circle.
    pub(crate) fn lineage(&self, session_id: &SessionId) -> Result<Vec<Stretch>, Error> {
        arki_export::lineage(self, session_id)
    }
}

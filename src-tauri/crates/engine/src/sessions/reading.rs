//! Sessions and their events, as they are stored.

use crate::sessions::Sessions;
use arki_domain::projection::SessionSummary;
use arki_domain::{Code, Error, Event, RunId, SessionId};
use arki_store::EventPage;
use std::path::Path;

impl Sessions {
    /// Sessions, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, limit: usize) -> Result<Vec<SessionSummary>, Error> {
        Ok(self.records.reader().lists().sessions(limit, 0)?)
    }

    pub(crate) fn session(&self, session: &SessionId) -> Result<SessionSummary, Error> {
        self.records.reader().lists().session(session)?.ok_or_else(|| {
            Error::new(
                Code::SESSION_NOT_FOUND,
                format!("There is no session {session}."),
                "`arki sessions list` shows all sessions.",
            )
        })
    }

    /// The newest session of a folder.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn latest_session(&self, project: &Path) -> Result<Option<SessionSummary>, Error> {
        Ok(self.records.reader().lists().latest_session(&project.display().to_string())?)
    }

    /// The events of a session with numbers above `after_seq`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn events_after(&self, session: &SessionId, after_seq: u64, limit: usize) -> Result<EventPage, Error> {
        Ok(self.records.reader().log().events(session, after_seq, limit)?)
    }

    /// The events of a run; `None` when there is no such run.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run_events(&self, run: &str) -> Result<Option<Vec<Event>>, Error> {
        let run = RunId::from(run);
        match self.records.reader().lists().run(&run)? {
            Some(_) => Ok(Some(self.records.reader().log().run_events(&run)?)),
            None => Ok(None),
        }
    }

    /// Hands out the events of a run, oldest first, one at a time; none if there is no such run.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn each_run_event(&self, run: &RunId, each: impl FnMut(Event)) -> Result<(), Error> {
        Ok(self.records.reader().log().each_run_event(run, each)?)
    }
}

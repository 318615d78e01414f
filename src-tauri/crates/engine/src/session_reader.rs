//! Sessions and their events, as they are stored: what whoever works on sessions reads of them.

pub(crate) mod history;
pub(crate) mod holding;
pub(crate) mod overview;
pub(crate) mod telling;
mod wholeness;

use crate::Records;
use arki_api::{RunSummary, SessionPage, Shown};
use arki_context::UNTITLED;
use arki_domain::projection::SessionSummary;
use arki_domain::{Code, Error, Event, RunId, SessionId};
use arki_store::{EventPage, ListedRuns, RunRecord};
use std::path::Path;
use std::sync::Arc;
use wholeness::CheckedSessions;

/// Reads sessions: their logs, what these come to, and whether they are whole.
pub struct SessionReader {
    records: Arc<Records>,
    /// The logs that are known to be whole.
    checked: CheckedSessions,
}

impl SessionReader {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        Self { records, checked: CheckedSessions::default() }
    }

    /// Sessions, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, limit: usize) -> Result<Vec<SessionSummary>, Error> {
        Ok(self.records.reader().lists().sessions(limit, 0)?)
    }

    pub(crate) fn session(&self, session: &SessionId) -> Result<SessionSummary, Error> {
        self.records.reader().lists().session(session)?.ok_or_else(|| {
            let message = format!("There is no session {session}.");
            Error::new(Code::SESSION_NOT_FOUND, message, "`arki sessions list` shows all sessions.")
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

    /// Lists runs, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs(&self, listed: ListedRuns, limit: usize) -> Result<Vec<RunSummary>, Error> {
        let runs = self.records.reader().lists().runs(listed, limit)?;
        Ok(runs.into_iter().map(run_summary).collect())
    }

    /// Returns a run by its whole id.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND`, or when the database cannot be read.
    pub fn run(&self, run: &RunId) -> Result<RunSummary, Error> {
        self.records.reader().lists().run(run)?.map(run_summary).ok_or_else(|| {
            Error::new(Code::RUN_NOT_FOUND, format!("There is no run {run}."), "`GET /v1/runs` lists runs.")
        })
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

    /// The last events of a session before `before_seq`, and what has arrived of an answer.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn session_page(
        &self,
        session: &SessionId,
        before_seq: Option<u64>,
        limit: usize,
    ) -> Result<SessionPage, Error> {
        let page = self.records.reader().log().page(session, before_seq, limit)?;
        let partial = match before_seq {
            None => match self.records.bus().partial(session) {
                None => self.records.reader().partial(session)?,
                live => live,
            },
            Some(_) => None,
        };
        Ok(SessionPage {
            events: page.events.into_iter().map(|event| arki_api::Event(Arc::new(event))).collect(),
            has_more: page.has_more,
            partial,
        })
    }

    /// The session, if it works in that folder.
    ///
    /// # Errors
    /// `SESSION_ELSEWHERE` when it works in another one, `SESSION_NOT_FOUND` when there is none. Nothing has happened
    /// then.
    pub fn session_shown(&self, shown: Shown) -> Result<SessionId, Error> {
        let session = self.session(&SessionId::from(shown.session_id.unwrap_or_default()))?;
        if session.project == shown.folder {
            return Ok(session.session_id);
        }
        let message = format!("This session works in {}, and the window showed {}.", session.project, shown.folder);
        Err(Error::new(Code::SESSION_ELSEWHERE, message, "Select the session again, or open the folder that you mean."))
    }

    /// Returns whether the session's next run is its first and gives it its title.
    pub(crate) fn awaits_its_title(&self, session_id: &SessionId) -> Result<bool, Error> {
        let session = self.session(session_id)?;
        Ok(session.run_id.is_none() && session.origin.is_none() && session.title == UNTITLED)
    }

    /// Events are numbered from 1 to `last`.
    pub(crate) fn ensure_event(&self, session_id: &SessionId, seq: u64, last: u64) -> Result<(), Error> {
        if (1..=last).contains(&seq) {
            return Ok(());
        }
        let message = format!("The session {session_id} has no event {seq}; its events are numbered from 1 to {last}.");
        Err(Error::new(Code::EVENT_NOT_FOUND, message, format!("`arki events {session_id}` shows them.")))
    }
}

fn run_summary(run: RunRecord) -> RunSummary {
    RunSummary {
        run_id: run.run_id.to_string(),
        session_id: run.session_id.to_string(),
        name: run.name,
        state: run.state,
        started_at: run.started_at,
    }
}

//! The user's marks in the list of sessions: those to keep at hand, and those to put away.

use crate::records::blocking;
use crate::sessions::Sessions;
use arki_domain::projection::SessionState;
use arki_domain::{Code, Error, EventDraft, EventLog, SessionConfigured, SessionId};
use std::sync::Arc;

/// The marks to set; `None` leaves one as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionMarks {
    pub pinned: Option<bool>,
    pub archived: Option<bool>,
}

impl Sessions {
    /// Marks a session. What is so already is not said again.
    ///
    /// # Errors
    /// `SESSION_BUSY` for archiving one that works or waits for the user, `SESSION_NOT_FOUND`, or those of the log.
    pub async fn mark(self: &Arc<Self>, session_id: &SessionId, marks: SessionMarks) -> Result<(), Error> {
        let id = session_id.clone();
        let session = blocking(self, move |sessions| {
            let session = sessions.reader.session(&id)?;
            sessions.reader.ensure_found_whole(&id)?;
            Ok(session)
        })
        .await?;
        if marks.archived == Some(true) && matches!(session.state, SessionState::Running | SessionState::Waiting) {
            let message = "This session is running or waits for you, so it can't be archived.";
            return Err(Error::new(Code::SESSION_BUSY, message, "Decide or stop its run first."));
        }
        let pinned = marks.pinned.filter(|pinned| *pinned != session.pinned);
        let archived = marks.archived.filter(|archived| *archived != session.archived);
        if pinned.is_none() && archived.is_none() {
            return Ok(());
        }
        let configured = SessionConfigured { pinned, archived, ..SessionConfigured::default() };
        self.records.log().append(session_id, vec![EventDraft::of_session(configured)]).await.map(drop)
    }
}

//! The user's words and marks in the list of sessions: titles, those to keep at hand, and those to put away.

use crate::{Sessions, blocking_for};
use arki_domain::projection::SessionState;
use arki_domain::{Code, Error, SessionConfigured, SessionId};
use std::sync::Arc;

/// The longest title, in characters.
const MAX_TITLE_CHARS: usize = 200;

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
        let session = blocking_for(self, session_id, |sessions, id| {
            let session = sessions.reader.session(id)?;
            sessions.reader.ensure_found_whole(id)?;
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
        self.records.note(session_id, SessionConfigured { pinned, archived, ..SessionConfigured::default() }).await
    }

    /// Gives the session another title and returns it, as one line.
    ///
    /// # Errors
    /// `USAGE` for a title that says nothing or is too long, `SESSION_NOT_FOUND`, or those of the log.
    pub async fn rename(self: &Arc<Self>, session_id: &SessionId, title: &str) -> Result<String, Error> {
        let words: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let title = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = title.chars().count();
        if length == 0 || length > MAX_TITLE_CHARS {
            let message = format!("A title has 1 to {MAX_TITLE_CHARS} characters; this one has {length}.");
            return Err(Error::new(Code::USAGE, message, "Choose another title."));
        }
        // A list shows it as it is stored with the session, beside the log.
        let title = self.records.redactor().redact(&title).into_owned();
        blocking_for(self, session_id, move |sessions, session| {
            sessions.reader.session(session)?;
            sessions.reader.ensure_found_whole(session)
        })
        .await?;
        self.records
            .note(session_id, SessionConfigured { title: Some(title.clone()), ..SessionConfigured::default() })
            .await?;
        Ok(title)
    }
}

//! Changes the title that the user gives a session.

use crate::records::blocking;
use crate::sessions::Sessions;
use arki_domain::{Code, Error, EventDraft, EventLog, SessionConfigured, SessionId};
use std::sync::Arc;

/// The longest title, in characters.
const MAX_TITLE_CHARS: usize = 200;

impl Sessions {
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
        let session = session_id.clone();
        blocking(self, move |sessions| {
            sessions.reader.session(&session)?;
            sessions.reader.ensure_found_whole(&session)
        })
        .await?;
        let configured = SessionConfigured { title: Some(title.clone()), ..SessionConfigured::default() };
        self.records.log().append(session_id, vec![EventDraft::of_session(configured)]).await?;
        Ok(title)
    }
}

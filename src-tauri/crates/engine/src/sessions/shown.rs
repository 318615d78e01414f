//! Turns what a client shows into what a command acts on: a session only together with the folder that was shown with
//! it.

use crate::sessions::Sessions;
use arki_api::Shown;
use arki_domain::{Code, Error, SessionId};

impl Sessions {
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
        Err(Error::new(
            Code::SESSION_ELSEWHERE,
            format!("This session works in {}, and the window showed {}.", session.project, shown.folder),
            "Select the session again, or open the folder that you mean.",
        ))
    }
}

//! What the window shows, as what a command acts on: a session only together with the folder that was shown with it.

use crate::projects::open::canonical;
use crate::{Engine, RunTarget};
use arki_api::Shown;
use arki_domain::{Code, Fault, SessionId};
use std::path::{Path, PathBuf};

impl Engine {
    /// Where a message goes that was written under these names.
    ///
    /// # Errors
    /// Those of [`Self::session_shown`], or `FOLDER_UNAVAILABLE` where the folder is gone or leads elsewhere by now.
    pub fn target_shown(&self, shown: Shown) -> Result<RunTarget, Fault> {
        match shown.session_id {
            Some(_) => self.session_shown(shown).map(RunTarget::Session),
            None => same_folder(&shown.folder).map(RunTarget::NewSession),
        }
    }

    /// The session, if it works in that folder.
    ///
    /// # Errors
    /// `SESSION_ELSEWHERE` when it works in another one, `SESSION_NOT_FOUND` when there is none. Nothing has happened
    /// then.
    pub fn session_shown(&self, shown: Shown) -> Result<SessionId, Fault> {
        let session = self.session(&SessionId::from(shown.session_id.unwrap_or_default()))?;
        if session.project == shown.folder {
            return Ok(session.session_id);
        }
        Err(Fault::new(
            Code::SESSION_ELSEWHERE,
            format!("This session works in {}, and the window showed {}.", session.project, shown.folder),
            "Select the session again, or open the folder that you mean.",
        ))
    }
}

fn same_folder(shown: &str) -> Result<PathBuf, Fault> {
    let folder = canonical(Path::new(shown))?;
    if folder == Path::new(shown) {
        return Ok(folder);
    }
    let message = format!("{shown} leads to {} by now.", folder.display());
    Err(Fault::new(Code::FOLDER_UNAVAILABLE, message, "Open the folder that you mean."))
}

//! Finds the values that have to be known as secrets before words of the user's are stored in a session.

use crate::sessions::Sessions;
use arki_domain::{Error, SessionId};

impl Sessions {
    /// This process may have read nothing of the session's folder yet, and looked for no key. Where the folder is gone,
    /// what has a secret's form is found all the same.
    pub(crate) fn learn_secrets_of(&self, session_id: &SessionId) -> Result<(), Error> {
        let session = self.reader.session(session_id)?;
        if let Ok(config) = self.accounts.user_config() {
            self.accounts.providers(&config);
        }
        self.projects.learn_secrets_in(&session.project)
    }
}

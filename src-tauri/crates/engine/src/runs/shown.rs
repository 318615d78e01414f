//! Finds the target of a message that was written under what a client shows.

use crate::RunTarget;
use crate::projects::open::canonical;
use crate::runs::Runs;
use arki_api::Shown;
use arki_domain::{Code, Error};
use std::path::{Path, PathBuf};

impl Runs {
    /// Returns where a message goes that was written under these names.
    ///
    /// # Errors
    /// Those of [`Self::session_shown`], or `FOLDER_UNAVAILABLE` where the folder is gone or leads elsewhere by now.
    pub fn target_shown(&self, shown: Shown) -> Result<RunTarget, Error> {
        match shown.session_id {
            Some(_) => self.sessions.reader().session_shown(shown).map(RunTarget::Session),
            None => same_folder(&shown.folder).map(RunTarget::NewSession),
        }
    }
}

fn same_folder(shown: &str) -> Result<PathBuf, Error> {
    let folder = canonical(Path::new(shown))?;
    if folder == Path::new(shown) {
        return Ok(folder);
    }
    let message = format!("{shown} now leads to {}.", folder.display());
    Err(Error::new(Code::FOLDER_UNAVAILABLE, message, "Open the folder that you mean."))
}

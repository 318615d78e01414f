//! The facts about a session before its run goes on: whose run waits for it, whether it was begun here, and what it was
//! begun with.

use crate::sessions::Sessions;
use arki_domain::projection::RunState;
use arki_domain::{Code, Error, RunId, SessionId, sha256_hex};
use std::sync::Arc;

/// Runs that work for each other, one beneath the other: a pipeline can run others, and an agent.
const MAX_LEVELS: usize = 16;

impl Sessions {
    /// The session whose run waits for this session's; the session itself where none does. A run that came with an
    /// export waits for nobody: it is not gone on with here.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn run_above(&self, session_id: &SessionId) -> Result<SessionId, Error> {
        let mut at = session_id.clone();
        for _ in 0..MAX_LEVELS {
            let above = self.run_right_above(&at)?;
            if above == at {
                break;
            }
            at = above;
        }
        Ok(at)
    }

    fn run_right_above(&self, session_id: &SessionId) -> Result<SessionId, Error> {
        let parent = self.overview(session_id)?.run.and_then(|run| run.parent.map(|parent| (run.run_id, parent)));
        let Some((run_id, parent)) = parent else { return Ok(session_id.clone()) };
        let above = self.overview(&parent.session_id)?.run.filter(|above| above.run_id == parent.run_id);
        let waits = above.is_some_and(|above| above.subagents().any(|started| started.run_id == run_id));
        let waits = waits && !self.records.reader().is_imported(&parent.run_id)?;
        Ok(if waits { parent.session_id } else { session_id.clone() })
    }

    /// Checks that the session was begun here: nobody here has granted what a log from elsewhere says was granted.
    pub(crate) fn ensure_begun_here(&self, run_id: &RunId) -> Result<(), Error> {
        if !self.records.reader().is_imported(run_id)? {
            return Ok(());
        }
        Err(Error::new(
            Code::RUN_NOT_FOUND,
            "This run came from an export, so it can't be resumed here.",
            "Fork the session (`arki sessions fork`) and continue in the fork.",
        ))
    }

    /// The very text that the run began with.
    pub(crate) fn frozen_system_prompt(&self, run: &RunState) -> Result<Arc<str>, Error> {
        let stored = self.records.reader().contents().blob(&run.system_prompt_hash)?;
        let text = stored
            .filter(|bytes| sha256_hex(bytes) == run.system_prompt_hash)
            .and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(Arc::from).ok_or_else(|| {
            Error::new(
                Code::IMAGE_MISSING,
                "The settings of this run are not stored here: its session came from an export.",
                "Fork the session (`arki sessions fork`) and continue in the fork.",
            )
        })
    }
}

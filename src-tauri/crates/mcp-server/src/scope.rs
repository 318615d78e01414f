//! The folder whose sessions are told.

use arki_api::SessionSummary;
use arki_domain::{Code, Error};
use arki_engine::Engine;

/// More sessions than this are not looked at.
const MAX_SESSIONS: usize = 10_000;

/// The sessions that another agent may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    All,
    /// Those of this folder (its canonical path) and of its worktrees.
    Folder(String),
}

impl Scope {
    /// `None`: all folders.
    pub(crate) fn folder(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Folder(folder) => Some(folder),
        }
    }

    fn has(&self, session: &SessionSummary) -> bool {
        match self {
            Self::All => true,
            Self::Folder(folder) => {
                session.project == *folder || session.worktree.as_ref().is_some_and(|of| of.project == *folder)
            }
        }
    }

    /// The sessions, the last used first.
    ///
    /// # Errors
    /// When the database can't be read.
    pub(crate) fn sessions(&self, engine: &Engine) -> Result<Vec<SessionSummary>, Error> {
        let mut listed = engine.worktrees().listed_sessions(MAX_SESSIONS)?;
        listed.retain(|session| self.has(session));
        Ok(listed)
    }

    /// A session, by its whole id.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, also for one of another folder.
    pub(crate) fn session(&self, engine: &Engine, id: &str) -> Result<SessionSummary, Error> {
        let mut sessions = self.sessions(engine)?.into_iter();
        sessions.find(|session| session.session_id == id).ok_or_else(|| {
            Error::new(Code::SESSION_NOT_FOUND, format!("There is no session {id} here."), "`list_sessions` has them.")
        })
    }
}

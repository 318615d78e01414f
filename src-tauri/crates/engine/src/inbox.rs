//! Counts the things that wait for the user, over all sessions.

use crate::{Approvals, Mcp, OpenQuestions};
use arki_domain::Error;
use std::sync::Arc;

/// The approvals, questions and servers' forms that wait for the user.
pub struct Inbox {
    approvals: Arc<Approvals>,
    mcp: Arc<Mcp>,
    questions: Arc<OpenQuestions>,
}

impl Inbox {
    pub(crate) fn new(approvals: Arc<Approvals>, mcp: Arc<Mcp>, questions: Arc<OpenQuestions>) -> Self {
        Self { approvals, mcp, questions }
    }

    /// Returns how many approvals and questions wait for the user in all sessions. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn waiting_count(&self) -> Result<usize, Error> {
        let approvals = self.approvals.pending().pending_approvals()?;
        let approvals = approvals.iter().filter(|record| record.request().is_some()).count();
        let of_servers = self.mcp.elicitations();
        let of_servers = of_servers.iter().filter(|asked| asked.session_id.is_some()).count();
        Ok(approvals + self.questions.open_questions()?.len() + of_servers)
    }
}

//! The note on a sub-agent's worktree.

use crate::notes::Note;
use arki_domain::{ParentCall, SessionId};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubagentNote {
    /// The session of the sub-agent.
    pub(super) session_id: SessionId,
    /// The project's folder, canonical.
    pub(super) origin: PathBuf,
    pub(super) parent: ParentCall,
    /// The files that it began with, once all are there.
    pub(super) files: Option<Vec<String>>,
    /// The files that are changed in it, once the sub-agent has ended.
    pub(super) changed: Option<Vec<String>>,
}

impl Note for SubagentNote {
    fn name(&self) -> String {
        self.session_id.to_string()
    }
}

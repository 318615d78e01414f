//! Work that a run hands to a sub-agent: the port behind the tool `delegate`, carried out where runs are.

use crate::client_capabilities::ClientCapabilities;
use arki_domain::{ApprovalId, Error, SessionId, SubagentStarted};
use arki_tools::{SubagentStop, SubagentTask, Subagents};
use arki_worktrees::SubagentWorktrees;
use async_trait::async_trait;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// Runs beneath another, as the executors see whoever carries them out.
#[async_trait]
pub(crate) trait WorksBeneath: Send + Sync {
    async fn work(self: Arc<Self>, delegation: &Delegation, task: SubagentTask<'_>) -> Result<SubagentStop, Error>;

    /// Returns whether nobody need decide on this approval any more.
    async fn is_settled(self: Arc<Self>, approval_id: &ApprovalId) -> Result<bool, Error>;

    /// Tells the session above a sub-agent's what has ended of what the sub-agent left in the background.
    async fn tell_above(self: Arc<Self>, session_id: &SessionId) -> Result<(), Error>;
}

pub(crate) struct Delegation {
    pub(super) beneath: Weak<dyn WorksBeneath>,
    pub(crate) project: PathBuf,
    /// The model for agents that have none of their own.
    pub(crate) model: String,
    /// The capabilities of the client that hosts the run above.
    pub(crate) presence: ClientCapabilities,
    /// The agents that change nothing.
    pub(super) readers: HashSet<String>,
    /// The agents that always have a worktree.
    pub(super) isolated: HashSet<String>,
    pub(super) trees: Arc<SubagentWorktrees>,
}

impl Delegation {
    fn beneath(&self) -> Result<Arc<dyn WorksBeneath>, Error> {
        self.beneath.upgrade().ok_or_else(|| Error::internal("the engine is closed"))
    }
}

#[async_trait]
impl Subagents for Delegation {
    fn only_reads(&self, agent: &str) -> bool {
        self.readers.contains(agent)
    }

    fn is_isolated(&self, agent: &str) -> bool {
        self.isolated.contains(agent)
    }

    fn ensure_can_isolate(&self) -> Result<(), Error> {
        self.trees.ensure_can_be_of(&self.project)
    }

    fn tree_of(&self, session_id: &SessionId) -> String {
        self.trees.place_of(session_id).display().to_string()
    }

    async fn work(&self, task: SubagentTask<'_>) -> Result<SubagentStop, Error> {
        self.beneath()?.work(self, task).await
    }

    async fn is_settled(&self, approval_id: &ApprovalId) -> Result<bool, Error> {
        self.beneath()?.is_settled(approval_id).await
    }

    async fn tell_of_background(&self, started: &SubagentStarted) -> Result<(), Error> {
        self.beneath()?.tell_above(&started.session_id).await
    }
}

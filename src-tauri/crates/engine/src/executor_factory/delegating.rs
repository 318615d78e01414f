//! The tool `delegate` of a run: what its configuration says of agents, over what hands work to them.

use crate::delegation::{Delegations, RunAbove};
use arki_domain::{ApprovalId, Error, SessionId, SubagentStarted};
use arki_tools::{SubagentStop, SubagentTask, Subagents};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::Arc;

pub(super) struct DelegatingRun {
    pub(super) delegations: Arc<Delegations>,
    pub(super) above: RunAbove,
    /// The agents that change nothing.
    pub(super) readers: HashSet<String>,
    /// The agents that always have a worktree.
    pub(super) isolated: HashSet<String>,
}

#[async_trait]
impl Subagents for DelegatingRun {
    fn only_reads(&self, agent: &str) -> bool {
        self.readers.contains(agent)
    }

    fn is_isolated(&self, agent: &str) -> bool {
        self.isolated.contains(agent)
    }

    fn ensure_can_isolate(&self) -> Result<(), Error> {
        self.delegations.subagent_worktrees().ensure_can_be_of(&self.above.project)
    }

    fn tree_of(&self, session_id: &SessionId) -> String {
        self.delegations.subagent_worktrees().place_of(session_id).display().to_string()
    }

    async fn work(&self, task: SubagentTask<'_>) -> Result<SubagentStop, Error> {
        self.delegations.work(&self.above, task).await
    }

    async fn is_settled(&self, approval_id: &ApprovalId) -> Result<bool, Error> {
        self.delegations.is_settled(approval_id).await
    }

    async fn tell_of_background(&self, started: &SubagentStarted) -> Result<(), Error> {
        self.delegations.tell_above(started).await
    }
}

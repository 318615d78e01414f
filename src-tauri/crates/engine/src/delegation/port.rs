//! The ports of a run that can hand work on: to it the tool `delegate` hands tasks, and by it sub-agents' runs begin and go
//! on, which are runs like itself.

use super::Delegations;
use crate::ClientCapabilities;
use arki_agent::{RunControl, RunEnd};
use arki_domain::{ApprovalId, ApprovalMode, Error, ParentCall, RunOptions, SessionId, SubagentStarted};
use arki_store::ApprovalStatus;
use arki_tools::{SubagentStop, SubagentTask, Subagents};
use async_trait::async_trait;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Begins and resumes the runs of sub-agents. The handle ends with the run's next stop.
#[async_trait]
pub(crate) trait RunsSubagents: Send + Sync {
    async fn start_subagent(self: Arc<Self>, start: SubagentStart) -> Result<JoinHandle<Result<RunEnd, Error>>, Error>;

    async fn resume_subagent(
        self: Arc<Self>,
        resume: SubagentResume,
    ) -> Result<JoinHandle<Result<RunEnd, Error>>, Error>;
}

/// The first run of a sub-agent, in a session of its own.
pub(crate) struct SubagentStart {
    pub(crate) started: SubagentStarted,
    pub(crate) folder: PathBuf,
    pub(crate) parent: ParentCall,
    pub(crate) presence: ClientCapabilities,
    pub(crate) control: RunControl,
    pub(crate) prompt: String,
    pub(crate) model: String,
    pub(crate) options: RunOptions,
}

/// A sub-agent's run as it goes on.
pub(crate) struct SubagentResume {
    pub(crate) started: SubagentStarted,
    /// The approval mode from now on; as before where `None`.
    pub(crate) approve: Option<ApprovalMode>,
    pub(crate) presence: ClientCapabilities,
    pub(crate) control: RunControl,
}

/// A run that can hand work on, with what its configuration says of agents.
pub(crate) struct RunAbove {
    pub(crate) delegations: Arc<Delegations>,
    /// `None` where calls are only judged.
    pub(crate) runs: Option<Arc<dyn RunsSubagents>>,
    pub(crate) project: PathBuf,
    /// The model for agents that have none of their own.
    pub(crate) model: String,
    /// The capabilities of the client that hosts it.
    pub(crate) presence: ClientCapabilities,
    /// The agents that change nothing.
    pub(crate) readers: HashSet<String>,
    /// The agents that always have a worktree.
    pub(crate) isolated: HashSet<String>,
}

impl RunAbove {
    pub(super) fn runs(&self) -> Result<Arc<dyn RunsSubagents>, Error> {
        self.runs.clone().ok_or_else(|| Error::internal("a call that is only judged hands on no work"))
    }
}

#[async_trait]
impl Subagents for RunAbove {
    fn only_reads(&self, agent: &str) -> bool {
        self.readers.contains(agent)
    }

    fn is_isolated(&self, agent: &str) -> bool {
        self.isolated.contains(agent)
    }

    fn ensure_can_isolate(&self) -> Result<(), Error> {
        self.delegations.projects.subagent_worktrees().ensure_can_be_of(&self.project)
    }

    fn tree_of(&self, session_id: &SessionId) -> String {
        self.delegations.projects.subagent_worktrees().place_of(session_id).display().to_string()
    }

    async fn work(&self, task: SubagentTask<'_>) -> Result<SubagentStop, Error> {
        self.delegations.work(self, task).await
    }

    async fn is_settled(&self, approval_id: &ApprovalId) -> Result<bool, Error> {
        let (records, approval_id) = (&self.delegations.records, approval_id.clone());
        let record = records.store().read(move |reader| reader.lists().approval(&approval_id)).await?;
        let Some(record) = record.filter(|record| record.status == ApprovalStatus::Pending) else { return Ok(true) };
        let expires = record.request().and_then(|asked| asked.expires_at_ms(record.requested.ts));
        Ok(expires.is_some_and(|expires| expires <= records.clock().now_ms()))
    }

    async fn tell_of_background(&self, started: &SubagentStarted) -> Result<(), Error> {
        self.delegations.results.tell_above(&started.session_id).await
    }
}

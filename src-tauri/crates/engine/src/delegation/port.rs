//! The port through which sub-agents' runs begin and go on: a run hands work to runs like itself.

use crate::client_capabilities::ClientCapabilities;
use arki_agent::{RunControl, RunEnd};
use arki_domain::{ApprovalMode, Error, ParentCall, RunOptions, SubagentStarted};
use async_trait::async_trait;
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

//! A run that this process is working on.

use arki_agent::{RunControl, RunEnd};
use arki_api::Sent;
use arki_domain::{Error, RunId, SessionId, SubagentStarted};
use tokio::task::JoinHandle;

/// A run that this process is working on.
#[derive(Clone)]
pub struct ActiveRun {
    pub session_id: SessionId,
    pub run_id: RunId,
    /// The sub-agents that worked for the run when it went on.
    pub subagents: Vec<SubagentStarted>,
    /// The permissions beyond the sandbox that a pipeline's run was given when it started, or is given by another
    /// definition that it goes on with; a sentence each.
    pub grants: Vec<String>,
    pub(crate) control: RunControl,
}

impl ActiveRun {
    /// Asks the run to stop; what has arrived of an answer is kept.
    pub fn stop(&self) {
        self.control.cancel.cancel();
    }

    /// Asks the run to pause after the step it is at.
    pub fn pause(&self) {
        self.control.pause.cancel();
    }

    /// Ends the wait before a retry, if the run is at one.
    pub fn retry_now(&self) {
        self.control.skip_wait.notify_waiters();
    }
}

impl From<&ActiveRun> for Sent {
    fn from(run: &ActiveRun) -> Self {
        Self { session_id: run.session_id.to_string(), run_id: Some(run.run_id.to_string()), message_id: None }
    }
}

/// A run in progress; the handle ends with its next stop.
pub(crate) type RunningRun = (ActiveRun, JoinHandle<Result<RunEnd, Error>>);

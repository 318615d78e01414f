//! Runs from their start to their end: started, resumed, stopped, queued, delegated, left in the background.

pub(crate) mod active_run;
mod answering;
pub(crate) mod compactions;
pub(crate) mod composing;
pub(crate) mod configuring;
mod git_state;
pub(crate) mod hold;
mod late_context;
pub(crate) mod launch;
pub(crate) mod mentions;
pub(crate) mod next_request;
pub(crate) mod notifying;
pub(crate) mod output_schema;
pub(crate) mod piped_input;
pub(crate) mod pipelines;
pub(crate) mod place;
mod preparing;
pub(crate) mod prompt_images;
pub(crate) mod queue;
pub(crate) mod resume;
mod settling;
pub(crate) mod start;
pub(crate) mod stopping;
pub(crate) mod system_prompt;
pub(crate) mod typed;

use crate::{
    Accounts, Approvals, BackgroundWork, Delegations, ExecutorFactory, Mcp, OpenQuestions, PipelineHistory, Projects,
    Records, Restorations, SessionReader, Sessions,
};
use hold::ActiveRuns;
use notifying::RunNotices;
use preparing::RunPreparation;
use queue::MessageQueues;
use settling::{Afterwards, RunSettling};
use std::sync::Arc;
use tokio::sync::watch;

/// Runs: begun, gone on with, stopped.
pub struct Runs {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    mcp: Arc<Mcp>,
    executors: Arc<ExecutorFactory>,
    delegations: Arc<Delegations>,
    background: Arc<BackgroundWork>,
    reader: Arc<SessionReader>,
    sessions: Arc<Sessions>,
    questions: Arc<OpenQuestions>,
    restorations: Arc<Restorations>,
    approvals: Arc<Approvals>,
    pipeline_history: Arc<PipelineHistory>,
    queues: Arc<MessageQueues>,
    preparation: Arc<RunPreparation>,
    settling: Arc<RunSettling>,
    active: ActiveRuns,
}

impl Runs {
    /// The notices of runs that ended or wait for the user.
    #[must_use]
    pub fn notices(&self) -> &Arc<RunNotices> {
        &self.settling.notices
    }

    /// The work that follows runs, on nobody's way.
    #[must_use]
    pub fn afterwards(&self) -> &Afterwards {
        &self.settling.afterwards
    }

    /// Returns the number of runs that this process works on, now and on every change, without those waiting for the
    /// user.
    #[must_use]
    pub fn active_count(&self) -> watch::Receiver<usize> {
        self.active.count()
    }
}

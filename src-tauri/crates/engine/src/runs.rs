//! Runs from their start to their end: started, resumed, stopped, queued, delegated, left in the background.

pub(crate) mod active_run;
mod afterwards;
mod answering;
mod beneath;
mod configuring;
mod expiring;
mod for_clients;
mod git_state;
mod hold;
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
mod reflecting;
pub(crate) mod resume;
pub(crate) mod start;
pub(crate) mod stopping;
mod system_prompt;
mod typed;
mod waiting;

use crate::accounts::Accounts;
use crate::approvals::Approvals;
use crate::background_work::BackgroundWork;
use crate::delegation::Delegations;
use crate::executor_factory::ExecutorFactory;
use crate::log_anchors::LogAnchors;
use crate::mcp::Mcp;
use crate::open_questions::OpenQuestions;
use crate::pipeline_history::PipelineHistory;
use crate::projects::Projects;
use crate::records::Records;
use crate::restorations::Restorations;
use crate::session_names::SessionNames;
use crate::session_reader::SessionReader;
use crate::sessions::Sessions;
use afterwards::Afterwards;
use arki_domain::SessionId;
use hold::ActiveRuns;
use notifying::RunNotices;
use reflecting::Reflector;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use system_prompt::SystemPrompts;
use tokio::sync::watch;

/// The services that runs are made with.
pub(crate) struct BelowRuns {
    pub(crate) records: Arc<Records>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) projects: Arc<Projects>,
    pub(crate) mcp: Arc<Mcp>,
    pub(crate) kernels: Arc<ExecutorFactory>,
    pub(crate) delegations: Arc<Delegations>,
    pub(crate) background: Arc<BackgroundWork>,
    pub(crate) reader: Arc<SessionReader>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) names: Arc<SessionNames>,
    pub(crate) questions: Arc<OpenQuestions>,
    pub(crate) anchors: Arc<LogAnchors>,
    pub(crate) restorations: Arc<Restorations>,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) pipeline_history: Arc<PipelineHistory>,
}

/// Runs: begun, gone on with, stopped, queued, and what they leave in the background.
pub struct Runs {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    mcp: Arc<Mcp>,
    kernels: Arc<ExecutorFactory>,
    delegations: Arc<Delegations>,
    background: Arc<BackgroundWork>,
    reader: Arc<SessionReader>,
    sessions: Arc<Sessions>,
    names: Arc<SessionNames>,
    questions: Arc<OpenQuestions>,
    anchors: Arc<LogAnchors>,
    restorations: Arc<Restorations>,
    approvals: Arc<Approvals>,
    pipeline_history: Arc<PipelineHistory>,
    active: ActiveRuns,
    system_prompts: SystemPrompts,
    reflector: Arc<Reflector>,
    afterwards: Afterwards,
    /// The sessions that this program has worked on.
    started_here: Mutex<HashSet<SessionId>>,
    notices: Arc<RunNotices>,
}

impl Runs {
    pub(crate) fn new(below: BelowRuns) -> Self {
        let (active, afterwards, started_here) = Default::default();
        let (records, accounts, projects) = (below.records, below.accounts, below.projects);
        let (reader, anchors, approvals) = (below.reader, below.anchors, below.approvals);
        let system_prompts =
            SystemPrompts { records: records.clone(), accounts: accounts.clone(), projects: projects.clone() };
        let reflector = Arc::new(Reflector {
            records: records.clone(),
            accounts: accounts.clone(),
            projects: projects.clone(),
            reader: reader.clone(),
            anchors: anchors.clone(),
        });
        let notices = Arc::new(RunNotices::new(records.clone(), reader.clone(), approvals.clone()));
        Self {
            records,
            accounts,
            projects,
            mcp: below.mcp,
            kernels: below.kernels,
            delegations: below.delegations,
            background: below.background,
            reader,
            sessions: below.sessions,
            names: below.names,
            questions: below.questions,
            anchors,
            restorations: below.restorations,
            approvals,
            pipeline_history: below.pipeline_history,
            active,
            system_prompts,
            reflector,
            afterwards,
            started_here,
            notices,
        }
    }

    /// The notices of runs that ended or wait for the user.
    #[must_use]
    pub fn notices(&self) -> &Arc<RunNotices> {
        &self.notices
    }

    #[must_use]
    pub fn system_prompts(&self) -> &SystemPrompts {
        &self.system_prompts
    }

    /// The work that follows runs, on nobody's way.
    #[must_use]
    pub fn afterwards(&self) -> &Afterwards {
        &self.afterwards
    }

    /// Returns the number of runs that this process works on, now and on every change, without those waiting for the
    /// user.
    #[must_use]
    pub fn active_count(&self) -> watch::Receiver<usize> {
        self.active.count()
    }
}

//! Runs of pipelines: each is a session of its own with one run, on the same hold as an agent's. What a step does is asked
//! of this world (`world`); an agent or a pipeline that works for a step is a run beneath (`beneath`), found again by the
//! log.

pub(crate) mod resuming;
mod retrying;
pub(crate) mod starting;
mod world;

use crate::{
    ActiveRun, ClientCapabilities, OpenProject, PipelineHistory, RunningRun, Runs, SessionHold, WholePipeline,
};
use arki_agent::{RunControl, RunEnd};
use arki_config::Config;
use arki_domain::{Error, RunOptions, SessionId};
use arki_pipelines::{Definition, PipelineParts, PipelineRun, PipelineSnapshot};
use arki_policy::PolicySettings;
use std::sync::Arc;
use world::StepsWorld;

/// A run that is ready to be worked on.
pub(super) struct ReadyPipeline {
    session_id: SessionId,
    open: OpenProject,
    config: Config,
    options: RunOptions,
    whole: WholePipeline,
    definition: Definition,
    input: Arc<str>,
    standing: PipelineSnapshot,
    has_parent: bool,
    /// The permissions that are new with this start, a sentence each.
    grants: Vec<String>,
}

/// Starts pipelines, goes on with them and tries them again, over the runs that their steps may need.
pub struct PipelineRuns {
    runs: Arc<Runs>,
    history: Arc<PipelineHistory>,
}

impl PipelineRuns {
    pub(crate) fn new(runs: Arc<Runs>, history: Arc<PipelineHistory>) -> Self {
        Self { runs, history }
    }

    /// Sets the runner to work.
    pub(super) fn launch_pipeline(
        self: &Arc<Self>,
        mut ready: ReadyPipeline,
        (mut hold, presence): (SessionHold, ClientCapabilities),
    ) -> Result<RunningRun, Error> {
        ready.definition.deny_also(&ready.options.denied_paths)?;
        // However a command finds its way to such a file, it isn't there.
        ready.config.deny_files(ready.definition.denylist.patterns())?;
        let ReadyPipeline { session_id, open, config, options, whole, standing, has_parent, .. } = ready;
        let control: RunControl = hold.control().clone();
        let active = ActiveRun {
            session_id: session_id.clone(),
            run_id: standing.state.run_id.clone(),
            subagents: standing.state.steps.values().filter_map(|step| step.child.clone()).collect(),
            grants: ready.grants,
            control: control.clone(),
        };
        let policy = PolicySettings {
            plan: options.plan,
            read_only: options.read_only,
            disabled_tools: options.disabled_tools.clone(),
            ..config.policy.clone()
        };
        let executor = self.runs.executors.executor_of_run(&open, &Config { policy, ..config }, presence, None);
        let (pipelines, project, folder) = (self.clone(), open.path(), open.project.root().to_owned());
        let world = StepsWorld { pipelines, executor, project: open.project, folder, options, presence, whole };
        let parts = PipelineParts {
            log: self.runs.records.run_log(),
            contents: self.runs.records.contents().clone(),
            redactor: self.runs.records.redactor().clone(),
            world: Arc::new(world),
        };
        hold.enter(&self.runs.active, active.clone());
        let run =
            PipelineRun::new(parts, Arc::new(ready.definition), session_id.clone(), ready.input, standing, control);
        let pipelines = self.clone();
        let handle = tokio::spawn(async move {
            let telling = pipelines.runs.projects.leavings().with_leavings(&session_id, &project, run.run());
            let (ended, _claim) = hold.during(telling).await;
            pipelines.after_pipeline(presence, &session_id, has_parent, &ended).await;
            ended
        });
        Ok((active, handle))
    }

    async fn after_pipeline(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
        has_parent: bool,
        ended: &Result<RunEnd, Error>,
    ) {
        self.runs.settling.keep(session_id, ended).await;
        if let Ok(RunEnd::AwaitingApproval(approval_id)) = ended
            && !has_parent
        {
            self.runs.expire_in_time(presence, session_id, approval_id);
        }
    }
}

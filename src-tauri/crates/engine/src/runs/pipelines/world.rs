//! The world of steps: the executor's sandbox and policy for commands and requests, runs beneath for agents and pipelines.

use crate::client_capabilities::ClientCapabilities;
use crate::projects::open::OpenProject;
use crate::projects::pipelines::WholePipeline;
use crate::runs::pipelines::PipelineRuns;
use arki_domain::{ApprovalId, CallContext, Error, RunOptions, SubagentStarted};
use arki_files::{Project, RealPlace, real_place};
use arki_pipelines::{
    AgentTask, ChildEnd, CommandEnd, CommandEnding, CommandTask, HttpRequest, HttpResponse, StepHost, Task,
};
use arki_process::{AnswerEnding, inherited_environment};
use arki_store::ApprovalStatus;
use arki_tools::{HttpAnswer, Requested, StepCommand, ToolExecutor};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct StepsWorld {
    pipelines: Arc<PipelineRuns>,
    executor: Arc<ToolExecutor>,
    project: Arc<Project>,
    pub(super) folder: PathBuf,
    /// The options of the run.
    pub(super) options: RunOptions,
    pub(super) presence: ClientCapabilities,
    /// The run's own copies of what it runs.
    pub(super) whole: WholePipeline,
}

impl StepsWorld {
    pub(super) fn new(
        pipelines: Arc<PipelineRuns>,
        executor: Arc<ToolExecutor>,
        open: &OpenProject,
        options: RunOptions,
        presence: ClientCapabilities,
        whole: WholePipeline,
    ) -> Self {
        let project = open.project.clone();
        let folder = project.root().to_owned();
        Self { pipelines, executor, project, folder, options, presence, whole }
    }

    fn context(&self, task: &Task) -> CallContext {
        let context = &task.context;
        CallContext {
            session_id: context.session_id.clone(),
            run_id: context.run_id.clone(),
            options: self.options.clone(),
            time_left: None,
            cost_left_usd: None,
            previous: None,
            sees_pictures: false,
            agent_state: Default::default(),
            last_seq: context.last_seq,
            cancel: context.cancel.clone(),
            pause: context.pause.clone(),
        }
    }
}

#[async_trait]
impl StepHost for StepsWorld {
    fn named_paths(&self, line: &str) -> Vec<String> {
        arki_policy::file_words(line)
    }

    fn places(&self, path: &str) -> Vec<String> {
        let by_text = self.project.resolve(path).ok().map(|path| path.as_str().to_owned());
        let by_links = match real_place(&self.project, path) {
            RealPlace::Inside(real) => Some(real.as_str().to_owned()),
            RealPlace::Outside(real) => Some(real.to_string_lossy().into_owned()),
            RealPlace::Unknown => None,
        };
        by_text.into_iter().chain(by_links).collect()
    }

    fn other_names(&self, paths: &[&str]) -> Vec<(usize, String)> {
        let names = self.project.other_names(paths).into_iter();
        names.map(|(at, name)| (at, name.to_string())).collect()
    }

    fn is_there(&self, path: &str) -> bool {
        self.folder.join(path).symlink_metadata().is_ok()
    }

    fn has_program(&self, name: &str) -> bool {
        let path = inherited_environment().into_iter().find(|(variable, _)| variable == "PATH");
        let folders = path.map(|(_, folders)| folders).unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
    }

    async fn command(&self, command: &CommandTask<'_>, task: &Task) -> Result<CommandEnd, Error> {
        let context = &task.context;
        let home = std::env::home_dir().unwrap_or_default();
        let environment: Vec<(String, String)> =
            task.params.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let step = StepCommand {
            pipeline: &context.pipeline,
            step: &context.step,
            line: command.line,
            input: task.input.as_bytes().to_vec(),
            environment: &environment,
            network: command.network,
            home_files: command.home_files.iter().map(|file| home.join(file)).filter(|file| file.exists()).collect(),
            time_limit: context.time_limit,
            max_output_bytes: usize::try_from(context.max_output_bytes).unwrap_or(usize::MAX),
        };
        let answer = self.executor.steps().run(step, &self.context(task)).await?;
        let answered = answer.answered;
        Ok(CommandEnd {
            ending: match answered.ending {
                AnswerEnding::Exited => CommandEnding::Exited,
                AnswerEnding::TimedOut => CommandEnding::TimedOut,
                AnswerEnding::Cancelled => CommandEnding::Cancelled,
                AnswerEnding::Overran(limit) => CommandEnding::Overran(limit.to_string()),
            },
            exit_code: answered.exit_code,
            stdout: answered.stdout,
            is_text: answered.stdout_is_text,
            is_cut: answered.stdout_cut,
            stderr: answered.stderr,
            changed: answer.changed,
        })
    }

    async fn agent(&self, agent: AgentTask, task: &Task) -> Result<ChildEnd, Error> {
        self.agent_works(&self.pipelines, agent, task).await
    }

    async fn pipeline(&self, name: &str, params: BTreeMap<String, String>, task: &Task) -> Result<ChildEnd, Error> {
        self.pipeline_works(&self.pipelines, name, params, task).await
    }

    async fn can_go_on(&self, child: &SubagentStarted) -> Result<bool, Error> {
        let stands = self.stands(&self.pipelines, child).await?;
        Ok(stands.is_none_or(|state| state.can_go_on()))
    }

    async fn http(&self, request: HttpRequest, task: &Task) -> Result<HttpResponse, Error> {
        let HttpRequest { url, method, headers, body } = request;
        let max_bytes = usize::try_from(task.context.max_output_bytes).unwrap_or(usize::MAX);
        let requested = Requested { url: &url, method, headers: &headers, body, max_bytes };
        let answer = self.executor.steps().request(&task.context.step, requested, &self.context(task)).await?;
        let HttpAnswer { status, location, body } = answer;
        Ok(HttpResponse { status, location, body })
    }

    async fn is_settled(&self, approval: &ApprovalId) -> Result<bool, Error> {
        let record = self.pipelines.runs.approvals.pending().approval_now(approval).await;
        Ok(record.is_none_or(|record| record.status != ApprovalStatus::Pending))
    }
}

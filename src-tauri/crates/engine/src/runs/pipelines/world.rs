//! The world of steps: the executor's sandbox and policy for commands and requests, runs beneath for agents and pipelines.
//!
//! The state of a run beneath is read off its own log, so that it is begun once and gone on with from there.

use super::resuming::DefinitionChoice;
use super::starting::{PipelineInput, PipelinePlace, StartPipeline};
use crate::delegation::{NOT_FOR_SUBAGENTS, end_of};
use crate::runs::place::RunPlace;
use crate::{
    ClientCapabilities, PipelineRuns, ResumeOptions, RunTarget, RunningRun, StartRun, WholePipeline, blocking,
};
use arki_agent::{RunControl, RunEnd};
use arki_domain::projection::{RunPhase, RunState};
use arki_domain::{ApprovalId, CallContext, CallId, Code, Error, ParentCall, RunOptions, SubagentStarted};
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
    pub(super) pipelines: Arc<PipelineRuns>,
    pub(super) executor: Arc<ToolExecutor>,
    pub(super) project: Arc<Project>,
    pub(super) folder: PathBuf,
    /// The options of the run.
    pub(super) options: RunOptions,
    pub(super) presence: ClientCapabilities,
    /// The run's own copies of what it runs.
    pub(super) whole: WholePipeline,
}

impl StepsWorld {
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
        let child = child_of(task)?;
        let end = match self.stands(child).await? {
            Some(state) => self.go_on(child, state, None, task).await?,
            None => {
                let start = self.start_of(agent, task)?;
                let place = RunPlace {
                    session_id: child.session_id.clone(),
                    run_id: child.run_id.clone(),
                    agent: child.agent.clone(),
                    parent: Some(parent_of(task)),
                    control: control_of(task),
                    ..RunPlace::of_new_session(self.folder.clone(), self.presence)
                };
                ended(self.pipelines.runs.start_at(place, start).await?).await?
            }
        };
        Ok(as_child_end(end, &child.agent))
    }

    async fn pipeline(&self, name: &str, params: BTreeMap<String, String>, task: &Task) -> Result<ChildEnd, Error> {
        let child = child_of(task)?;
        let given = self.whole.part(name)?;
        let end = match self.stands(child).await? {
            Some(state) => self.go_on(child, state, Some(given), task).await?,
            None => {
                let place = PipelinePlace {
                    given: Some(given),
                    session_id: child.session_id.clone(),
                    run_id: child.run_id.clone(),
                    parent: Some(parent_of(task)),
                    depth: task.context.depth + 1,
                    denied_paths: task.denylist.patterns().to_vec(),
                    control: control_of(task),
                    ..PipelinePlace::new(self.presence)
                };
                let start = StartPipeline {
                    folder: self.folder.clone(),
                    name: name.to_owned(),
                    input: PipelineInput { bytes: task.input.as_bytes().to_vec(), path: None },
                    params,
                    approve: task.context.approve,
                    schedule: None,
                };
                // A future that holds one of its own kind has to be kept apart.
                ended(Box::pin(self.pipelines.start_pipeline_at(place, start)).await?).await?
            }
        };
        if !matches!(end, RunEnd::Completed { .. }) {
            return Ok(as_child_end(end, name));
        }
        let run_id = child.run_id.clone();
        let output = blocking(&self.pipelines, move |pipelines| pipelines.history.output(&run_id)).await?;
        Ok(ChildEnd::Completed { output })
    }

    async fn can_go_on(&self, child: &SubagentStarted) -> Result<bool, Error> {
        let stands = self.stands(child).await?;
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

impl StepsWorld {
    async fn stands(&self, child: &SubagentStarted) -> Result<Option<RunState>, Error> {
        let run_id = child.run_id.clone();
        blocking(&self.pipelines, move |pipelines| {
            let events = pipelines.runs.reader.run_events(run_id.as_str())?.unwrap_or_default();
            Ok(RunState::fold(&events))
        })
        .await
    }

    async fn go_on(
        &self,
        child: &SubagentStarted,
        state: RunState,
        given: Option<WholePipeline>,
        task: &Task,
    ) -> Result<RunEnd, Error> {
        // A pipeline that failed is tried again where it failed; an agent is asked anew.
        let is_over = match state.phase {
            RunPhase::Failed { .. } => !state.is_of_pipeline(),
            _ => true,
        };
        if let Some(end) = end_of(&state).filter(|_| is_over) {
            return Ok(end);
        }
        let approve = Some(task.context.approve).filter(|approve| *approve != state.options.approve);
        let (control, run) = (control_of(task), Some(child.run_id.clone()));
        let (presence, definition, answer) = (self.presence, DefinitionChoice::Original, None);
        let resume = ResumeOptions { control, approve, run, presence, answer, definition, given };
        ended(Box::pin(self.pipelines.runs.resume(&child.session_id, resume)).await?).await
    }

    fn start_of(&self, agent: AgentTask, task: &Task) -> Result<StartRun, Error> {
        let pattern = agent.pattern.as_deref().map(crate::projects::pipelines::fabric_pattern).transpose()?;
        let system: Vec<String> = pattern.into_iter().chain(agent.system).collect();
        let own = &self.options;
        let mut disabled_tools = own.disabled_tools.clone();
        disabled_tools.extend(NOT_FOR_SUBAGENTS.map(str::to_owned));
        let options = RunOptions {
            approve: task.context.approve,
            read_only: own.read_only || agent.is_read_only,
            max_turns: agent.max_turns,
            max_seconds: Some(task.context.time_limit.as_secs().max(1)),
            system: (!system.is_empty()).then(|| system.join("\n\n")),
            disabled_tools,
            denied_paths: task.denylist.patterns().to_vec(),
            ..RunOptions::default()
        };
        let target = RunTarget::NewSession(self.folder.clone());
        // An empty prompt is refused, and an empty input is nothing to answer.
        let start = StartRun::new(target, agent.prompt);
        Ok(StartRun { model: agent.model, core: agent.core, options, ..start })
    }
}

fn child_of(task: &Task) -> Result<&SubagentStarted, Error> {
    task.child.as_ref().ok_or_else(|| Error::internal("a step without the run that works for it"))
}

fn parent_of(task: &Task) -> ParentCall {
    let context = &task.context;
    ParentCall {
        session_id: context.session_id.clone(),
        run_id: context.run_id.clone(),
        call_id: CallId::from(context.step.as_str()),
    }
}

/// The user may stop the run beneath alone.
fn control_of(task: &Task) -> RunControl {
    let (cancel, pause) = (task.context.cancel.child_token(), task.context.pause.child_token());
    RunControl { cancel, pause, ..RunControl::default() }
}

async fn ended((_, handle): RunningRun) -> Result<RunEnd, Error> {
    handle.await.map_err(Error::internal)?
}

fn as_child_end(end: RunEnd, name: &str) -> ChildEnd {
    match end {
        RunEnd::Completed { response } => ChildEnd::Completed { output: response },
        RunEnd::Failed(fault) => ChildEnd::Failed(fault),
        RunEnd::Cancelled => {
            ChildEnd::Cancelled(Error::new(Code::CANCELLED, format!("The run of {name} was stopped."), ""))
        }
        RunEnd::AwaitingApproval(approval) => ChildEnd::Waiting(approval),
        RunEnd::AwaitingAnswer(_) | RunEnd::Paused => ChildEnd::Paused,
        RunEnd::BudgetExhausted => ChildEnd::Failed(Error::new(
            Code::BUDGET_EXHAUSTED,
            format!("The agent {name} used up its budget before it finished."),
            "Raise `max_turns` or `timeout_seconds` of the step.",
        )),
    }
}

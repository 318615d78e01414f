//! Runs that work for a step: an agent's, or another pipeline's. Where one stands is read off its own log, so that it is
//! begun once and gone on with from there.

use super::resuming::DefinitionChoice;
use super::starting::{PipelineInput, PipelinePlace, StartPipeline};
use super::world::StepsWorld;
use crate::delegation::{NOT_FOR_SUBAGENTS, end_of};
use crate::projects::pipelines::WholePipeline;
use crate::records::blocking;
use crate::runs::active_run::RunningRun;
use crate::runs::pipelines::PipelineRuns;
use crate::runs::place::{RunPlace, RunTarget, StartRun};
use crate::runs::resume::ResumeOptions;
use arki_agent::{RunControl, RunEnd};
use arki_domain::projection::{RunPhase, RunState};
use arki_domain::{CallId, Code, Error, ParentCall, RunOptions, SubagentStarted};
use arki_pipelines::{AgentTask, ChildEnd, Task};
use std::collections::BTreeMap;
use std::sync::Arc;

impl StepsWorld {
    pub(super) async fn agent_works(
        &self,
        pipelines: &Arc<PipelineRuns>,
        agent: AgentTask,
        task: &Task,
    ) -> Result<ChildEnd, Error> {
        let child = child_of(task)?;
        let end = match self.stands(pipelines, child).await? {
            Some(state) => self.go_on(pipelines, child, state, None, task).await?,
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
                ended(pipelines.runs.start_at(place, start).await?).await?
            }
        };
        Ok(as_child_end(end, &child.agent))
    }

    pub(super) async fn pipeline_works(
        &self,
        pipelines: &Arc<PipelineRuns>,
        name: &str,
        params: BTreeMap<String, String>,
        task: &Task,
    ) -> Result<ChildEnd, Error> {
        let child = child_of(task)?;
        let given = self.whole.part(name)?;
        let end = match self.stands(pipelines, child).await? {
            Some(state) => self.go_on(pipelines, child, state, Some(given), task).await?,
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
                ended(Box::pin(pipelines.start_pipeline_at(place, start)).await?).await?
            }
        };
        if !matches!(end, RunEnd::Completed { .. }) {
            return Ok(as_child_end(end, name));
        }
        let run_id = child.run_id.clone();
        let output = blocking(pipelines, move |pipelines| pipelines.history.output(&run_id)).await?;
        Ok(ChildEnd::Completed { output })
    }

    pub(super) async fn stands(
        &self,
        pipelines: &Arc<PipelineRuns>,
        child: &SubagentStarted,
    ) -> Result<Option<RunState>, Error> {
        let run_id = child.run_id.clone();
        blocking(pipelines, move |pipelines| {
            let events = pipelines.runs.reader.run_events(run_id.as_str())?.unwrap_or_default();
            Ok(RunState::fold(&events))
        })
        .await
    }

    async fn go_on(
        &self,
        pipelines: &Arc<PipelineRuns>,
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
        let resume = ResumeOptions {
            control: control_of(task),
            approve,
            run: Some(child.run_id.clone()),
            presence: self.presence,
            definition: DefinitionChoice::Original,
            given,
            answer: None,
        };
        ended(Box::pin(pipelines.runs.resume(&child.session_id, resume)).await?).await
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

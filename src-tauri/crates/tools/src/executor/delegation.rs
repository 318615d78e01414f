//! Work that is handed to a sub-agent: that it is, is in the log before the sub-agent begins, and what it came to is
//! the call's result. In between the call waits as long as the sub-agent does, also across restarts.
//!
//! A sub-agent may work in a worktree of its own: which calls get one, what the run above is told of it, and its end once
//! its changes were decided on.

use super::background_subagents::BackgroundSubagents;
use super::call_log::CallLog;
use super::kept_whole::CallResults;
use super::record::Record;
use super::toolbox::Toolbox;
use crate::builtin::delegate::{self, Arguments};
use crate::builtin::take_changes;
use crate::outcome::Output;
use crate::subagents::{SubagentEnd, SubagentStop, SubagentTask, Subagents};
use crate::tool::{Action, arguments};
use arki_domain::projection::{CallProgress, PendingCall};
use arki_domain::{
    CallOutcome, Code, Error, EventBody, LeftInBackground, RunId, SessionId, SubagentStarted, TAKE_CHANGES_TOOL,
    ToolCall,
};
use arki_policy::Verdict;
use std::fmt::Write;
use std::sync::Arc;

/// The files that the model is told by name.
const MAX_NAMED_FILES: usize = 50;

/// Hands calls over to sub-agents.
pub(super) struct DelegatedCalls {
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) results: Arc<CallResults>,
    pub(super) call_log: CallLog,
    pub(super) background: BackgroundSubagents,
}

impl DelegatedCalls {
    pub(super) async fn delegate(
        self: &Arc<Self>,
        subagents: &dyn Subagents,
        call: &ToolCall,
        verdict: &Verdict,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let arguments = match delegate::parse(&call.args) {
            Ok(arguments) => arguments,
            Err(error) => return record.conclude_read(call, verdict, Err(error.into())).await,
        };
        if let Err(fault) = self.ensure_can_be_taken(subagents, &arguments) {
            return record.conclude_read(call, verdict, Err(fault)).await;
        }
        if arguments.background {
            return self.delegate_in_background(subagents, (call, &arguments), verdict, record).await;
        }
        let started = self.begun(subagents, call, arguments);
        record.begin(call, verdict, Vec::new(), vec![started.clone().into()]).await?;
        self.work_as_subagent(subagents, call, &started, record).await
    }

    /// The sub-agent was begun before: the call has waited with it.
    pub(super) async fn go_on(
        &self,
        call: &ToolCall,
        started: &SubagentStarted,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        match self.toolbox.tool(&call.tool_id).map(|tool| &tool.action) {
            Some(Action::Delegate(subagents)) => self.work_as_subagent(subagents.as_ref(), call, started, record).await,
            _ => record.fail(call, &self.toolbox.unknown(&call.tool_id)).await,
        }
    }

    /// Works as the sub-agent, from wherever it is.
    async fn work_as_subagent(
        &self,
        subagents: &dyn Subagents,
        call: &ToolCall,
        started: &SubagentStarted,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let task = match task_of(call) {
            Ok(task) => task,
            Err(fault) => return record.fail(call, &fault).await,
        };
        let stop = subagents.work(SubagentTask { started, task: &task, context: record.context }).await;
        self.conclude(subagents, (call, started), stop, record).await
    }

    /// Records the result of a call whose sub-agent has stopped; there is none while the sub-agent only waits.
    pub(super) async fn conclude(
        &self,
        subagents: &dyn Subagents,
        (call, started): (&ToolCall, &SubagentStarted),
        stop: Result<SubagentStop, Error>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let bodies = match self.came_of((call, started), stop, record).await {
            DelegationOutcome::ToStop(outcome) => return Ok(outcome),
            DelegationOutcome::ToAnEnd(bodies) => bodies,
        };
        let has_left = leaves_calls(&bodies);
        let outcome = record.settle(bodies).await?;
        if has_left {
            subagents.tell_of_background(started).await?;
        }
        Ok(outcome)
    }

    /// Returns what is to be recorded of a sub-agent that has stopped, its call's result included.
    pub(super) async fn came_of(
        &self,
        (call, started): (&ToolCall, &SubagentStarted),
        stop: Result<SubagentStop, Error>,
        record: &Record<'_>,
    ) -> DelegationOutcome {
        let stop = match stop {
            Ok(stop) => stop,
            Err(fault) => {
                return DelegationOutcome::ToAnEnd(vec![record.error(call, &failed(&started.agent, &fault)).into()]);
            }
        };
        let SubagentStop { end, usage, files, background, in_tree } = stop;
        let answer = match end {
            SubagentEnd::AwaitingApproval(id) => return DelegationOutcome::ToStop(CallOutcome::AwaitingApproval(id)),
            SubagentEnd::Paused => return DelegationOutcome::ToStop(CallOutcome::Paused),
            SubagentEnd::Answered { response } => Ok(Output { text: response, truncated: false }),
            SubagentEnd::Failed(fault) => Err(failed(&started.agent, &fault)),
            SubagentEnd::Stopped => Err(stopped(&started.agent)),
            SubagentEnd::OutOfBudget { last_said } => Err(out_of_budget(&started.agent, &last_said)),
        };
        let mut bodies: Vec<EventBody> = files.into_iter().map(EventBody::from).collect();
        bodies.extend(self.results.result(call, answer, record).await);
        for body in &mut bodies {
            if let EventBody::ToolResult(result) = body {
                result.usage = Some(usage);
                result.result.push_str(&taking(started, &in_tree));
                result.result.push_str(&left(&started.agent, &background));
                result.background.clone_from(&background);
            }
        }
        DelegationOutcome::ToAnEnd(bodies)
    }

    /// A sub-agent that is about to begin.
    pub(super) fn begun(&self, subagents: &dyn Subagents, call: &ToolCall, arguments: Arguments) -> SubagentStarted {
        let (session_id, run_id) = (SessionId::new(), RunId::new());
        let tree = self.is_isolated(subagents, &arguments).then(|| subagents.tree_of(&session_id));
        let (call_id, agent) = (call.call_id.clone(), arguments.agent);
        SubagentStarted { call_id, agent, session_id, run_id, max_cost_usd: None, tree }
    }

    /// Returns whether the call's sub-agent gets a worktree. One that only reads needs none.
    pub(super) fn is_isolated(&self, subagents: &dyn Subagents, arguments: &Arguments) -> bool {
        let agent = &arguments.agent;
        (arguments.isolation.is_some() || subagents.is_isolated(agent)) && !subagents.only_reads(agent)
    }

    /// Returns whether the call's sub-agent leaves the project's files as they are while it works.
    pub(super) fn keeps_apart(&self, subagents: &dyn Subagents, arguments: &Arguments) -> bool {
        subagents.only_reads(&arguments.agent) || self.is_isolated(subagents, arguments)
    }

    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where the folder can have no worktree, or nobody could take the changes afterwards.
    pub(super) fn ensure_can_be_taken(&self, subagents: &dyn Subagents, arguments: &Arguments) -> Result<(), Error> {
        if !self.is_isolated(subagents, arguments) {
            return Ok(());
        }
        subagents.ensure_can_isolate()?;
        match self.toolbox.offered.iter().any(|tool| *tool.name == *TAKE_CHANGES_TOOL) {
            true => Ok(()),
            false => Err(Error::new(
                Code::WORKTREE_UNAVAILABLE,
                format!(
                    "Nothing could take the changes out of the worktree: this run doesn't have `{TAKE_CHANGES_TOOL}`."
                ),
                "Do the work yourself, or choose an agent that works in the project.",
            )),
        }
    }

    /// Removes the worktree whose changes the call has taken or the user has rejected. One of which only some files were
    /// taken stays, and so does one whose changes could not be made.
    pub(super) async fn settle_taken(&self, pending: &PendingCall, record: &Record<'_>) {
        let call = &pending.call;
        let Some(changes) = self.toolbox.tool(&call.tool_id).and_then(|tool| tool.changes.as_ref()) else { return };
        let Ok(take_changes::Arguments { worktree, paths }) = arguments(&call.args) else { return };
        let result = record.events().iter().rev().find_map(|event| match event.body() {
            EventBody::ToolResult(result) if result.call_id == call.call_id => Some(result),
            _ => None,
        });
        let Some(result) = result else { return };
        let is_rejected =
            result.is_error && result.code.is_none() && matches!(pending.progress, CallProgress::Resolved(_));
        if is_rejected || (!result.is_error && paths.is_none()) {
            changes.settle(&worktree).await;
        }
    }
}

/// The outcome of a sub-agent's work, once it has stopped.
pub(super) enum DelegationOutcome {
    /// It only waits or pauses: there is no result yet.
    ToStop(CallOutcome),
    ToAnEnd(Vec<EventBody>),
}

pub(super) fn task_of(call: &ToolCall) -> Result<String, Error> {
    Ok(delegate::parse(&call.args)?.task)
}

/// Returns whether the result says that something was left in the background.
pub(super) fn leaves_calls(bodies: &[EventBody]) -> bool {
    bodies.iter().any(|body| matches!(body, EventBody::ToolResult(result) if !result.background.is_empty()))
}

/// Returns the note for the model that follows the answer; empty if nothing was changed.
fn taking(started: &SubagentStarted, in_tree: &[String]) -> String {
    if in_tree.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n\n[The agent {} changed {} file(s) in its worktree. The project doesn't have these changes yet: call \
        {TAKE_CHANGES_TOOL} with worktree \"{}\" to bring them in. What isn't taken when this run ends is discarded.]",
        started.agent,
        in_tree.len(),
        started.session_id
    );
    for path in in_tree.iter().take(MAX_NAMED_FILES) {
        let _ = write!(text, "\n- {path}");
    }
    if in_tree.len() > MAX_NAMED_FILES {
        let _ = write!(text, "\n- and {} more", in_tree.len() - MAX_NAMED_FILES);
    }
    text
}

/// Tells the model, after the answer, what was left in the background.
fn left(agent: &str, background: &[LeftInBackground]) -> String {
    if background.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n\n[The agent {agent} left this running in the background. Each result comes as an AsyncToolResult; don't \
        poll for it.]"
    );
    for LeftInBackground { async_call_id, tool_id, command, .. } in background {
        text.push_str(&format!("\n- {async_call_id} ({tool_id}): {command}"));
    }
    text
}

/// Returns the fault of a failed sub-agent. The reason why there is no worktree stays as it is, with its hint.
fn failed(agent: &str, fault: &Error) -> Error {
    if [Code::WORKTREE_UNAVAILABLE, Code::WORKTREE_TOO_LARGE].iter().any(|code| fault.is(*code)) {
        return fault.clone();
    }
    let hint = "What it did stays done. Do the rest yourself, or tell the user what prevents it.";
    Error::new(Code::SUBAGENT_FAILED, format!("The agent {agent} failed: {} ({})", fault.message, fault.code), hint)
}

fn stopped(agent: &str) -> Error {
    let hint = "What it did stays done. Don't delegate the same task again unless the user asks.";
    Error::new(Code::CANCELLED, format!("The user stopped the agent {agent}."), hint)
}

fn out_of_budget(agent: &str, last_said: &str) -> Error {
    let said = if last_said.is_empty() { String::new() } else { format!(" It last said: {last_said}") };
    let hint = "What it did stays done. Do the rest yourself, or delegate a smaller task.";
    Error::new(Code::SUBAGENT_FAILED, format!("The agent {agent} used up its budget before it finished.{said}"), hint)
}

//! Carries out calls: validate, decide, append the decision, ask where it has to, act, append what was done.
//!
//! Intent is durable before effect, and effect is recorded before it is announced. Everything the executor needs to know
//! of a call's past comes with the call, off the log, so that it works the same at first sight, after an approval that
//! outlived the process, and after a crash.

mod assembling;
mod background;
mod background_subagents;
mod call_log;
mod checking;
mod checkpoint;
mod command;
mod command_review;
mod command_sandbox;
mod delegation;
mod delegation_row;
mod edit_group;
mod effects;
mod formatting;
mod hook_runner;
mod hook_sandbox;
mod hook_trial;
mod hooking;
mod host_access;
mod judging;
mod kept_whole;
mod language_servers;
mod lifecycle_hooks;
mod live;
mod mention_reads;
mod parallel_calls;
mod path;
pub(crate) mod project_inspection;
mod question;
mod read;
mod record;
mod remote;
mod run_stop;
mod secrets;
mod settings;
mod signing;
mod step;
mod subject;
mod toolbox;
mod unsaved;
mod viewed_calls;
mod write;

use crate::outcome::Output;
use crate::tool::{Action, InsideAction, InsideTask, Tool};
use arki_domain::projection::{
    AnsweredHooks, CallProgress, FinishedCall, InterruptedHook, PendingCall, ResolvedApproval,
};
use arki_domain::{
    ApprovalDecision, CallContext, CallOutcome, Code, Error, Event, Executed, Executor, HookMoment, HookRan,
    SubagentsState, ToolCall, ToolDefinition,
};
use arki_files::Project;
use arki_policy::Verdict;
use async_trait::async_trait;
use call_log::CallLog;
use command::CommandRunner;
use command_review::CommandReview;
use delegation::DelegatedCalls;
use effects::CommandEffects;
use hooking::{BeforeCall, CallHooks};
use kept_whole::CallResults;
use question::UserQuestions;
use read::ReadCalls;
use record::Record;
use remote::{RemoteCall, RemoteCalls};
use run_stop::RunStop;
use std::sync::Arc;
use std::time::Duration;
use subject::SubjectOf;
use toolbox::Toolbox;
use unsaved::UnsavedFiles;
use write::FileWriter;

pub use background::{BackgroundCommands, MAX_BACKGROUND};
pub use effects::write_changed_tree;
pub use hook_trial::{HookTrial, TriedHook};
pub use judging::Judge;
pub use mention_reads::{UnaskedRead, UnaskedReads};
pub use question::{Audience, stands_under_a_tool};
pub(crate) use read::READ_PAUSES;
pub use secrets::{learn_env_files, search_for_secrets, unresolved_placeholders};
pub use settings::{ExecutorSettings, ToolLimits};
pub use step::{StepAnswer, StepCommand, StepRunner};

/// The executor behind the agent's port. It keeps the one path of a call.
pub struct ToolExecutor {
    settings: Arc<ExecutorSettings>,
    call_log: CallLog,
    stop: Arc<RunStop>,
    toolbox: Arc<Toolbox>,
    judge: Arc<Judge>,
    results: Arc<CallResults>,
    hooks: CallHooks,
    reads: Arc<ReadCalls>,
    unsaved: Arc<UnsavedFiles>,
    asking: Arc<UserQuestions>,
    writer: FileWriter,
    effects: Arc<CommandEffects>,
    command_review: Arc<CommandReview>,
    commands: Arc<CommandRunner>,
    remotes: RemoteCalls,
    delegations: Arc<DelegatedCalls>,
    steps: StepRunner,
    unasked_reads: UnaskedReads,
}

impl ToolExecutor {
    #[must_use]
    pub fn project(&self) -> &Arc<Project> {
        &self.settings.project
    }

    /// Returns the reads that need no call of the model.
    #[must_use]
    pub fn unasked_reads(&self) -> &UnaskedReads {
        &self.unasked_reads
    }

    /// Returns the runner of a pipeline's steps.
    #[must_use]
    pub fn steps(&self) -> &StepRunner {
        &self.steps
    }

    /// Returns the judge of this executor's calls.
    #[must_use]
    pub fn judge(&self) -> &Judge {
        &self.judge
    }

    /// # Errors
    /// `TOOL_UNKNOWN`, with the nearest name.
    pub fn ensure_known(&self, tool_id: &str) -> Result<(), Error> {
        self.toolbox.tool(tool_id).map(drop).ok_or_else(|| self.toolbox.unknown(tool_id))
    }

    /// Runs the hooks that are for it one after another, until one blocks it; none in a folder that isn't trusted.
    pub async fn try_hooks(&self, trial: &HookTrial) -> Vec<TriedHook> {
        self.hooks.runner.try_hooks(trial).await
    }

    async fn execute_in(
        &self,
        pending: &PendingCall,
        before: Option<BeforeCall>,
        mut record: Record<'_>,
    ) -> Result<Executed, Error> {
        let outcome = match self.carry_out(pending, before, &mut record).await {
            // Only questions and intents can be so large: nothing was done yet.
            Err(fault) if is_too_much(&fault) => record.fail(&pending.call, &fault).await?,
            carried_out => carried_out?,
        };
        if outcome == CallOutcome::Finished {
            self.hooks.after_call(pending, &mut record).await?;
            self.delegations.settle_taken(pending, &record).await;
        }
        let outcome = self.stop.reason().map_or(outcome, |fault| CallOutcome::Stopped(fault.clone()));
        Ok(Executed { outcome, events: record.into_events() })
    }

    /// `before`: the effect of its hooks, if they have been asked.
    async fn carry_out(
        &self,
        pending: &PendingCall,
        before: Option<BeforeCall>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let before = match before {
            Some(before) => before,
            None if is_undecided(pending) => self.hooks.before_call(pending, record).await?,
            None => BeforeCall::default(),
        };
        if before.is_cancelled {
            return record.fail(&pending.call, &stopped_by_user()).await;
        }
        let pending = before.changed.as_ref().unwrap_or(pending);
        let exact =
            match self.judge.secrets.with_secrets(self.toolbox.tool(&pending.call.tool_id), pending, record).await {
                Ok(exact) => exact,
                // Only looks at what was done: nothing is written that is not as it was permitted.
                Err(_) if self.is_only_reconciled(pending) => pending.clone(),
                Err(fault) => return record.fail(&pending.call, &fault).await,
            };
        let pending = &exact;
        match &pending.progress {
            CallProgress::New => self.settle(pending, None, record).await,
            CallProgress::AwaitingApproval(requested) => {
                Ok(CallOutcome::AwaitingApproval(requested.approval_id.clone()))
            }
            CallProgress::Resolved(approval) if let Some(ended) = &pending.ended => {
                self.effects.answered(&pending.call, ended, approval, record).await
            }
            CallProgress::Resolved(approval) => match &approval.resolved {
                resolved if resolved.decision == ApprovalDecision::Reject => {
                    record.rejected(&pending.call, approval).await
                }
                // What was granted is the call and not its preview, and the decision's rule is the grant's.
                resolved if resolved.is_by_mode() => self.settle(pending, None, record).await,
                _ => self.settle(pending, Some(approval), record).await,
            },
            CallProgress::AwaitingAnswer(asked) => Ok(CallOutcome::AwaitingAnswer(asked.question_id.clone())),
            CallProgress::Answered(answered) => {
                // The model gets the user's own words.
                let said = Output { text: answered.text.clone(), truncated: false };
                self.results.finish(&pending.call, Ok(said), record).await
            }
            CallProgress::Delegated(started) => self.delegations.go_on(&pending.call, started, record).await,
            CallProgress::Begun { landing, .. } if let Some(ended) = &pending.ended => {
                self.effects.interrupted(&pending.call, ended, landing.as_deref(), record).await
            }
            CallProgress::Begun { files, approval, .. } => {
                self.interrupted(pending, files, approval.as_deref(), record).await
            }
        }
    }

    fn is_only_reconciled(&self, pending: &PendingCall) -> bool {
        let action = self.toolbox.tool(&pending.call.tool_id).map(|tool| &tool.action);
        matches!(pending.progress, CallProgress::Begun { .. })
            && matches!(action, Some(Action::Write(_) | Action::Command))
    }

    /// Permitted before, perhaps begun, and then the program ended.
    async fn interrupted(
        &self,
        pending: &PendingCall,
        files: &[arki_domain::FileEffect],
        approval: Option<&ResolvedApproval>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let call = &pending.call;
        match self.toolbox.tool(&call.tool_id) {
            Some(tool) => match &tool.action {
                Action::Read(_) => {
                    let done = self.reads.read(tool, call, record).await;
                    self.results.finish(call, done, record).await
                }
                // Its result is stored together with its decision: there is nothing to be in the midst of.
                Action::Inside(_) | Action::Ask | Action::Delegate(_) => {
                    record.fail(call, &Error::internal("a decision without its result")).await
                }
                Action::Write(plan) => self.writer.reconcile(plan.clone(), call, files, approval, record).await,
                Action::Command => self.commands.interrupted(call, approval, record).await,
                Action::Remote(remote) => self.remotes.interrupted(RemoteCall { tool, remote, call }, record).await,
            },
            None => record.fail(call, &self.toolbox.unknown(&call.tool_id)).await,
        }
    }

    /// Performs a call inside; its events and its result are one transaction, and kept contents are stored before.
    async fn work_inside(
        &self,
        work: InsideAction,
        call: &ToolCall,
        verdict: &Verdict,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let task = InsideTask {
            args: &call.args,
            manual_of: &|name| Some(self.toolbox.tool(name)?.manual.clone()),
            offered: &self.toolbox.offered,
            guides: &self.settings.guides,
            previous: record.context.previous.as_deref(),
            agent_state: &record.context.agent_state,
            redactor: &self.call_log.redactor,
        };
        let done = match work(&task) {
            Ok(done) => done,
            Err(error) => return record.conclude_read(call, verdict, Err(error.into())).await,
        };
        self.settings.contents.put(&record.context.session_id, done.contents).await?;
        let mut bodies = done.events;
        bodies.extend(self.results.result(call, Ok(done.output), record).await);
        record.settle_decided(call, verdict, bodies).await
    }
}

#[async_trait]
impl Executor for ToolExecutor {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        self.toolbox.offered.clone()
    }

    async fn execute(&self, pending: &PendingCall, context: &CallContext) -> Result<Executed, Error> {
        if let Some(stopped) = self.stop.executed() {
            return Ok(stopped);
        }
        self.judge.look_at_policy();
        self.judge.secrets.learn_env_files().await;
        self.execute_in(pending, None, self.call_log.record(context)).await
    }

    async fn execute_together(&self, calls: &[PendingCall], context: &CallContext) -> Result<Executed, Error> {
        if let Some(stopped) = self.stop.executed() {
            return Ok(stopped);
        }
        self.judge.look_at_policy();
        let first = calls.first().and_then(|pending| self.toolbox.tool(&pending.call.tool_id));
        match first.map(|tool| &tool.action) {
            Some(Action::Delegate(_)) => self.delegate_together(calls, context).await,
            Some(Action::Write(_)) => {
                self.judge.secrets.learn_env_files().await;
                self.review_together(calls, context).await
            }
            _ => self.read_together(calls, context).await,
        }
    }

    async fn picture(&self, hash: &str) -> Option<Vec<u8>> {
        self.settings.contents.content(hash).await.ok()?
    }

    fn take_up_subagents(&self, calls: &[PendingCall], context: &CallContext) {
        self.delegations.take_up(calls, context);
    }

    fn subagents_standing(&self) -> SubagentsState {
        self.delegations.background.standing()
    }

    async fn subagents_changed(&self, within: Duration) {
        self.delegations.background.changed(within).await;
    }

    async fn rest_subagents(&self) {
        self.delegations.background.rest().await;
    }

    async fn end_helpers(&self) {
        self.writer.checking.end_servers().await;
    }

    async fn settle_hook(&self, hook: &InterruptedHook, context: &CallContext) -> Result<Vec<Arc<Event>>, Error> {
        let mut record = self.call_log.record(context);
        self.hooks.formatter.hook_interrupted(hook, &mut record).await?;
        Ok(record.into_events())
    }

    async fn settle_hooks_after(&self, call: &FinishedCall, context: &CallContext) -> Result<Vec<Arc<Event>>, Error> {
        let mut record = self.call_log.record(context);
        self.hooks.tell_unanswered(call, &mut record).await?;
        Ok(record.into_events())
    }

    async fn run_hooks(
        &self,
        moment: &HookMoment,
        answered: &AnsweredHooks,
        context: &CallContext,
    ) -> Result<Vec<Arc<Event>>, Error> {
        let mut record = self.call_log.record(context);
        self.hooks.runner.run_hooks_at(moment, answered, &mut record).await?;
        Ok(record.into_events())
    }

    async fn notify(&self, moment: &HookMoment, context: &CallContext) -> Vec<HookRan> {
        self.hooks.runner.run_notification_hooks(moment, context).await
    }
}

/// Returns whether hooks are still to be asked: neither they nor the user were, or the user only granted such calls.
fn is_undecided(pending: &PendingCall) -> bool {
    match &pending.progress {
        CallProgress::New => true,
        CallProgress::Resolved(approval) => {
            approval.resolved.decision == ApprovalDecision::Approve && approval.resolved.is_by_mode()
        }
        _ => false,
    }
}

fn stopped_by_user() -> Error {
    Error::new(Code::CANCELLED, "Not done: the user stopped the run before this call started.", "")
}

/// Returns whether the log refused a question or an intent for its size, such as the preview of a very large change.
fn is_too_much(fault: &Error) -> bool {
    fault.is(Code::EVENT_TOO_LARGE) || fault.is(Code::EVENT_TOO_DEEP)
}

/// Checks that the arguments allow the call to be carried out at all.
fn usable(tool: &Tool, call: &ToolCall, subject: &SubjectOf) -> Result<(), Error> {
    tool.validate(&call.args)?;
    subject.path_fault.clone().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests;

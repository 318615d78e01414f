//! The state of a run and its next step: enough to go on from any event, in this process or another.

mod repeated;
mod resolved_approval;
mod subagents;

use self::repeated::Repeated;
pub use self::resolved_approval::ResolvedApproval;
use super::{AnsweredHooks, PipelineWaits, Stages};
use crate::{
    ApprovalDecision, ApprovalRequested, ApprovalResolved, CallId, CheckpointCreated, CommandEnded, Event, EventBody,
    FileEffect, HOOK_PART, HookRan, ParentCall, PauseReason, PolicyDecided, QuestionAnswered, QuestionAsked,
    REMINDER_PART, RunId, RunOptions, RunResumed, STAGE_PART, SessionSource, SubagentStarted, ToolCall, Usage,
    WritingHook,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    pub run_id: RunId,
    pub prompt: String,
    pub model: String,
    /// The name of the core that decides the run's steps; the run keeps it until it ends.
    pub core: String,
    pub options: RunOptions,
    pub system_prompt_hash: String,
    /// The call that this run works for, where it is a sub-agent's.
    pub parent: Option<ParentCall>,
    /// Why hooks of `SessionStart` run before it.
    pub session_start: Option<SessionSource>,
    /// The hooks that have answered at the present moment, calls apart.
    pub hooks: AnsweredHooks,
    pub phase: RunPhase,
    /// The turn last asked for, from 1; 0 before the first.
    pub turn: u32,
    /// Turns, cost and start of the current budget; a resumed budget starts afresh.
    pub turns_in_budget: u32,
    pub cost_in_budget: Option<f64>,
    /// The value of `cost_in_budget` before the last answer.
    #[serde(default)]
    cost_before_answer: Option<f64>,
    /// The start of the budget's time. Waiting for the user does not count: the start moves on with it.
    pub budget_since_ms: i64,
    paused_since_ms: Option<i64>,
    pub usage: Usage,
    /// The last answer's text, partial or not.
    pub last_text: String,
    /// A call was denied because the folder is not trusted.
    pub denied_untrusted: bool,
    /// The size of the late context of this run, without what hooks and cores said.
    pub late_bytes: usize,
    /// The tools that the provider refuses, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_tools: Vec<String>,
    /// The progress of a core that works in stages.
    pub stages: Stages,
    /// The gate and the runs that a pipeline's run waits for; empty for an agent's run.
    pub pipeline: PipelineWaits,
    calls: Vec<PendingCall>,
    /// The calls that sub-agents work on in the background; their placeholder is answered.
    background: Vec<PendingCall>,
    /// A hook that may be writing.
    writing_hook: Option<InterruptedHook>,
    /// `None` once the run has gone on.
    finished: Option<FinishedCall>,
    /// The call made last, and how often in a row.
    repeated: Repeated,
    answered: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    Active,
    Paused(PauseReason),
    Completed,
    Failed { code: String, message: String, hint: String },
    Cancelled,
}

/// A call without a result, and how far it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingCall {
    pub call: ToolCall,
    /// The number of times this very call was made in a row, it included. Once the user approves one, the count begins
    /// anew.
    pub times_in_a_row: u32,
    pub progress: CallProgress,
    /// The command has ended, and what becomes of its changes is not settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Box<CommandEnded>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallProgress {
    New,
    AwaitingApproval(Box<ApprovalRequested>),
    Resolved(Box<ResolvedApproval>),
    /// The call is a question of the model, and the user has not answered yet.
    AwaitingAnswer(Box<QuestionAsked>),
    Answered(Box<QuestionAnswered>),
    /// A sub-agent works on it, or has; its own session says how far it is.
    Delegated(Box<SubagentStarted>),
    /// Execution was permitted and may have begun; what it did is not known.
    Begun {
        files: Vec<FileEffect>,
        landing: Option<String>,
        approval: Option<Box<ResolvedApproval>>,
    },
}

/// A hook that was at work when Arki ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InterruptedHook {
    pub hook: WritingHook,
    /// The edit's.
    pub call_id: CallId,
}

/// A call that has its result, while hooks that come after it may still have to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FinishedCall {
    pub call: ToolCall,
    /// The names and commands of the hooks that have.
    pub answered: Vec<(String, String)>,
}

/// The turn loop's next step.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    Execute(PendingCall),
    AskModel,
    /// The model has answered, and sub-agents still work in the background.
    AwaitSubagents,
    /// The model has answered and wants nothing more.
    Complete,
    /// The run has ended; there is nothing to do.
    Ended,
}

impl RunState {
    /// Starts from a `run.started` event; `None` for any other.
    #[must_use]
    pub fn start(event: &Event) -> Option<Self> {
        let EventBody::RunStarted(started) = event.body() else { return None };
        Some(Self {
            run_id: event.run_id.clone()?,
            prompt: started.prompt,
            model: started.model,
            core: started.core,
            options: started.options,
            system_prompt_hash: started.system_prompt_hash,
            parent: started.parent,
            session_start: started.session_start,
            hooks: AnsweredHooks::default(),
            phase: RunPhase::Active,
            turn: 0,
            turns_in_budget: 0,
            cost_in_budget: Some(0.0),
            cost_before_answer: None,
            budget_since_ms: event.ts,
            paused_since_ms: None,
            usage: Usage::zero(),
            last_text: String::new(),
            denied_untrusted: false,
            late_bytes: 0,
            refused_tools: Vec::new(),
            stages: Stages::default(),
            pipeline: PipelineWaits::default(),
            calls: Vec::new(),
            background: Vec::new(),
            writing_hook: None,
            finished: None,
            repeated: Repeated::default(),
            answered: false,
        })
    }

    /// Folds one run's events, oldest first; `None` when there is no `run.started` among them.
    #[must_use]
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let mut state = events.find_map(Self::start)?;
        events.for_each(|event| state.apply(event));
        Some(state)
    }

    /// Events of other runs are ignored.
    pub fn apply(&mut self, event: &Event) {
        let is_own = event.run_id.as_ref() == Some(&self.run_id);
        if is_own || event.kind == "queue.changed" {
            self.apply_body(event, &event.body());
        }
    }

    /// The same where the event's body was read already.
    pub fn apply_body(&mut self, event: &Event, body: &EventBody) {
        self.forget_edited(body);
        if event.run_id.as_ref() != Some(&self.run_id) {
            return;
        }
        self.stages.apply(body);
        if self.is_of_pipeline() {
            self.pipeline.apply(body);
        }
        self.hooks.apply(body);
        self.follow_finished(body);
        match body {
            EventBody::RunPaused(paused) => {
                self.phase = RunPhase::Paused(paused.reason);
                self.paused_since_ms = Some(event.ts);
            }
            EventBody::RunResumed(resumed) => self.resume(resumed, event.ts),
            EventBody::RunCompleted(_) => self.phase = RunPhase::Completed,
            EventBody::RunFailed(failed) => {
                let (code, message, hint) = (failed.code.clone(), failed.message.clone(), failed.hint.clone());
                self.phase = RunPhase::Failed { code, message, hint };
            }
            EventBody::RunCancelled(_) => self.phase = RunPhase::Cancelled,
            EventBody::EngineRequest(request) if request.purpose.is_none() => {
                self.turn = request.turn;
                self.turns_in_budget += 1;
                self.answered = false;
            }
            EventBody::EngineResponse(response) => {
                self.cost_before_answer = self.cost_in_budget;
                self.count(response.usage);
            }
            // Nobody counts an answer that breaks off: a cost limit holds for what is known.
            EventBody::EngineRetry(_) => self.cost_in_budget = self.cost_in_budget.or(self.cost_before_answer),
            EventBody::OutputMessage(message) => {
                self.answered = !message.interrupted;
                self.last_text.clone_from(&message.content);
            }
            EventBody::ToolCall(call) => {
                self.answered = false;
                let times_in_a_row = self.repeated.count(call);
                let (call, progress) = (call.clone(), CallProgress::New);
                self.calls.push(PendingCall { call, times_in_a_row, progress, ended: None });
            }
            EventBody::QueueChanged(changed) if !changed.delivered.is_empty() => self.answered = false,
            EventBody::ContextAdded(added) if added.part == REMINDER_PART => self.answered = false,
            EventBody::ContextAdded(added) if ![HOOK_PART, STAGE_PART].contains(&added.part.as_str()) => {
                self.late_bytes += added.text.len()
            }
            EventBody::ContextDropped(dropped) => self.refused_tools.extend(dropped.tool().map(str::to_owned)),
            EventBody::CheckpointCreated(created) => self.begin_hook(created),
            EventBody::HookRan(ran) => {
                self.change_args(ran);
                self.writing_hook = None;
                self.answered &= !ran.holds_run();
            }
            EventBody::PolicyDecided(decided) => self.decide(decided.clone()),
            // The first call of a group stands for all of it; the others stay new until the answer.
            EventBody::ApprovalRequested(requested) => {
                let progress = CallProgress::AwaitingApproval(Box::new(requested.clone()));
                self.go_on(requested.call_id.as_ref(), progress);
            }
            EventBody::ApprovalResolved(resolved) => self.resolve(resolved),
            EventBody::CommandEnded(ended) => self.end_command(ended),
            EventBody::QuestionAsked(asked) => {
                self.go_on(Some(&asked.call_id), CallProgress::AwaitingAnswer(Box::new(asked.clone())));
            }
            EventBody::QuestionAnswered(answered) => self.answer(answered.clone()),
            EventBody::SubagentStarted(started) => {
                self.go_on(Some(&started.call_id), CallProgress::Delegated(Box::new(started.clone())));
            }
            EventBody::ToolResult(result) => {
                if let Some(usage) = result.usage {
                    self.spend(usage);
                }
                let waited: u64 = result.elicitations.iter().map(|asked| asked.waited_ms).sum();
                let moved = self.budget_since_ms.saturating_add(i64::try_from(waited).unwrap_or(i64::MAX));
                self.budget_since_ms = moved.min(event.ts.max(self.budget_since_ms));
                self.settle(result);
            }
            EventBody::ToolAsyncResult(result) => self.hear(result),
            // The rest says nothing of where the run stands.
            _ => {}
        }
    }

    /// Returns what to do now. A call that still waits for the user is handed out too: the executor says so again.
    #[must_use]
    pub fn next_step(&self) -> NextStep {
        match self.phase {
            RunPhase::Completed | RunPhase::Failed { .. } | RunPhase::Cancelled => NextStep::Ended,
            RunPhase::Active | RunPhase::Paused(_) => match self.calls.first() {
                Some(pending) => NextStep::Execute(pending.clone()),
                None if self.answered && !self.background.is_empty() => NextStep::AwaitSubagents,
                None if self.answered => NextStep::Complete,
                None => NextStep::AskModel,
            },
        }
    }

    /// The calls without a result, in the model's order.
    #[must_use]
    pub fn pending_calls(&self) -> &[PendingCall] {
        &self.calls
    }

    /// Returns what the user is asked to approve: the plan before its calls.
    #[must_use]
    pub fn open_approval(&self) -> Option<&ApprovalRequested> {
        let of_call = self.calls.first().and_then(|pending| match &pending.progress {
            CallProgress::AwaitingApproval(asked) => Some(&**asked),
            _ => None,
        });
        self.pipeline.gate.as_deref().or(self.stages.open_approval()).or(of_call).filter(|_| !self.is_ended())
    }

    /// The hook that may write and of which nobody knows how it ended.
    #[must_use]
    pub fn interrupted_hook(&self) -> Option<&InterruptedHook> {
        self.writing_hook.as_ref()
    }

    /// The call after which hooks may not have answered.
    #[must_use]
    pub fn finished_call(&self) -> Option<&FinishedCall> {
        self.finished.as_ref()
    }

    /// Returns what the model asked, where the run waits for the user's answer.
    #[must_use]
    pub fn open_question(&self) -> Option<&QuestionAsked> {
        match &self.calls.first()?.progress {
            CallProgress::AwaitingAnswer(asked) if !self.is_ended() => Some(asked),
            _ => None,
        }
    }

    /// Returns whether the run is a pipeline's, and no agent's.
    #[must_use]
    pub fn is_of_pipeline(&self) -> bool {
        self.options.pipeline.is_some()
    }

    /// Returns whether it may go on: a failed run can be tried again.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        !matches!(self.phase, RunPhase::Completed | RunPhase::Cancelled)
    }

    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.next_step() == NextStep::Ended
    }

    /// The user edits what waits between runs too.
    fn forget_edited(&mut self, body: &EventBody) {
        if let EventBody::QueueChanged(changed) = body {
            let edited = changed.queued.iter().filter(|entry| entry.text.is_some());
            edited.for_each(|entry| self.hooks.forget_message(&entry.message_id));
        }
    }

    fn resume(&mut self, resumed: &RunResumed, ts: i64) {
        if matches!(self.phase, RunPhase::Failed { .. }) {
            self.hooks.forget_all();
        }
        self.phase = RunPhase::Active;
        self.options.approve = resumed.approve.unwrap_or(self.options.approve);
        if let Some(paused) = self.paused_since_ms.take() {
            self.budget_since_ms = self.budget_since_ms.saturating_add(ts.saturating_sub(paused).max(0));
        }
        if resumed.reason == PauseReason::Budget {
            self.turns_in_budget = 0;
            self.cost_in_budget = Some(0.0);
            self.budget_since_ms = ts;
        }
    }

    fn count(&mut self, usage: Usage) {
        self.usage = self.usage.plus(usage);
        self.spend(usage);
    }

    /// A sub-agent's requests are none of this run's, but its money is.
    fn spend(&mut self, usage: Usage) {
        self.cost_in_budget = self.cost_in_budget.zip(usage.cost_usd).map(|(sum, cost)| sum + cost);
    }

    fn decide(&mut self, decided: PolicyDecided) {
        self.denied_untrusted |= decided.rule == crate::tool::UNTRUSTED_RULE;
        if !decided.decision.is_unasked() {
            return;
        }
        if let Some(pending) = self.pending_call(&decided.call_id) {
            let approval = match std::mem::replace(&mut pending.progress, CallProgress::New) {
                CallProgress::Resolved(approval) => Some(approval),
                _ => None,
            };
            pending.progress = CallProgress::Begun { files: decided.files, landing: decided.landing, approval };
        }
    }

    fn follow_finished(&mut self, body: &EventBody) {
        match body {
            EventBody::ToolResult(result) => {
                let call = self.calls.iter().find(|pending| pending.call.call_id == result.call_id);
                self.finished = call.map(|pending| FinishedCall { call: pending.call.clone(), answered: Vec::new() });
            }
            EventBody::HookRan(ran) => match &mut self.finished {
                Some(finished) if ran.call_id.as_ref() == Some(&finished.call.call_id) => {
                    finished.answered.push((ran.hook.clone(), ran.command.clone()));
                }
                _ => self.finished = None,
            },
            EventBody::EngineRequest(_)
            | EventBody::PolicyDecided(_)
            | EventBody::ApprovalRequested(_)
            | EventBody::QuestionAsked(_)
            | EventBody::SubagentStarted(_)
            | EventBody::RunPaused(_)
            | EventBody::RunCompleted(_)
            | EventBody::RunFailed(_)
            | EventBody::RunCancelled(_) => self.finished = None,
            _ => {}
        }
    }

    fn begin_hook(&mut self, created: &CheckpointCreated) {
        if let (Some(hook), Some(call_id)) = (&created.hook, &created.call_id) {
            self.writing_hook = Some(InterruptedHook { hook: hook.clone(), call_id: call_id.clone() });
        }
    }

    /// A hook may want other arguments than the model; from here on the call is the one with these.
    fn change_args(&mut self, ran: &HookRan) {
        let pending = ran.call_id.as_ref().and_then(|call_id| self.pending_call(call_id));
        if let (Some(args), Some(pending)) = (&ran.args, pending) {
            pending.call.args = args.clone();
        }
    }

    fn pending_call(&mut self, call_id: &CallId) -> Option<&mut PendingCall> {
        self.calls.iter_mut().find(|pending| pending.call.call_id == *call_id)
    }

    fn go_on(&mut self, call_id: Option<&CallId>, progress: CallProgress) {
        if let Some(pending) = call_id.and_then(|call_id| self.pending_call(call_id)) {
            pending.progress = progress;
        }
    }

    fn end_command(&mut self, ended: &CommandEnded) {
        if let Some(pending) = self.pending_call(&ended.call_id) {
            pending.ended = Some(Box::new(ended.clone()));
        }
    }

    fn answer(&mut self, answered: QuestionAnswered) {
        let asks = |pending: &&mut PendingCall| matches!(&pending.progress, CallProgress::AwaitingAnswer(asked) if asked.question_id == answered.question_id);
        if let Some(pending) = self.calls.iter_mut().find(asks) {
            pending.progress = CallProgress::Answered(Box::new(answered));
        }
    }

    fn resolve(&mut self, resolved: &ApprovalResolved) {
        let is_of_plan = self.stages.approval.as_ref().is_some_and(|plan| plan.resolved.as_ref() == Some(resolved));
        if is_of_plan && resolved.decision == ApprovalDecision::Approve {
            // What was planned is carried out.
            self.options.plan = false;
        }
        let asked = self.calls.iter().find_map(|pending| match &pending.progress {
            CallProgress::AwaitingApproval(requested) if requested.approval_id == resolved.approval_id => {
                Some(requested.clone())
            }
            _ => None,
        });
        let Some(requested) = asked else { return };
        let is_asked =
            |pending: &&mut PendingCall| requested.waiting_calls().any(|call_id| *call_id == pending.call.call_id);
        for pending in self.calls.iter_mut().filter(is_asked) {
            if resolved.decision == ApprovalDecision::Approve && !resolved.is_by_mode() {
                self.repeated.times = self.repeated.times.saturating_sub(pending.times_in_a_row);
            }
            let approval = ResolvedApproval::new(&requested, resolved, &pending.call.call_id);
            pending.progress = CallProgress::Resolved(Box::new(approval));
        }
    }
}

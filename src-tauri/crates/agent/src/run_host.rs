//! A run's host: where the run stands, and what a core can do with it. Every step appends and folds what was appended,
//! also what others appended meanwhile. Which step comes next is the core's to say.

use crate::ask::Ask;
use crate::budget::{self, SteadyClock};
use crate::compacting::CompactionParts;
use crate::core::Core;
use crate::run_log::{RunLog, Standing};
use crate::tally::Tally;
use arki_domain::projection::{CallProgress, NextStep, PendingCall, READ_RESULT_TOOL, RunPhase, StateSavingStrategy};
use arki_domain::{
    ApprovalId, CallContext, CallOutcome, Category, ChatModel, Clock, Code, Event, EventBody, EventLog, Executor,
    Fault, LateContext, LiveBus, ModelOptions, PauseReason, QuestionId, Redactor, RequestHead, RunPaused, SessionId,
};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The parts that a run works with; everything that touches the world is behind a port.
#[derive(Clone)]
pub struct RunParts {
    pub log: Arc<dyn EventLog>,
    pub bus: Arc<dyn LiveBus>,
    pub model: Arc<dyn ChatModel>,
    pub executor: Arc<dyn Executor>,
    pub clock: Arc<dyn Clock>,
    pub redactor: Redactor,
    /// Frozen for the run, as are the executor's definitions.
    pub system: Arc<str>,
    /// The bytes of every image of the conversation, by their SHA-256 hex.
    pub images: Arc<BTreeMap<String, Bytes>>,
    pub model_options: ModelOptions,
    /// Says whether what failed may succeed a little later, if it is simply tried again.
    pub is_retryable: fn(&Fault) -> bool,
    /// The time one answer may take, from its request to its last word.
    pub max_answer: Duration,
    pub compaction: CompactionParts,
    pub late_context: Arc<dyn LateContext>,
    pub state_saving: StateSavingStrategy,
}

/// The control of a run from outside: to stop it, or to pause it after its present step.
#[derive(Debug, Clone, Default)]
pub struct RunControl {
    pub cancel: CancellationToken,
    pub pause: CancellationToken,
    /// Ends the wait before a retry, if there is one; otherwise nothing.
    pub skip_wait: Arc<Notify>,
}

/// The reason why a run stopped. The approval, the question, the budget and the pause are no ends of the run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    Completed { response: String },
    Failed(Fault),
    Cancelled,
    AwaitingApproval(ApprovalId),
    AwaitingAnswer(QuestionId),
    BudgetExhausted,
    Paused,
}

impl RunEnd {
    /// Returns whether the run has not ended: it waits for a decision, an answer, a budget or the user.
    #[must_use]
    pub const fn waits(&self) -> bool {
        !matches!(self, Self::Completed { .. } | Self::Failed(_) | Self::Cancelled)
    }
}

/// One run, from wherever it stands to its next stop.
pub struct RunHost {
    pub(crate) parts: RunParts,
    pub(crate) clock: SteadyClock,
    pub record: RunLog,
    pub(crate) tally: Tally,
    /// The request under way, or the last one.
    pub(crate) ask: Ask,
    /// The window, and the tokens of system prompt and tools that leave no room in it: whatever is said, that stays so.
    pub(crate) too_large_fixed: Option<(u64, u64)>,
    /// The window that a refusal shows, once a shorter request is taken.
    pub(crate) refused_window: Option<u64>,
    /// The model was told that it had written a call as text.
    pub(crate) is_reminded: bool,
    /// The model's context window, as logged last.
    pub(crate) told_window: Option<u64>,
    /// The parts of the last turn's request beside the conversation.
    pub(crate) told_head: Option<RequestHead>,
    pub(crate) cancel: CancellationToken,
    pub(crate) pause: CancellationToken,
    pub(crate) skip_wait: Arc<Notify>,
}

impl RunHost {
    #[must_use]
    pub fn new(parts: RunParts, session_id: SessionId, standing: Standing, control: RunControl) -> Self {
        let RunControl { cancel, pause, skip_wait } = control;
        Self {
            clock: SteadyClock::begin(&*parts.clock),
            record: RunLog::new(parts.log.clone(), session_id, standing, parts.state_saving),
            parts,
            tally: Tally::default(),
            ask: Ask::TURN,
            too_large_fixed: None,
            refused_window: None,
            is_reminded: false,
            told_window: None,
            told_head: None,
            cancel,
            pause,
            skip_wait,
        }
    }

    /// Lets the core work until the run ends or has to wait.
    ///
    /// # Errors
    /// Only those of the log: without it nothing can be said to have happened.
    pub async fn run(mut self, core: &dyn Core) -> Result<RunEnd, Fault> {
        self.settle_hooks().await?;
        self.take_up_subagents();
        let ended = match self.begin().await {
            Ok(None) => core.run(&mut self).await,
            Ok(Some(end)) => Ok(end),
            Err(fault) => Err(fault),
        };
        // However it stopped: nobody goes on with them but the run.
        self.parts.executor.rest_subagents().await;
        self.parts.executor.end_helpers().await;
        let ended = match ended {
            // Stopped by the user while it came to wait for something.
            Ok(_) if self.cancel.is_cancelled() && !self.record.state.is_ended() => self.cancelled().await,
            ended => ended,
        };
        match ended {
            Err(fault) if is_of_one_event(&fault) => self.refused(fault).await,
            ended => ended,
        }
    }

    /// Returns whether nothing more may be asked of the model within the run's limits.
    pub(crate) fn is_out_of_budget(&self) -> bool {
        budget::is_exhausted(&self.record.state, self.clock.now_ms())
    }

    /// Records what the waiting sub-agents have done so far, before the run ends.
    pub(crate) async fn stop_subagents(&mut self) -> Result<(), Fault> {
        while let NextStep::Execute(pending) = self.record.state.next_step()
            && is_delegated(&pending)
            && self.execute(&pending).await?.is_none()
        {}
        Ok(())
    }

    /// Hooks of which nobody knows how they ended are told of before anything else is done.
    async fn settle_hooks(&mut self) -> Result<(), Fault> {
        if let Some(hook) = self.record.state.interrupted_hook().cloned() {
            let events = self.parts.executor.settle_hook(&hook, &self.context(None)).await?;
            self.record.take(&events).await?;
        }
        if let Some(call) = self.record.state.finished_call().cloned() {
            let events = self.parts.executor.settle_hooks_after(&call, &self.context(None)).await?;
            self.record.take(&events).await?;
        }
        Ok(())
    }

    pub(crate) fn context(&self, previous: Option<String>) -> CallContext {
        CallContext {
            session_id: self.record.session_id.clone(),
            run_id: self.record.state.run_id.clone(),
            options: self.record.state.options.clone(),
            time_left: budget::milliseconds_left(&self.record.state, self.clock.now_ms()).map(Duration::from_millis),
            cost_left_usd: budget::cost_left(&self.record.state),
            previous,
            sees_pictures: self.parts.model.sees_pictures(),
            agent_state: self.record.seen_state().clone(),
            last_seq: self.record.last_seq,
            cancel: self.cancel.clone(),
            pause: self.pause.clone(),
        }
    }

    pub(crate) async fn execute(&mut self, pending: &PendingCall) -> Result<Option<RunEnd>, Fault> {
        let context = self.context(self.record.previous_result(pending).await?);
        let row = self.row();
        let executed = match row.len() {
            0 | 1 => self.parts.executor.execute(pending, &context).await?,
            _ => self.parts.executor.execute_together(&row, &context).await?,
        };
        self.record.take(&executed.events).await?;
        self.keep_pictures(&executed.events).await;
        match executed.outcome {
            CallOutcome::Finished => Ok(None),
            CallOutcome::Paused => self.paused().await.map(Some),
            CallOutcome::Stopped(fault) => self.failed(fault, None).await.map(Some),
            CallOutcome::AwaitingApproval(approval_id) => {
                let is_own = self.record.state.open_approval().is_some_and(|open| open.approval_id == approval_id);
                if is_own
                    && !self.record.state.background().is_empty()
                    && self.is_decided_meanwhile(&approval_id).await?
                {
                    return Ok(None);
                }
                self.waits_for(approval_id).await.map(Some)
            }
            CallOutcome::AwaitingAnswer(question_id) => {
                if self.record.state.phase != RunPhase::Paused(PauseReason::User) {
                    let question_id = Some(question_id.clone());
                    let paused = RunPaused { question_id, ..RunPaused::because(PauseReason::User) };
                    self.record.append(vec![paused.into()]).await?;
                }
                Ok(Some(RunEnd::AwaitingAnswer(question_id)))
            }
        }
    }

    /// Has the pictures that calls have read at hand for the next request.
    async fn keep_pictures(&mut self, events: &[Arc<Event>]) {
        for event in events.iter().filter(|event| event.kind == "context.added") {
            let EventBody::ContextAdded(added) = event.body() else { continue };
            for hash in added.images.into_iter().map(|image| image.content_hash) {
                if let Some(bytes) = self.parts.executor.picture(&hash).await {
                    Arc::make_mut(&mut self.parts.images).insert(hash, bytes.into());
                }
            }
        }
    }

    /// Returns the calls at the front that may be carried out at the same time: reads that are new, or what sub-agents
    /// were set to work on already.
    fn row(&self) -> Vec<PendingCall> {
        let calls = self.record.state.pending_calls();
        let delegated = calls.iter().take_while(|pending| is_delegated(pending));
        let reads = calls.iter().take_while(|pending| is_fresh_read(pending));
        delegated.chain(reads).cloned().collect()
    }
}

fn is_delegated(pending: &PendingCall) -> bool {
    matches!(pending.progress, CallProgress::Delegated(_))
}

fn is_fresh_read(pending: &PendingCall) -> bool {
    // What it is to read again is handed to it alone.
    let is_alone = pending.call.tool_id == READ_RESULT_TOOL;
    pending.progress == CallProgress::New && pending.call.category == Some(Category::Read) && !is_alone
}

/// Returns whether what was to be stored was refused, and something smaller may well be taken.
pub(crate) fn is_of_one_event(fault: &Fault) -> bool {
    let refusals = [Code::EVENT_TOO_LARGE, Code::EVENT_TOO_DEEP, Code::DISK_FULL, Code::STATE_TOO_LARGE];
    refusals.iter().any(|code| fault.is(*code))
}

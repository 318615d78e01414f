//! The loop itself. Each step is: look at the run's state, do what comes next, append, fold what was appended.

use crate::budget;
use arki_domain::projection::{NextStep, PendingCall, RunPhase, RunState, Transcript};
use arki_domain::{
    ApprovalId, CallContext, CallOutcome, ChatModel, Clock, Event, EventBody, EventDraft, EventLog, Executor, Fault,
    LiveBus, ModelOptions, PauseReason, Redactor, RunPaused, SessionId,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the loop works with; everything that touches the world is behind a port.
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
    pub model_options: ModelOptions,
    /// Says whether a failed run may simply be tried again.
    pub is_retryable: fn(&Fault) -> bool,
}

/// Where the loop stopped. All but the approval and the budget are ends of the run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    Completed { response: String },
    Failed(Fault),
    Cancelled,
    AwaitingApproval(ApprovalId),
    BudgetExhausted,
}

/// One run, from wherever it stands to its next stop.
pub struct ToolLoop {
    pub(crate) parts: RunParts,
    pub(crate) session_id: SessionId,
    pub(crate) state: RunState,
    pub(crate) transcript: Transcript,
    pub(crate) cancel: CancellationToken,
}

impl ToolLoop {
    #[must_use]
    pub fn new(
        parts: RunParts,
        session_id: SessionId,
        state: RunState,
        transcript: Transcript,
        cancel: CancellationToken,
    ) -> Self {
        Self { parts, session_id, state, transcript, cancel }
    }

    /// Goes on until the run ends or has to wait.
    ///
    /// # Errors
    /// Only those of the log: without it nothing can be said to have happened.
    pub async fn run(mut self) -> Result<RunEnd, Fault> {
        loop {
            if self.cancel.is_cancelled() {
                return self.cancelled().await;
            }
            match self.state.next_step() {
                NextStep::Execute(pending) => {
                    if let Some(end) = self.execute(&pending).await? {
                        return Ok(end);
                    }
                }
                NextStep::AskModel if budget::is_exhausted(&self.state, self.parts.clock.now_ms()) => {
                    return self.out_of_budget().await;
                }
                NextStep::AskModel => {
                    if let Some(end) = self.ask_model().await? {
                        return Ok(end);
                    }
                }
                NextStep::Complete => return self.completed().await,
                NextStep::Ended => return Ok(self.ended()),
            }
        }
    }

    async fn execute(&mut self, pending: &PendingCall) -> Result<Option<RunEnd>, Fault> {
        let context = CallContext {
            session_id: self.session_id.clone(),
            run_id: self.state.run_id.clone(),
            options: self.state.options.clone(),
            cancel: self.cancel.clone(),
        };
        let executed = self.parts.executor.execute(pending, &context).await?;
        for event in executed.events {
            self.fold(&event);
        }
        match executed.outcome {
            CallOutcome::Finished => Ok(None),
            CallOutcome::AwaitingApproval(approval_id) => {
                if self.state.phase != RunPhase::Paused(PauseReason::Approval) {
                    let paused = RunPaused { reason: PauseReason::Approval, approval_id: Some(approval_id.clone()) };
                    self.append(vec![paused.into()]).await?;
                }
                Ok(Some(RunEnd::AwaitingApproval(approval_id)))
            }
        }
    }

    pub(crate) async fn append(&mut self, bodies: Vec<EventBody>) -> Result<(), Fault> {
        let drafts = bodies.into_iter().map(|body| EventDraft::of_run(&self.state.run_id, body)).collect();
        for event in self.parts.log.append(&self.session_id, drafts).await? {
            self.fold(&event);
        }
        Ok(())
    }

    fn fold(&mut self, event: &Event) {
        self.state.apply(event);
        self.transcript.apply(event);
    }
}

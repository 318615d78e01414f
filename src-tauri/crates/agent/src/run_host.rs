//! A run's host: what a core can do with a run. It asks (`turn.rs`), executes, and ends or pauses (`ending.rs`); each is
//! recorded in the run's log ([`RunLog`]), which folds it. Which step comes next is the core's to say.

use crate::answer::ask::Ask;
use crate::background::BackgroundAgents;
use crate::call_runner::{CallRunner, is_delegated};
use crate::compacting::ContextWindow;
use crate::hooks::LifecycleHooks;
use crate::run_log::{RunLog, RunSnapshot};
use crate::run_parts::{LoggedRequest, RunParts};
use crate::stop_signals::{RunControl, StopSignals};
use arki_domain::projection::{NextStep, PendingCall, RunPhase};
use arki_domain::{ApprovalId, CallOutcome, Code, Error, PauseReason, QuestionId, RunPaused, SessionId};

/// The reason why a run stopped. The approval, the question, the budget and the pause are no ends of the run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    Completed { response: String },
    Failed(Error),
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
    pub record: RunLog,
    pub(crate) calls: CallRunner,
    pub(crate) window: ContextWindow,
    pub(crate) logged: LoggedRequest,
    /// The request under way, or the last one.
    pub(crate) ask: Ask,
    /// The model was told that it had written a call as text.
    pub(crate) is_reminded: bool,
    pub(crate) stops: StopSignals,
}

impl RunHost {
    #[must_use]
    pub fn new(parts: RunParts, session_id: SessionId, standing: RunSnapshot, control: RunControl) -> Self {
        let stops = StopSignals::new(control, &*parts.clock);
        Self {
            record: RunLog::new(parts.log.clone(), session_id, standing, parts.state_saving),
            calls: CallRunner { executor: parts.executor.clone(), model: parts.model.clone(), stops: stops.clone() },
            window: ContextWindow::new(
                parts.model.clone(),
                parts.compaction.clone(),
                &parts.model_options,
                parts.max_answer,
            ),
            logged: LoggedRequest::default(),
            parts,
            ask: Ask::TURN,
            is_reminded: false,
            stops,
        }
    }

    /// Runs the hooks that come before the first request. One that blocks the prompt ends the run.
    pub(crate) async fn begin(&mut self) -> Result<Option<RunEnd>, Error> {
        match self.hooks().before_prompt().await? {
            Some(objection) => self.failed(objection, None).await.map(Some),
            None => Ok(None),
        }
    }

    /// Runs the hooks of a session that begins, is taken up again or was compacted. One that objects ends the run.
    pub(crate) async fn start_session(&mut self) -> Result<Option<RunEnd>, Error> {
        match self.hooks().at_session_start().await? {
            Some(objection) => self.failed(objection, None).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn hooks(&mut self) -> LifecycleHooks<'_> {
        LifecycleHooks { calls: &self.calls, log: &mut self.record }
    }

    pub(crate) fn subagents(&mut self) -> BackgroundAgents<'_> {
        BackgroundAgents { calls: &self.calls, log: &mut self.record }
    }

    /// Returns whether nothing more may be asked of the model within the run's limits.
    pub(crate) fn is_out_of_budget(&self) -> bool {
        self.stops.is_out_of_budget(&self.record.state)
    }

    /// Records what the waiting sub-agents have done so far, before the run ends.
    pub(crate) async fn stop_subagents(&mut self) -> Result<(), Error> {
        while let NextStep::Execute(pending) = self.record.state.next_step()
            && is_delegated(&pending)
            && self.execute(&pending).await?.is_none()
        {}
        Ok(())
    }

    pub(crate) async fn execute(&mut self, pending: &PendingCall) -> Result<Option<RunEnd>, Error> {
        let executed = self.calls.execute(&mut self.record, pending).await?;
        self.parts.keep_pictures(&executed.events).await;
        match executed.outcome {
            CallOutcome::Finished => Ok(None),
            CallOutcome::Paused => self.paused().await.map(Some),
            CallOutcome::Stopped(fault) => self.failed(fault, None).await.map(Some),
            CallOutcome::AwaitingApproval(approval_id) => {
                let is_own = self.record.state.open_approval().is_some_and(|open| open.approval_id == approval_id);
                if is_own
                    && !self.record.state.background().is_empty()
                    && self.subagents().is_decided(&approval_id).await?
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
}

/// Returns whether what was to be stored was refused, and something smaller may well be taken.
pub(crate) fn is_of_one_event(fault: &Error) -> bool {
    let refusals = [Code::EVENT_TOO_LARGE, Code::EVENT_TOO_DEEP, Code::DISK_FULL, Code::STATE_TOO_LARGE];
    refusals.iter().any(|code| fault.is(*code))
}

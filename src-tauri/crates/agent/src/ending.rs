//! The end or pause of a run: always by an event that says so. Sub-agents in the background come to rest before.

use crate::answer::AnswerSoFar;
use crate::answer_events::Cut;
use crate::compacting::SummaryStop;
use crate::run_host::{RunEnd, RunHost, is_of_one_event};

use arki_domain::projection::{CallProgress, PendingCall, RunPhase};
use arki_domain::{
    ApprovalId, Code, Error, EventBody, PauseReason, RunCancelled, RunCompleted, RunFailed, RunPaused, SubagentsState,
    ToolResult,
};

impl RunHost {
    /// Ends the run, unless a hook makes the agent go on or the user said something meanwhile: `None` then, and where the
    /// user stopped the run.
    pub(crate) async fn completed_unless_held(&mut self) -> Result<Option<RunEnd>, Error> {
        match self.hooks().is_held().await? || self.stops.cancel.is_cancelled() {
            true => Ok(None),
            false => self.completed().await.map(Some),
        }
    }

    async fn completed(&mut self) -> Result<RunEnd, Error> {
        let text = &self.record.state.last_text;
        let completed = RunCompleted {
            response: text.trim().to_owned(),
            turns: self.record.state.turn,
            usage: self.record.state.usage,
        };
        let bodies = self.record.observed(Some(self.record.state.turn)).into_iter().chain([completed.into()]).collect();
        self.record.append(bodies).await?;
        // Whoever works with the answer, such as a pipeline's next step, gets it as the model wrote it.
        Ok(RunEnd::Completed { response: self.record.state.last_text.clone() })
    }

    pub(crate) async fn failed(&mut self, fault: Error, answer: Option<AnswerSoFar>) -> Result<RunEnd, Error> {
        self.subagents().rest().await?;
        let fault = self.parts.redactor.redact_error(fault);
        if let Some(answer) = answer {
            self.interrupted(answer, Cut::Last).await?;
        }
        let failed = RunFailed {
            code: fault.code.clone(),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
            retryable: (self.parts.is_retryable)(&fault),
            cause: fault.cause.clone(),
        };
        // Where the log is full there may be room for the end alone.
        let observed = self.record.observed(None).filter(|_| !is_of_one_event(&fault));
        self.record.append(observed.into_iter().chain([failed.into()]).collect()).await?;
        Ok(RunEnd::Failed(fault))
    }

    /// The log did not take something. That the run failed is small enough to be told, unless the log takes nothing any
    /// more: then the run stays as it was last stored, and can go on from there.
    pub(crate) async fn refused(&mut self, fault: Error) -> Result<RunEnd, Error> {
        self.failed(fault.clone(), None).await.map_err(|_| fault)
    }

    /// Calls that were never begun get a result that says so: every call has one, and the model is not left guessing.
    pub(crate) async fn cancelled(&mut self) -> Result<RunEnd, Error> {
        self.subagents().rest().await?;
        let mut bodies: Vec<EventBody> =
            self.record.state.pending_calls().iter().map(|call| unfinished(call).into()).collect();
        bodies.extend(self.record.observed(None));
        let (code, message) = (Code::CANCELLED.0.to_owned(), "The run was stopped.".to_owned());
        bodies.push(RunCancelled { code, message, retryable: true }.into());
        self.record.append(bodies).await?;
        Ok(RunEnd::Cancelled)
    }

    /// Pauses the run, unless sub-agents work in the background: what they don't use of their share is the run's again.
    pub(crate) async fn out_of_budget(&mut self) -> Result<Option<RunEnd>, Error> {
        match self.record.state.background().is_empty() {
            true => self.budget_exhausted().await.map(Some),
            false => self.await_subagents().await,
        }
    }

    /// Pauses the run without waiting for anything.
    pub(crate) async fn budget_exhausted(&mut self) -> Result<RunEnd, Error> {
        self.subagents().rest().await?;
        self.record.append(vec![RunPaused::because(PauseReason::Budget).into()]).await?;
        Ok(RunEnd::BudgetExhausted)
    }

    pub(crate) async fn stopped(&mut self, stop: SummaryStop) -> Result<RunEnd, Error> {
        match stop {
            SummaryStop::Cancelled => self.cancelled().await,
            SummaryStop::OutOfTime => self.budget_exhausted().await,
        }
    }

    pub(crate) async fn paused(&mut self) -> Result<RunEnd, Error> {
        self.subagents().rest().await?;
        self.record.append(vec![RunPaused::because(PauseReason::User).into()]).await?;
        Ok(RunEnd::Paused)
    }

    /// Waits until a sub-agent in the background has its result, or the user says something. `Some` where the run has to wait for the user.
    pub(crate) async fn await_subagents(&mut self) -> Result<Option<RunEnd>, Error> {
        let (outstanding, step) = (self.record.state.background().len(), self.record.state.next_step());
        loop {
            self.hooks().deliver_steering().await?;
            let is_news = self.record.state.background().len() != outstanding || self.record.state.next_step() != step;
            if is_news || self.stops.cancel.is_cancelled() {
                return Ok(None);
            }
            if self.stops.pause.is_cancelled() {
                return self.paused().await.map(Some);
            }
            match self.calls.executor.subagents_standing() {
                SubagentsState::AtWork => self.subagents().until_they_change().await,
                SubagentsState::Waiting(approval_id) => return self.waits_for(approval_id).await.map(Some),
                SubagentsState::AtRest => {
                    // It may have stopped since the log was read.
                    self.record.catch_up().await?;
                    if self.record.state.background().len() == outstanding {
                        return self.paused().await.map(Some);
                    }
                }
            }
        }
    }

    /// Ends the run's work here until this is decided.
    pub(crate) async fn waits_for(&mut self, approval_id: ApprovalId) -> Result<RunEnd, Error> {
        self.subagents().rest().await?;
        if self.record.state.phase != RunPhase::Paused(PauseReason::Approval) {
            let approval_id = Some(approval_id.clone());
            let paused = RunPaused { approval_id, ..RunPaused::because(PauseReason::Approval) };
            self.record.append(vec![paused.into()]).await?;
        }
        Ok(RunEnd::AwaitingApproval(approval_id))
    }

    pub(crate) fn ended(&self) -> RunEnd {
        match &self.record.state.phase {
            RunPhase::Failed { code, message, hint } => RunEnd::Failed(Error {
                code: code.clone(),
                message: message.clone(),
                hint: hint.clone(),
                retry_after_ms: None,
                cause: None,
            }),
            RunPhase::Cancelled => RunEnd::Cancelled,
            RunPhase::Active | RunPhase::Paused(_) | RunPhase::Completed => {
                RunEnd::Completed { response: self.record.state.last_text.clone() }
            }
        }
    }
}

fn unfinished(pending: &PendingCall) -> ToolResult {
    let result = match &pending.progress {
        CallProgress::New | CallProgress::AwaitingApproval(_) | CallProgress::Resolved(_) => {
            "Not done: the user stopped the run before this call started.".to_owned()
        }
        CallProgress::AwaitingAnswer(_) => "Not answered: the user stopped the run.".to_owned(),
        CallProgress::Answered(answered) => format!("{}\n[Then the user stopped the run.]", answered.text),
        CallProgress::Delegated(_) => {
            "The user stopped the run and the agent that worked on this. What it had done stays done.".to_owned()
        }
        CallProgress::Begun { .. } => "The user stopped the run during this call. Its effect is unknown.".to_owned(),
    };
    let result = ToolResult::new(pending.call.call_id.clone(), pending.call.tool_id.clone(), result);
    ToolResult { is_error: true, code: Some(Code::CANCELLED.0.to_owned()), ..result }
}

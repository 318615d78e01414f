//! The end or pause of a run, once nothing is at work: always by an event that says so.

use super::{PipelineRun, millis};
use arki_agent::RunEnd;
use arki_domain::projection::RunPhase;
use arki_domain::{
    ApprovalId, Code, Error, EventBody, PauseReason, RunCancelled, RunCompleted, RunFailed, RunPaused, Usage,
};

/// The longest output that stands in `run.completed`, in bytes; of a longer one, only the beginning does.
const MAX_RESPONSE_BYTES: usize = 64 << 10;

impl PipelineRun {
    /// Ends or pauses the run; `None` where a decision came meanwhile, so that it goes on.
    pub(super) async fn stop(&mut self) -> Result<Option<RunEnd>, Error> {
        if self.control.cancel.is_cancelled() {
            return self.cancelled().await.map(Some);
        }
        if self.is_over_time {
            return self.failed(over_time(self.definition.limits.run_timeout_seconds)).await.map(Some);
        }
        if let Some(fault) = self.failure.take() {
            return self.failed(fault).await.map(Some);
        }
        if self.control.pause.is_cancelled() || self.is_paused_beneath {
            self.log.tell(self.pause(PauseReason::User, None));
            self.log.flush().await?;
            return Ok(Some(RunEnd::Paused));
        }
        if self.gate.is_some() || !self.waiting.is_empty() {
            return self.await_decision().await;
        }
        self.completed().await.map(Some)
    }

    async fn completed(&mut self) -> Result<RunEnd, Error> {
        let last = self.steps.outputs.last().cloned().flatten();
        let output = last.ok_or_else(|| Error::internal("a run whose last step has no output"))?;
        let text = self.log.text_of(&output).await?;
        let response = shortened(&text);
        self.log.tell(RunCompleted { response: response.clone(), turns: 0, usage: Usage::zero() });
        self.log.flush().await?;
        Ok(RunEnd::Completed { response })
    }

    async fn failed(&mut self, fault: Error) -> Result<RunEnd, Error> {
        let (code, message, hint) = (fault.code.clone(), fault.message.clone(), fault.hint.clone());
        self.log.tell(RunFailed { code, message, hint, retryable: true, cause: fault.cause.clone() });
        self.log.flush().await?;
        Ok(RunEnd::Failed(fault))
    }

    async fn cancelled(&mut self) -> Result<RunEnd, Error> {
        let (code, message) = (Code::CANCELLED.0.to_owned(), "The run was stopped.".to_owned());
        self.log.tell(RunCancelled { code, message, retryable: true });
        self.log.flush().await?;
        Ok(RunEnd::Cancelled)
    }

    async fn await_decision(&mut self) -> Result<Option<RunEnd>, Error> {
        self.look_for_decisions().await?;
        let of_gate = self.log.state.open_gate().map(|(_, requested)| requested.approval_id.clone());
        let Some(approval_id) = of_gate.or_else(|| self.waiting.first().map(|(_, approval)| approval.clone())) else {
            return Ok(None);
        };
        let has_more = !self.queue.is_empty() || !self.log.told.is_empty() || !self.graph.ready.is_empty();
        if has_more {
            return Ok(None);
        }
        // A run that was resumed and found nothing to do still waits as it did.
        let waited_before =
            self.log.resumed.is_some() && self.log.state.phase == RunPhase::Paused(PauseReason::Approval);
        if !waited_before {
            self.log.tell(self.pause(PauseReason::Approval, Some(approval_id.clone())));
            self.log.flush().await?;
        }
        Ok(Some(RunEnd::AwaitingApproval(approval_id)))
    }

    fn pause(&self, reason: PauseReason, approval_id: Option<ApprovalId>) -> EventBody {
        let worked_ms = Some(millis(self.worked_before + self.began.elapsed()));
        RunPaused { approval_id, worked_ms, ..RunPaused::because(reason) }.into()
    }
}

fn over_time(seconds: u64) -> Error {
    Error::new(
        Code::PIPELINE_TIMEOUT,
        format!("The run took longer than {seconds} s."),
        "`arki resume` continues with a fresh time limit. `limits.run_timeout_seconds` is the limit.",
    )
}

/// The output as it stands in `run.completed`; whole, it is in the last step's event or beside it.
fn shortened(text: &str) -> String {
    match text.len() > MAX_RESPONSE_BYTES {
        false => text.to_owned(),
        true => format!("{}\n[… {} bytes in all]", &text[..text.floor_char_boundary(MAX_RESPONSE_BYTES)], text.len()),
    }
}

//! Sub-agents in the background of a run: taken up when it begins or goes on, waited for before it completes, and at rest
//! before it stops. So they never work for a run that nobody works on.

use crate::run_host::{RunEnd, RunHost};
use arki_domain::projection::RunPhase;
use arki_domain::{ApprovalId, Fault, PauseReason, RunPaused, SubagentsStanding};
use std::time::Duration;

/// The interval at which a run that waits looks for what the user said or decided.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl RunHost {
    /// Has all of them work that have no result yet.
    pub(crate) fn take_up_subagents(&self) {
        if !self.record.state.is_ended() {
            self.parts.executor.take_up_subagents(self.record.state.background(), &self.context(None));
        }
    }

    /// Pauses them, or ends them where the run was stopped, and reads what they came to meanwhile.
    pub(crate) async fn rest_subagents(&mut self) -> Result<(), Fault> {
        if self.record.state.background().is_empty() {
            return Ok(());
        }
        if self.cancel.is_cancelled() {
            // Also one that the user paused alone.
            self.take_up_subagents();
        }
        self.parts.executor.rest_subagents().await;
        self.record.catch_up().await
    }

    /// Waits until one of them has its result, or the user says something. `Some` where the run has to wait for the user.
    pub(crate) async fn await_subagents(&mut self) -> Result<Option<RunEnd>, Fault> {
        let (outstanding, step) = (self.record.state.background().len(), self.record.state.next_step());
        loop {
            self.deliver_steering().await?;
            let is_news = self.record.state.background().len() != outstanding || self.record.state.next_step() != step;
            if is_news || self.cancel.is_cancelled() {
                return Ok(None);
            }
            if self.pause.is_cancelled() {
                return self.paused().await.map(Some);
            }
            match self.parts.executor.subagents_standing() {
                SubagentsStanding::AtWork => self.until_they_change().await,
                SubagentsStanding::Waiting(approval_id) => return self.waits_for(approval_id).await.map(Some),
                SubagentsStanding::AtRest => {
                    // It may have stopped since the log was read.
                    self.record.catch_up().await?;
                    if self.record.state.background().len() == outstanding {
                        return self.paused().await.map(Some);
                    }
                }
            }
        }
    }

    /// Stays while sub-agents work, so that the decision on the run's own call need not wait for them, nor they for it.
    /// Returns whether there is one.
    pub(crate) async fn is_decided_meanwhile(&mut self, approval_id: &ApprovalId) -> Result<bool, Fault> {
        loop {
            self.record.catch_up().await?;
            let is_own = self.record.state.open_approval().is_some_and(|open| open.approval_id == *approval_id);
            if !is_own || self.cancel.is_cancelled() {
                return Ok(true);
            }
            if self.pause.is_cancelled() || self.parts.executor.subagents_standing() != SubagentsStanding::AtWork {
                return Ok(false);
            }
            self.until_they_change().await;
        }
    }

    /// Ends the run's work here until this is decided.
    pub(crate) async fn waits_for(&mut self, approval_id: ApprovalId) -> Result<RunEnd, Fault> {
        self.rest_subagents().await?;
        if self.record.state.phase != RunPhase::Paused(PauseReason::Approval) {
            let approval_id = Some(approval_id.clone());
            let paused = RunPaused { approval_id, ..RunPaused::because(PauseReason::Approval) };
            self.record.append(vec![paused.into()]).await?;
        }
        Ok(RunEnd::AwaitingApproval(approval_id))
    }

    async fn until_they_change(&self) {
        tokio::select! {
            () = self.parts.executor.subagents_changed(LOOK_AGAIN) => {}
            () = self.cancel.cancelled() => {}
            () = self.pause.cancelled() => {}
        }
    }
}

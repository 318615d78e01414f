//! Sub-agents in the background of a run: taken up when it begins or goes on, waited for before it completes, and at rest
//! before it stops. So they never work for a run that nobody works on.

use crate::call_runner::CallRunner;
use crate::run_log::RunLog;
use arki_domain::{ApprovalId, Error, SubagentsState};
use std::time::Duration;

/// The interval at which a run that waits looks for what the user said or decided.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// The sub-agents that work in the background of a run.
pub(crate) struct BackgroundAgents<'a> {
    pub(crate) calls: &'a CallRunner,
    pub(crate) log: &'a mut RunLog,
}

impl BackgroundAgents<'_> {
    /// Has all of them work that have no result yet.
    pub(crate) fn take_up(&self) {
        if !self.log.state.is_ended() {
            self.calls.executor.take_up_subagents(self.log.state.background(), &self.calls.context(self.log));
        }
    }

    /// Pauses them, or ends them where the run was stopped, and reads what they came to meanwhile.
    pub(crate) async fn rest(&mut self) -> Result<(), Error> {
        if self.log.state.background().is_empty() {
            return Ok(());
        }
        if self.calls.stops.cancel.is_cancelled() {
            // Also one that the user paused alone.
            self.take_up();
        }
        self.calls.executor.rest_subagents().await;
        self.log.catch_up().await
    }

    /// Stays while sub-agents work, so that the decision on the run's own call need not wait for them, nor they for it.
    /// Returns whether there is one.
    pub(crate) async fn is_decided(&mut self, approval_id: &ApprovalId) -> Result<bool, Error> {
        loop {
            self.log.catch_up().await?;
            let is_own = self.log.state.open_approval().is_some_and(|open| open.approval_id == *approval_id);
            if !is_own || self.calls.stops.cancel.is_cancelled() {
                return Ok(true);
            }
            if self.calls.stops.pause.is_cancelled()
                || self.calls.executor.subagents_standing() != SubagentsState::AtWork
            {
                return Ok(false);
            }
            self.until_they_change().await;
        }
    }

    pub(crate) async fn until_they_change(&self) {
        tokio::select! {
            () = self.calls.executor.subagents_changed(LOOK_AGAIN) => {}
            () = self.calls.stops.cancel.cancelled() => {}
            () = self.calls.stops.pause.cancelled() => {}
        }
    }
}

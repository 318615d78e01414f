//! Sub-agents in the background: the call is answered at once with a placeholder, and the result follows as an event of
//! its own, as a background command's does. Unlike a command they belong to their run: it waits for them before it
//! completes, they rest when it stops, and whoever goes on with it takes them up again from where their logs say.

use super::delegation::{DelegatedCalls, DelegationOutcome, leaves_calls, task_of};
use super::delegation_row::awaited;
use super::record::Record;
use crate::builtin::delegate::Arguments;
use crate::subagents::{SubagentStop, SubagentTask, Subagents};
use crate::tool::Action;
use arki_domain::projection::PendingCall;
use arki_domain::{
    ApprovalId, CallContext, CallId, CallOutcome, Code, Error, EventBody, SubagentStarted, SubagentsState,
    ToolAsyncResult, ToolCall, ToolResult,
};
use arki_policy::Verdict;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The most that one run has at the same time.
const MAX_SUBAGENTS_IN_BACKGROUND: usize = 4;
/// The interval at which one that waits looks whether the user has decided.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// The sub-agents that this executor has in the background, in the order in which they were taken up.
pub(super) struct BackgroundSubagents {
    standing: watch::Sender<Vec<(CallId, Stands)>>,
    /// The pause of those that are there now; one that was cancelled is replaced.
    pause: Mutex<CancellationToken>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stands {
    AtWork,
    Waiting(ApprovalId),
    /// Its result is in the log. Whoever takes up what a state of the log lists, which may be an earlier one, doesn't
    /// begin it again.
    Told,
}

impl Default for BackgroundSubagents {
    fn default() -> Self {
        Self { standing: watch::Sender::new(Vec::new()), pause: Mutex::default() }
    }
}

impl BackgroundSubagents {
    /// False where it is there already.
    fn begins(&self, call_id: &CallId) -> bool {
        self.standing.send_if_modified(|standing| {
            let is_new = standing.iter().all(|(known, _)| known != call_id);
            if is_new {
                standing.push((call_id.clone(), Stands::AtWork));
            }
            is_new
        })
    }

    fn stands(&self, call_id: &CallId, stands: &Stands) {
        let is_it = |place: &&mut (CallId, Stands)| place.0 == *call_id;
        self.standing.send_modify(|standing| {
            if let Some(place) = standing.iter_mut().find(is_it) {
                place.1 = stands.clone();
            }
        });
    }

    /// Gives its place back, unless its result is told.
    fn rests(&self, call_id: &CallId) {
        self.standing
            .send_modify(|standing| standing.retain(|(known, stands)| known != call_id || *stands == Stands::Told));
    }

    fn count(&self) -> usize {
        self.standing.borrow().iter().filter(|(_, stands)| *stands != Stands::Told).count()
    }

    pub(super) fn standing(&self) -> SubagentsState {
        let standing = self.standing.borrow();
        let waits = |(_, stands): &(CallId, Stands)| match stands {
            Stands::Waiting(approval_id) => Some(approval_id.clone()),
            Stands::AtWork | Stands::Told => None,
        };
        match standing.iter().find_map(waits) {
            _ if standing.iter().any(|(_, stands)| *stands == Stands::AtWork) => SubagentsState::AtWork,
            Some(approval_id) => SubagentsState::Waiting(approval_id),
            None => SubagentsState::AtRest,
        }
    }

    pub(super) async fn changed(&self, within: Duration) {
        let mut changes = self.standing.subscribe();
        // Whoever waits looks again anyway.
        let _ = tokio::time::timeout(within, changes.changed()).await;
    }

    /// Pauses them, and waits until none is left.
    pub(super) async fn rest(&self) {
        let pause = std::mem::take(&mut *self.lock());
        pause.cancel();
        // The sender lives as long as `self`.
        let _ = self
            .standing
            .subscribe()
            .wait_for(|standing| standing.iter().all(|(_, stands)| *stands == Stands::Told))
            .await;
    }

    fn pause(&self) -> CancellationToken {
        self.lock().child_token()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CancellationToken> {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one of them, given back when dropped.
struct SubagentPlace {
    delegations: Arc<DelegatedCalls>,
    call_id: CallId,
}

impl Drop for SubagentPlace {
    fn drop(&mut self) {
        self.delegations.background.rests(&self.call_id);
    }
}

impl DelegatedCalls {
    /// Begins a sub-agent in the background. Its start and the placeholder are one transaction; the sub-agent works
    /// after it.
    pub(super) async fn delegate_in_background(
        self: &Arc<Self>,
        subagents: &dyn Subagents,
        (call, arguments): (&ToolCall, &Arguments),
        verdict: &Verdict,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        if let Err(fault) = self.ensure_fit_for_background(subagents, arguments) {
            return record.conclude_read(call, verdict, Err(fault)).await;
        }
        let context = record.context;
        let max_cost_usd = context.cost_left_usd.map(|left| self.share_of(left));
        let started = SubagentStarted { max_cost_usd, ..self.begun(subagents, call, arguments.clone()) };
        let placeholder = placeholder(call, &started, record);
        let context = context.clone();
        let outcome = record.settle_decided(call, verdict, vec![started.clone().into(), placeholder.into()]).await?;
        self.take_up_subagent(call.clone(), started, &context);
        Ok(outcome)
    }

    /// Returns what every free place would get, and the run itself: so nothing that is set aside is more than there is.
    fn share_of(&self, left: f64) -> f64 {
        let free = MAX_SUBAGENTS_IN_BACKGROUND.saturating_sub(self.background.count());
        left / u32::try_from(free + 1).map_or(f64::INFINITY, f64::from)
    }

    fn ensure_fit_for_background(&self, subagents: &dyn Subagents, arguments: &Arguments) -> Result<(), Error> {
        if !self.keeps_apart(subagents, arguments) {
            return Err(would_write(&arguments.agent));
        }
        if self.background.count() < MAX_SUBAGENTS_IN_BACKGROUND { Ok(()) } else { Err(full()) }
    }

    pub(super) fn take_up(self: &Arc<Self>, calls: &[PendingCall], context: &CallContext) {
        for pending in calls {
            if let Some(started) = pending.subagent() {
                self.take_up_subagent(pending.call.clone(), started.clone(), context);
            }
        }
    }

    fn take_up_subagent(self: &Arc<Self>, call: ToolCall, started: SubagentStarted, context: &CallContext) {
        if !self.background.begins(&call.call_id) {
            return;
        }
        let place = SubagentPlace { delegations: self.clone(), call_id: call.call_id.clone() };
        let pause = self.background.pause();
        let context = CallContext { cost_left_usd: started.max_cost_usd, pause, ..context.clone() };
        let delegations = self.clone();
        tokio::spawn(async move {
            if let Err(fault) = delegations.work_in_background((&call, &started), &context).await {
                tracing::error!(code = fault.code, %fault, "what a sub-agent came to is not in the log");
            }
            drop(place);
        });
    }

    /// Works until its result is in the log, or it rests.
    async fn work_in_background(
        &self,
        (call, started): (&ToolCall, &SubagentStarted),
        context: &CallContext,
    ) -> Result<(), Error> {
        let mut record = self.call_log.record(context);
        let Some(Action::Delegate(subagents)) = self.toolbox.tool(&call.tool_id).map(|tool| &tool.action) else {
            let result = record.error(call, &self.toolbox.unknown(&call.tool_id));
            record.settle(vec![late(result).into()]).await?;
            self.background.stands(&call.call_id, &Stands::Told);
            return Ok(());
        };
        let subagents = subagents.as_ref();
        let stop = self.work_past_decisions(subagents, (call, started), context).await;
        let bodies = match self.came_of((call, started), stop, &record).await {
            DelegationOutcome::ToStop(_) => return Ok(()),
            DelegationOutcome::ToAnEnd(bodies) => bodies,
        };
        let left = leaves_calls(&bodies);
        let bodies = bodies.into_iter().map(|body| match body {
            EventBody::ToolResult(result) => late(result).into(),
            other => other,
        });
        record.settle(bodies.collect()).await?;
        self.background.stands(&call.call_id, &Stands::Told);
        if left { subagents.tell_of_background(started).await } else { Ok(()) }
    }

    /// Goes on by itself after each decision that it waits for, for as long as the run is there.
    async fn work_past_decisions(
        &self,
        subagents: &dyn Subagents,
        (call, started): (&ToolCall, &SubagentStarted),
        context: &CallContext,
    ) -> Result<SubagentStop, Error> {
        let task = task_of(call)?;
        let mut settled: Option<ApprovalId> = None;
        loop {
            let stop = subagents.work(SubagentTask { started, task: &task, context }).await;
            let Some(approval_id) = awaited(&stop).filter(|approval_id| settled.as_ref() != Some(approval_id)).cloned()
            else {
                return stop;
            };
            self.background.stands(&call.call_id, &Stands::Waiting(approval_id.clone()));
            if !until_settled(subagents, &approval_id, context).await? {
                return stop;
            }
            settled = Some(approval_id);
            self.background.stands(&call.call_id, &Stands::AtWork);
        }
    }
}

/// Returns whether there is something to go on with: a decision, or the end of the run. Otherwise it pauses.
async fn until_settled(
    subagents: &dyn Subagents,
    approval_id: &ApprovalId,
    context: &CallContext,
) -> Result<bool, Error> {
    loop {
        if context.cancel.is_cancelled() || subagents.is_settled(approval_id).await? {
            return Ok(true);
        }
        if context.pause.is_cancelled() {
            return Ok(false);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_AGAIN) => {}
            () = context.cancel.cancelled() => {}
            () = context.pause.cancelled() => {}
        }
    }
}

fn placeholder(call: &ToolCall, started: &SubagentStarted, record: &Record<'_>) -> ToolResult {
    let text = format!(
        "The agent {} works in the background as {}. Its result comes as an AsyncToolResult when it has finished; don't \
        poll for it.",
        started.agent, call.call_id
    );
    record.placeholder(call, text)
}

pub(super) fn late(result: ToolResult) -> ToolAsyncResult {
    ToolAsyncResult {
        async_call_id: result.call_id,
        tool_id: result.tool_id,
        result: result.result,
        styles: result.styles,
        is_error: result.is_error,
        usage: result.usage,
        background: result.background,
    }
}

fn would_write(agent: &str) -> Error {
    let message = format!("The agent {agent} may change files, so it can't work in the background.");
    let hint = "Leave `background` out, choose an agent that only reads, or add `isolation: \"worktree\"`.";
    Error::new(Code::BACKGROUND_WOULD_WRITE, message, hint)
}

fn full() -> Error {
    let message = format!("This run already has {MAX_SUBAGENTS_IN_BACKGROUND} sub-agents in the background.");
    Error::new(Code::BACKGROUND_FULL, message, "Wait for one of them, or leave `background` out.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_whose_result_is_told_is_not_begun_again_and_keeps_no_place() {
        let background = BackgroundSubagents::default();
        let (told, resting) = (CallId::from("told"), CallId::from("resting"));
        assert!(background.begins(&told) && background.begins(&resting) && !background.begins(&told));
        background.stands(&told, &Stands::Told);
        background.rests(&told);
        background.rests(&resting);
        assert_eq!((background.count(), background.standing()), (0, SubagentsState::AtRest));
        background.rest().await;
        assert!(!background.begins(&told), "an earlier state of the log still lists it");
        assert!(background.begins(&resting));
    }
}

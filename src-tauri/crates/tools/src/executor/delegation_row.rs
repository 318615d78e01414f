//! Tasks that the model hands over in one answer, to agents that only read: their sub-agents work side by side, and the
//! results are recorded in the order of the calls.
//!
//! A row is begun in one transaction, so that it goes on with the same sub-agents after a restart. While one of them
//! waits for the user and others work, nobody else may go on with the run above: the row itself looks for the decision.

use super::delegation::DelegatedCalls;
use crate::builtin::delegate;
use crate::subagents::{SubagentEnd, SubagentStop, SubagentTask, Subagents};
use crate::tool::Action;
use arki_domain::{ApprovalId, CallContext, CallOutcome, Error, Event, EventBody, Executed, SubagentStarted, ToolCall};
use arki_policy::Verdict;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The sub-agents that work at the same time.
pub(super) const MAX_SUBAGENTS_AT_ONCE: usize = 4;
/// The interval at which a row looks whether the user has decided what one of its sub-agents waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// A call of a row.
pub(super) struct DelegatedCall<'a> {
    call: &'a ToolCall,
    subagents: &'a dyn Subagents,
    task: String,
    started: SubagentStarted,
    /// The events to log before the sub-agent begins; empty if they are logged already.
    begins_with: Vec<EventBody>,
}

/// An approval that a sub-agent waits for.
type WaitingApproval<'a> = (&'a dyn Subagents, ApprovalId);

impl<'a> DelegatedCall<'a> {
    pub(super) fn begun_before(self, started: &SubagentStarted) -> Self {
        Self { started: started.clone(), ..self }
    }

    pub(super) fn beginning(self, verdict: &Verdict) -> Self {
        let decided = verdict.decided(self.call, Vec::new());
        Self { begins_with: vec![decided.into(), self.started.clone().into()], ..self }
    }
}

impl DelegatedCalls {
    /// Works on the calls of a row.
    pub(super) async fn work_together(
        &self,
        mut row: Vec<DelegatedCall<'_>>,
        context: &CallContext,
    ) -> Result<Executed, Error> {
        let mut record = self.call_log.record(context);
        let begins_with: Vec<EventBody> = row.iter_mut().flat_map(|handed| handed.begins_with.drain(..)).collect();
        if !begins_with.is_empty() {
            record.note(begins_with).await?;
        }
        let mut events = record.into_events();
        let context = &share_of(context, row.len());
        // Should this fail in the middle, the others are not left working for nobody.
        let _stop = context.cancel.clone().drop_guard();
        let mut settled: Vec<ApprovalId> = Vec::new();
        loop {
            let (outcome, waiting) = self.work_side_by_side(&mut row, context, &mut events).await?;
            let is_waiting = matches!(outcome, CallOutcome::AwaitingApproval(_));
            // Whoever decided while the row was at work left it to the row to go on.
            let mut goes_on = false;
            for (subagents, approval_id) in waiting.into_iter().filter(|_| is_waiting) {
                if !settled.contains(&approval_id) && subagents.is_settled(&approval_id).await? {
                    settled.push(approval_id);
                    goes_on = true;
                }
            }
            if !goes_on {
                return Ok(Executed { outcome, events });
            }
        }
    }

    /// Has all of them work until they have stopped, and records the results up to the first that has none yet. Only the
    /// calls without a result are left in the row. Returns what the sub-agents wait for, too.
    async fn work_side_by_side<'a>(
        &self,
        row: &mut Vec<DelegatedCall<'a>>,
        context: &CallContext,
        events: &mut Vec<Arc<Event>>,
    ) -> Result<(CallOutcome, Vec<WaitingApproval<'a>>), Error> {
        let at_work = watch::Sender::new(row.len());
        let mut begun: Vec<BoxFuture<'_, _>> = Vec::new();
        for handed in row.iter() {
            begun.push(work_beside(handed, context, &at_work).boxed());
        }
        let mut stops = stream::iter(begun).buffered(MAX_SUBAGENTS_AT_ONCE);
        let (mut outcome, mut recorded, mut waiting) = (CallOutcome::Finished, 0, Vec::new());
        for DelegatedCall { call, subagents, started, .. } in row.iter() {
            let Some((since, stop)) = stops.next().await else { break };
            waiting.extend(awaited(&stop).map(|approval_id| (*subagents, approval_id.clone())));
            // What comes after one that waits is in its sub-agent's log, and recorded in its turn.
            if outcome == CallOutcome::Finished {
                let mut record = self.call_log.record(context).since(since);
                outcome = self.conclude(*subagents, (call, started), stop, &mut record).await?;
                recorded += usize::from(outcome == CallOutcome::Finished);
                events.extend(record.into_events());
            }
        }
        drop(stops);
        row.drain(..recorded);
        Ok((outcome, waiting))
    }

    /// Returns the call with what it hands over, where it may be worked on beside others.
    pub(super) fn handed<'a>(&'a self, call: &'a ToolCall) -> Option<DelegatedCall<'a>> {
        let Action::Delegate(subagents) = &self.toolbox.tool(&call.tool_id)?.action else { return None };
        let subagents = subagents.as_ref();
        let arguments = delegate::parse(&call.args).ok()?;
        if arguments.background
            || !self.keeps_apart(subagents, &arguments)
            || self.ensure_can_be_taken(subagents, &arguments).is_err()
        {
            return None;
        }
        let (task, started) = (arguments.task.clone(), self.begun(subagents, call, arguments));
        Some(DelegatedCall { call, subagents, task, started, begins_with: Vec::new() })
    }
}

/// Works from wherever the sub-agent is until it has stopped, and returns with it the moment at which this began. One
/// that waits for the user continues as soon as that is settled, as long as another is working. `at_work` counts those
/// that are.
async fn work_beside(
    DelegatedCall { subagents, task, started, .. }: &DelegatedCall<'_>,
    context: &CallContext,
    at_work: &watch::Sender<usize>,
) -> (Instant, Result<SubagentStop, Error>) {
    let since = Instant::now();
    let mut settled: Option<ApprovalId> = None;
    loop {
        let stop = subagents.work(SubagentTask { started, task, context }).await;
        at_work.send_modify(|working| *working = working.saturating_sub(1));
        let Some(approval_id) = awaited(&stop).filter(|approval_id| settled.as_ref() != Some(approval_id)).cloned()
        else {
            return (since, stop);
        };
        let mut changes = at_work.subscribe();
        loop {
            if *at_work.borrow() == 0 {
                return (since, stop);
            }
            match subagents.is_settled(&approval_id).await {
                Ok(false) if !context.cancel.is_cancelled() => {}
                Ok(_) => break,
                Err(fault) => return (since, Err(fault)),
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK_AGAIN) => {}
                _ = changes.changed() => {}
                () = context.cancel.cancelled() => {}
            }
        }
        settled = Some(approval_id);
        at_work.send_modify(|working| *working += 1);
    }
}

pub(super) fn awaited(stop: &Result<SubagentStop, Error>) -> Option<&ApprovalId> {
    match stop {
        Ok(SubagentStop { end: SubagentEnd::AwaitingApproval(approval_id), .. }) => Some(approval_id),
        _ => None,
    }
}

/// Each of the row may spend an equal share of what is left.
fn share_of(context: &CallContext, row: usize) -> CallContext {
    let parts = u32::try_from(row).map_or(f64::INFINITY, f64::from);
    let cost_left_usd = context.cost_left_usd.map(|left| left / parts);
    CallContext { cost_left_usd, cancel: context.cancel.child_token(), ..context.clone() }
}

//! Carries out a run's calls and runs its hooks, through the executor; the run's log takes in what they came to.

use crate::run_log::RunLog;
use crate::stop_signals::{StopSignals, cost_left};
use arki_domain::projection::{CallProgress, PendingCall, READ_RESULT_TOOL};
use arki_domain::{CallContext, Category, ChatModel, Error, Executed, Executor, HookMoment};
use std::sync::Arc;

/// The way to the executor, and what it is told with every call.
pub(crate) struct CallRunner {
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) stops: StopSignals,
}

impl CallRunner {
    pub(crate) fn context(&self, log: &RunLog) -> CallContext {
        CallContext {
            session_id: log.followed.session_id.clone(),
            run_id: log.state.run_id.clone(),
            options: log.state.options.clone(),
            time_left: self.stops.time_left(&log.state),
            cost_left_usd: cost_left(&log.state),
            previous: None,
            sees_pictures: self.model.sees_pictures(),
            agent_state: log.seen_state().clone(),
            last_seq: log.followed.last_seq,
            cancel: self.stops.cancel.clone(),
            pause: self.stops.pause.clone(),
        }
    }

    /// Carries out a call, with others that may be carried out at the same time.
    pub(crate) async fn execute(&self, log: &mut RunLog, pending: &PendingCall) -> Result<Executed, Error> {
        let context = CallContext { previous: log.previous_result(pending).await?, ..self.context(log) };
        let row = row(log.state.pending_calls());
        let executed = match row.len() {
            0 | 1 => self.executor.execute(pending, &context).await?,
            _ => self.executor.execute_together(&row, &context).await?,
        };
        log.take(executed.events.clone()).await?;
        Ok(executed)
    }

    /// Returns whether any ran.
    pub(crate) async fn run_hooks(&self, log: &mut RunLog, moment: &HookMoment) -> Result<bool, Error> {
        let events = self.executor.run_hooks(moment, &log.state.hooks, &self.context(log)).await?;
        let has_run = !events.is_empty();
        log.take(events).await?;
        Ok(has_run)
    }

    /// Hooks of which nobody knows how they ended are told of before anything else is done.
    pub(crate) async fn settle_hooks(&self, log: &mut RunLog) -> Result<(), Error> {
        if let Some(hook) = log.state.interrupted_hook().cloned() {
            let events = self.executor.settle_hook(&hook, &self.context(log)).await?;
            log.take(events).await?;
        }
        if let Some(call) = log.state.finished_call().cloned() {
            let events = self.executor.settle_hooks_after(&call, &self.context(log)).await?;
            log.take(events).await?;
        }
        Ok(())
    }
}

/// Returns the calls at the front that may be carried out at the same time: reads that are new, or what sub-agents
/// were set to work on already. New edits may be reviewed together.
fn row(calls: &[PendingCall]) -> Vec<PendingCall> {
    let edits = calls.iter().take_while(|pending| is_fresh(pending, Category::Write));
    let edits: Vec<PendingCall> = edits.cloned().collect();
    if !edits.is_empty() {
        return edits;
    }
    let delegated = calls.iter().take_while(|pending| is_delegated(pending));
    let reads = calls.iter().take_while(|pending| is_fresh_read(pending));
    delegated.chain(reads).cloned().collect()
}

pub(crate) fn is_delegated(pending: &PendingCall) -> bool {
    matches!(pending.progress, CallProgress::Delegated(_))
}

fn is_fresh_read(pending: &PendingCall) -> bool {
    // What it is to read again is handed to it alone.
    let is_alone = pending.call.tool_id == READ_RESULT_TOOL;
    is_fresh(pending, Category::Read) && !is_alone
}

fn is_fresh(pending: &PendingCall, category: Category) -> bool {
    pending.progress == CallProgress::New && pending.call.category == Some(category)
}

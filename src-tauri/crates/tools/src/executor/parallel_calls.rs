//! Calls of one answer that are performed at the same time, reads and tasks for sub-agents, and recorded in the order in
//! which the model asked.

use super::ToolExecutor;
use super::delegation_row::{DelegatedCall, MAX_SUBAGENTS_AT_ONCE};
use super::path::{CallDecision, CallWork};
use super::record::Record;
use crate::outcome::Output;
use crate::tool::{Action, Tool};
use arki_domain::projection::{CallProgress, PendingCall};
use arki_domain::{CallContext, CallOutcome, Error, Executed, Executor, ToolCall};
use arki_policy::Verdict;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use std::time::Instant;

/// More than these only wait for the same disk.
const MAX_AT_ONCE: usize = 8;

/// A call that may be read for before its turn to be recorded.
struct ReadyCall<'a> {
    pending: &'a PendingCall,
    tool: &'a Tool,
    verdict: Verdict,
}

impl ToolExecutor {
    /// A call that asks, is denied or is wrong ends the row: what comes after it waits for it.
    pub(super) async fn read_together(&self, calls: &[PendingCall], context: &CallContext) -> Result<Executed, Error> {
        let mut ready: Vec<ReadyCall<'_>> = Vec::new();
        for pending in calls {
            let Some(next) = self.ready(pending, context).await else { break };
            ready.push(next);
        }
        let [_, _, ..] = ready.as_slice() else {
            let first = calls.first().ok_or_else(|| Error::internal("no call to execute"))?;
            return self.execute(first, context).await;
        };
        let reading = self.call_log.record(context);
        let mut begun: Vec<BoxFuture<'_, _>> = Vec::new();
        for ready in &ready {
            begun.push(self.read_one(ready, &reading).boxed());
        }
        let mut done = stream::iter(begun).buffered(MAX_AT_ONCE);
        let mut events = Vec::new();
        for ready in &ready {
            let Some((started, done)) = done.next().await else { break };
            let mut record = self.call_log.record(context).since(started);
            self.results.conclude(&ready.pending.call, &ready.verdict, done, &mut record).await?;
            events.extend(record.into_events());
        }
        Ok(Executed { outcome: CallOutcome::Finished, events })
    }

    async fn read_one(&self, ready: &ReadyCall<'_>, record: &Record<'_>) -> (Instant, Result<Output, Error>) {
        let started = Instant::now();
        (started, self.reads.read(ready.tool, &ready.pending.call, record).await)
    }

    async fn ready<'a>(&'a self, pending: &'a PendingCall, context: &CallContext) -> Option<ReadyCall<'a>> {
        let call = &pending.call;
        let is_fresh_read = pending.progress == CallProgress::New
            && self.needs_nothing_around(call)
            && matches!(self.toolbox.tool(&call.tool_id)?.action, Action::Read(_));
        if !is_fresh_read {
            return None;
        }
        let mut record = self.call_log.record(context);
        let prepared = self.prepare(pending, None, &record);
        match self.decided(prepared, &mut record).await {
            CallDecision::Perform(verdict, CallWork::Read(tool)) => Some(ReadyCall { pending, tool, verdict }),
            _ => None,
        }
    }

    /// A call that asks, is denied or is wrong ends the row, and so does an agent that may change something: what comes
    /// after it waits for it.
    pub(super) async fn delegate_together(
        &self,
        calls: &[PendingCall],
        context: &CallContext,
    ) -> Result<Executed, Error> {
        let mut row: Vec<DelegatedCall<'_>> = Vec::new();
        for pending in calls.iter().take(MAX_SUBAGENTS_AT_ONCE) {
            let Some(next) = self.handed(pending, context).await else { break };
            row.push(next);
        }
        if row.len() < 2 {
            let first = calls.first().ok_or_else(|| Error::internal("no call to execute"))?;
            return self.execute(first, context).await;
        }
        self.delegations.work_together(row, context).await
    }

    async fn handed<'a>(&'a self, pending: &'a PendingCall, context: &CallContext) -> Option<DelegatedCall<'a>> {
        let call = &pending.call;
        let handed = self.delegations.handed(call).filter(|_| self.needs_nothing_around(call))?;
        match &pending.progress {
            CallProgress::Delegated(started) => Some(handed.begun_before(started)),
            CallProgress::New => {
                let mut record = self.call_log.record(context);
                let prepared = self.prepare(pending, None, &record);
                match self.decided(prepared, &mut record).await {
                    CallDecision::Perform(verdict, CallWork::Delegation(_)) => Some(handed.beginning(&verdict)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns whether no hook is for the call, since hooks run around one call at a time, and no secret is put into it.
    fn needs_nothing_around(&self, call: &ToolCall) -> bool {
        !self.hooks.runner.has_hooks_for(call) && self.call_log.redactor.placeholders(&call.args).is_empty()
    }
}

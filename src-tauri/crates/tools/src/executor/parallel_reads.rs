//! Reads that the model asks for in one answer are done at the same time, and recorded in the order it asked.

use super::ToolExecutor;
use super::path::{CallDecision, CallWork};
use super::record::Record;
use crate::tool::{Action, Tool};
use crate::tool_output::Output;
use arki_domain::projection::{CallProgress, PendingCall};
use arki_domain::{CallContext, CallOutcome, Error, Executed, Executor};
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
        let reading = Record::new(self.log.as_ref(), &self.redactor, context);
        let mut begun: Vec<BoxFuture<'_, _>> = Vec::new();
        for ready in &ready {
            begun.push(self.read_one(ready, &reading).boxed());
        }
        let mut done = stream::iter(begun).buffered(MAX_AT_ONCE);
        let mut events = Vec::new();
        for ready in &ready {
            let Some((started, done)) = done.next().await else { break };
            let mut record = Record::since(started, self.log.as_ref(), &self.redactor, context);
            self.results.conclude(&ready.pending.call, &ready.verdict, done, &mut record).await?;
            events.extend(record.into_events());
        }
        Ok(Executed { outcome: CallOutcome::Finished, events })
    }

    async fn read_one(&self, ready: &ReadyCall<'_>, record: &Record<'_>) -> (Instant, Result<Output, Error>) {
        let started = Instant::now();
        (started, self.read(ready.tool, &ready.pending.call, record).await)
    }

    async fn ready<'a>(&'a self, pending: &'a PendingCall, context: &CallContext) -> Option<ReadyCall<'a>> {
        let call = &pending.call;
        // Hooks run around one call at a time.
        let is_fresh_read = pending.progress == CallProgress::New
            && !self.hooks.has_hooks_for(call)
            && matches!(self.toolbox.tool(&call.tool_id)?.action, Action::Read(_))
            && self.redactor.placeholders(&call.args).is_empty();
        if !is_fresh_read {
            return None;
        }
        let mut record = Record::new(self.log.as_ref(), &self.redactor, context);
        let prepared = self.prepare(pending, None, &record);
        match self.decided(prepared, &mut record).await {
            CallDecision::Perform(verdict, CallWork::Read(tool)) => Some(ReadyCall { pending, tool, verdict }),
            _ => None,
        }
    }
}

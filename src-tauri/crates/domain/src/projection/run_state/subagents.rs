//! Calls that are handed to sub-agents: those that the run waits for, and those that go on in the background.

use super::{CallProgress, PendingCall, RunState};
use crate::{SubagentStarted, ToolAsyncResult, ToolResult};

impl RunState {
    /// The calls that sub-agents work on in the background, in the order in which they began.
    #[must_use]
    pub fn background(&self) -> &[PendingCall] {
        &self.background
    }

    /// Returns what is set aside of the cost limit for sub-agents in the background, in US dollars.
    #[must_use]
    pub fn cost_set_aside(&self) -> f64 {
        self.background.iter().filter_map(|pending| pending.subagent()?.max_cost_usd).sum()
    }

    /// The sub-agents that work for the run or have not been heard yet: those that it waits for in the order of their
    /// calls, then those in the background. Of a pipeline the runs that work for its steps.
    pub fn subagents(&self) -> impl Iterator<Item = &SubagentStarted> {
        let calls = [&self.calls, &self.background].into_iter().filter(|_| !self.is_ended());
        let of_steps = self.pipeline.children.iter().filter(|_| !self.is_ended());
        calls.flatten().filter_map(PendingCall::subagent).chain(of_steps)
    }

    /// The call has its result; a placeholder where a sub-agent goes on with it.
    pub(super) fn settle(&mut self, result: &ToolResult) {
        let Some(at) = self.calls.iter().position(|pending| pending.call.call_id == result.call_id) else { return };
        let pending = self.calls.remove(at);
        if result.async_call_id.is_some() && pending.subagent().is_some() {
            self.background.push(pending);
        }
    }

    /// A sub-agent in the background has stopped: the model is asked once more, so that it hears of it.
    pub(super) fn hear(&mut self, result: &ToolAsyncResult) {
        let Some(at) = self.background.iter().position(|pending| pending.call.call_id == result.async_call_id) else {
            return;
        };
        self.background.remove(at);
        self.answered = false;
        if let Some(usage) = result.usage {
            self.spend(usage);
        }
    }
}

impl PendingCall {
    /// The sub-agent that works on it, or has.
    #[must_use]
    pub fn subagent(&self) -> Option<&SubagentStarted> {
        match &self.progress {
            CallProgress::Delegated(started) => Some(started),
            _ => None,
        }
    }
}

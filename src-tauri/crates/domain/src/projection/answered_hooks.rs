//! The hooks that have answered at a moment of a run other than a call, so that a run that goes on after a crash asks none
//! of them again.

use crate::{EventBody, HookEvent, HookMoment, HookOutcome, HookRan, MessageId};
use serde::{Deserialize, Serialize};

/// A fold over a run's events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredHooks {
    answered: Vec<AnsweredHook>,
    times_held: u32,
}

/// A hook with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredHook {
    event: HookEvent,
    message_id: Option<MessageId>,
    pub hook: String,
    pub command: String,
    pub outcome: HookOutcome,
    pub said: Option<String>,
}

impl AnsweredHook {
    /// Returns whether it forbids what it was asked about.
    #[must_use]
    pub fn blocks(&self) -> bool {
        matches!(self.outcome, HookOutcome::Blocked | HookOutcome::Stopped)
    }
}

impl AnsweredHooks {
    pub(super) fn apply(&mut self, body: &EventBody) {
        match body {
            EventBody::HookRan(ran) => self.add(ran),
            EventBody::EngineRequest(request) if request.purpose.is_none() => self.answered.clear(),
            EventBody::ContextCompacted(_) => self.forget(HookEvent::SessionStart),
            _ => {}
        }
    }

    /// A message that the user edits is another one.
    pub(super) fn forget_message(&mut self, message_id: &MessageId) {
        self.answered.retain(|answered| answered.message_id.as_ref() != Some(message_id));
    }

    /// A run that is tried again asks again.
    pub(super) fn forget_all(&mut self) {
        self.answered.clear();
    }

    /// The hooks that have answered at this moment, in their order.
    pub fn at<'a>(&'a self, moment: &'a HookMoment) -> impl Iterator<Item = &'a AnsweredHook> {
        let is_at = |answered: &&AnsweredHook| {
            answered.event == moment.event() && answered.message_id.as_ref() == moment.message_id()
        };
        self.answered.iter().filter(is_at)
    }

    /// The number of times that hooks made the agent go on.
    #[must_use]
    pub fn times_held(&self) -> u32 {
        self.times_held
    }

    fn add(&mut self, ran: &HookRan) {
        let (Some(event), Some(outcome)) = (ran.event.filter(|event| !event.is_of_call()), ran.outcome) else { return };
        if matches!(outcome, HookOutcome::Cancelled | HookOutcome::Interrupted) {
            return;
        }
        if ran.holds_run() {
            self.times_held += 1;
            return self.forget(HookEvent::Stop);
        }
        self.answered.push(AnsweredHook {
            event,
            message_id: ran.message_id.clone(),
            hook: ran.hook.clone(),
            command: ran.command.clone(),
            outcome,
            said: ran.said.clone(),
        });
    }

    fn forget(&mut self, event: HookEvent) {
        self.answered.retain(|answered| answered.event != event);
    }
}

//! Live things for whoever watches: the window, the terminal.

use crate::{EventFilter, Subscription};
use arki_domain::{EventBody, LiveBus, LiveEvent, PartialAnswer, SessionId, TokenType};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::broadcast;

/// A subscriber that falls behind by more than this is told so, and catches up from the log.
const CAPACITY: usize = 16_384;

pub(crate) struct Bus {
    sender: broadcast::Sender<LiveEvent>,
    /// The streamed part of the answers under way, for whoever begins to watch in the middle of one.
    partials: Mutex<HashMap<SessionId, PartialAnswer>>,
}

impl Bus {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::Sender::new(CAPACITY), partials: Mutex::default() }
    }

    pub(crate) fn subscribe(&self, filter: EventFilter) -> Subscription {
        Subscription::new(self.sender.subscribe(), filter)
    }

    /// The answer under way, as far as it has been announced.
    pub(crate) fn partial(&self, session_id: &SessionId) -> Option<PartialAnswer> {
        self.partials.lock().unwrap_or_else(PoisonError::into_inner).get(session_id).cloned()
    }

    fn keep(&self, event: &LiveEvent) {
        let mut partials = self.partials.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            LiveEvent::Delta { session_id, run_id, delta } => {
                let fresh = || PartialAnswer {
                    run_id: run_id.clone(),
                    turn: delta.turn,
                    text: String::new(),
                    thoughts: String::new(),
                };
                let partial = partials.entry(session_id.clone()).or_insert_with(fresh);
                if partial.run_id != *run_id || partial.turn != delta.turn {
                    *partial = fresh();
                }
                // A core's own words are not for the user.
                let thinks = matches!(delta.token_type, TokenType::LlmThinking | TokenType::AgentThoughtLlmResponse);
                let text = if thinks { &mut partial.thoughts } else { &mut partial.text };
                text.push_str(&delta.text);
            }
            // The answer is in the log now, or will never be.
            LiveEvent::Stored(event) if !partials.is_empty() => {
                let body = event.body();
                if matches!(
                    body,
                    EventBody::EngineResponse(_)
                        | EventBody::OutputMessage(_)
                        | EventBody::RunFailed(_)
                        | EventBody::RunCancelled(_)
                        | EventBody::RunPaused(_)
                ) {
                    partials.remove(&event.session_id);
                }
            }
            LiveEvent::Stored(_)
            | LiveEvent::CallGrows { .. }
            | LiveEvent::CommandOutput { .. }
            | LiveEvent::ElicitationsChanged => {}
        }
    }
}

impl LiveBus for Bus {
    fn publish(&self, event: LiveEvent) {
        self.keep(&event);
        // Without subscribers there is nobody to tell.
        let _ = self.sender.send(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{OutputDelta, RunId};

    #[test]
    fn who_comes_late_finds_the_whole_answer_so_far() {
        let bus = Bus::new();
        let session_id = SessionId::from("s");
        for (turn, text) in [(1, "old"), (2, "one "), (2, "two")] {
            let delta = OutputDelta { turn, token_type: TokenType::LlmResponse, text: text.into() };
            bus.publish(LiveEvent::Delta { session_id: session_id.clone(), run_id: RunId::from("r"), delta });
        }
        let partial = bus.partial(&session_id).unwrap();
        assert_eq!((partial.turn, partial.text.as_str()), (2, "one two"));
        assert_eq!(bus.partial(&SessionId::from("other")), None);
    }
}

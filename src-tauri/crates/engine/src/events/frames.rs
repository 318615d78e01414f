//! Live things in batches: a window that gets one message a token falls behind.
//!
//! A frame is what was announced since the last one was asked for, so that whoever shows frames sets the pace, and one
//! that is busy gets larger ones, not more.

use crate::events::held_conversations::{self};
use crate::{HeldConversations, Subscription};
use arki_api::{CommandOutput, Frame, OutputDelta};
use arki_domain::LiveEvent;
use std::sync::Arc;

/// A frame that has this much text is whole; the rest waits for the next.
const MAX_FRAME_BYTES: usize = 256 * 1024;

/// The frames of everything announced since this was made.
pub struct Frames {
    subscription: Subscription,
    held: Arc<HeldConversations>,
}

impl Frames {
    #[must_use]
    pub fn new(subscription: Subscription) -> Self {
        Self { subscription, held: Arc::default() }
    }

    /// The conversations that whoever asks for frames holds.
    #[must_use]
    pub fn held(&self) -> Arc<HeldConversations> {
        self.held.clone()
    }

    /// Sleeps while nothing happens; `None` when the engine has ended.
    pub async fn next(&mut self) -> Option<Frame> {
        let first = self.subscription.next().await?;
        let mut frame = Frame::default();
        let mut bytes = self.add(&mut frame, first);
        while bytes < MAX_FRAME_BYTES {
            match self.subscription.ready() {
                Some(next) => bytes += self.add(&mut frame, next),
                None => break,
            }
        }
        Some(frame)
    }

    fn add(&self, frame: &mut Frame, announced: Result<LiveEvent, crate::Lagged>) -> usize {
        if let Ok(LiveEvent::Stored(event)) = &announced
            && let Some(change) = self.held.apply(event)
        {
            held_conversations::join(&mut frame.conversations, change);
        }
        add(frame, announced)
    }
}

/// Returns how many bytes of text were added.
fn add(frame: &mut Frame, announced: Result<LiveEvent, crate::Lagged>) -> usize {
    match announced {
        Ok(LiveEvent::Stored(event)) => {
            let bytes = event.payload.get().len();
            frame.events.push(arki_api::Event(event));
            bytes
        }
        Ok(LiveEvent::Delta { session_id, run_id, delta }) => {
            let bytes = delta.text.len();
            let (session_id, run_id) = (session_id.to_string(), run_id.to_string());
            match frame.deltas.last_mut() {
                Some(last)
                    if last.run_id == run_id && last.turn == delta.turn && last.token_type == delta.token_type =>
                {
                    last.text.push_str(&delta.text);
                }
                _ => frame.deltas.push(OutputDelta {
                    session_id,
                    run_id,
                    turn: delta.turn,
                    token_type: delta.token_type,
                    text: delta.text,
                }),
            }
            bytes
        }
        Ok(LiveEvent::CallGrows { session_id, .. }) => {
            let session_id = session_id.to_string();
            if !frame.calls_grow.contains(&session_id) {
                frame.calls_grow.push(session_id);
            }
            0
        }
        Ok(LiveEvent::CommandOutput { session_id, run_id, call_id, text, changed }) => {
            let bytes = text.len();
            let call_id = call_id.to_string();
            match frame.command_output.last_mut() {
                Some(last) if last.call_id == call_id => {
                    last.text.push_str(&text);
                    if !changed.is_empty() {
                        last.changed = changed;
                    }
                }
                _ => frame.command_output.push(CommandOutput {
                    session_id: session_id.to_string(),
                    run_id: run_id.to_string(),
                    call_id,
                    text,
                    changed,
                }),
            }
            bytes
        }
        Ok(LiveEvent::ElicitationsChanged) => {
            frame.elicitations_changed = true;
            0
        }
        Err(crate::Lagged(_)) => {
            frame.missed = true;
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::bus::Bus;
    use crate::events::subscription::EventFilter;
    use arki_domain::{LiveBus, OutputDelta, RunId, SessionId, TokenType};

    #[tokio::test]
    async fn a_frame_is_all_that_came_since_the_one_before_and_nothing_is_lost() {
        let bus = Bus::new();
        let mut frames = Frames::new(bus.subscribe(EventFilter::default()));
        let (session_id, run_id) = (SessionId::from("s"), RunId::from("r"));
        let mut shown = Vec::new();
        for number in 0..1000 {
            let delta = OutputDelta { turn: 1, token_type: TokenType::LlmResponse, text: format!("{number} ") };
            bus.publish(LiveEvent::Delta { session_id: session_id.clone(), run_id: run_id.clone(), delta });
            if number % 100 == 99 {
                shown.push(frames.next().await.unwrap());
            }
        }
        drop(bus);
        assert!(frames.next().await.is_none());
        assert_eq!(shown.len(), 10);
        assert!(shown.iter().all(|frame| frame.deltas.len() == 1), "deltas of one answer are joined");
        let text: String = shown.iter().map(|frame| frame.deltas[0].text.as_str()).collect();
        assert!(text.starts_with("0 1 2 ") && text.ends_with("998 999 "));
    }
}

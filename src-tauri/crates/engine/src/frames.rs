//! Live things in batches, one a frame: a window that gets one message a token falls behind.

use crate::subscription::Subscription;
use crate::wire::{CommandOutput, Frame, WireDelta, WireEvent};
use arki_domain::LiveEvent;
use std::time::Duration;

/// One frame at 60 Hz.
pub const FRAME_INTERVAL: Duration = Duration::from_millis(16);
/// A frame that has this much text is sent at once and the rest waits for the next.
const MAX_FRAME_BYTES: usize = 256 * 1024;

/// Whoever shows frames: the desktop's window, or a test.
pub trait Host: Send + Sync {
    fn emit(&self, frame: &Frame);
}

/// Collects what is announced and emits it, at most one frame per [`FRAME_INTERVAL`]. Sleeps while nothing happens;
/// ends when the engine does.
pub async fn emit_frames(mut subscription: Subscription, host: impl Host) {
    while let Some(first) = subscription.next().await {
        let mut frame = Frame::default();
        let mut bytes = frame.add(first);
        while bytes < MAX_FRAME_BYTES {
            match subscription.ready() {
                Some(next) => bytes += frame.add(next),
                None => break,
            }
        }
        host.emit(&frame);
        tokio::time::sleep(FRAME_INTERVAL).await;
    }
}

impl Frame {
    /// Returns how many bytes of text were added.
    fn add(&mut self, announced: Result<LiveEvent, crate::Lagged>) -> usize {
        match announced {
            Ok(LiveEvent::Stored(event)) => {
                let bytes = event.payload.get().len();
                self.events.push(WireEvent(event));
                bytes
            }
            Ok(LiveEvent::Delta { session_id, run_id, delta }) => {
                let bytes = delta.text.len();
                let (session_id, run_id) = (session_id.to_string(), run_id.to_string());
                match self.deltas.last_mut() {
                    Some(last)
                        if last.run_id == run_id && last.turn == delta.turn && last.token_type == delta.token_type =>
                    {
                        last.text.push_str(&delta.text);
                    }
                    _ => self.deltas.push(WireDelta {
                        session_id,
                        run_id,
                        turn: delta.turn,
                        token_type: delta.token_type,
                        text: delta.text,
                    }),
                }
                bytes
            }
            Ok(LiveEvent::CommandOutput { session_id, run_id, call_id, text }) => {
                let bytes = text.len();
                let call_id = call_id.to_string();
                match self.command_output.last_mut() {
                    Some(last) if last.call_id == call_id => last.text.push_str(&text),
                    _ => self.command_output.push(CommandOutput {
                        session_id: session_id.to_string(),
                        run_id: run_id.to_string(),
                        call_id,
                        text,
                    }),
                }
                bytes
            }
            Ok(LiveEvent::ElicitationsChanged) => {
                self.elicitations_changed = true;
                0
            }
            Err(crate::Lagged(_)) => {
                self.missed = true;
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Bus;
    use crate::subscription::EventFilter;
    use arki_domain::{LiveBus, OutputDelta, RunId, SessionId, TokenType};
    use std::sync::{Arc, Mutex};

    struct Recorder(Arc<Mutex<Vec<Frame>>>);

    impl Host for Recorder {
        fn emit(&self, frame: &Frame) {
            self.0.lock().unwrap().push(frame.clone());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_thousand_tokens_become_a_few_frames_and_none_is_lost() {
        let bus = Bus::new();
        let frames = Arc::new(Mutex::new(Vec::new()));
        let emitting = tokio::spawn(emit_frames(bus.subscribe(EventFilter::default()), Recorder(frames.clone())));
        let (session_id, run_id) = (SessionId::from("s"), RunId::from("r"));
        for number in 0..1000 {
            let delta = OutputDelta { turn: 1, token_type: TokenType::LlmResponse, text: format!("{number} ") };
            bus.publish(LiveEvent::Delta { session_id: session_id.clone(), run_id: run_id.clone(), delta });
            if number % 100 == 0 {
                tokio::time::sleep(FRAME_INTERVAL).await;
            }
        }
        drop(bus);
        emitting.await.unwrap();
        let frames = frames.lock().unwrap();
        let text: String =
            frames.iter().flat_map(|frame| frame.deltas.iter().map(|delta| delta.text.as_str())).collect();
        assert!(text.starts_with("0 1 2 ") && text.ends_with("998 999 "));
        assert!(frames.len() <= 12, "{} frames", frames.len());
    }
}

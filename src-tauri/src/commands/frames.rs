//! Frames, which the window asks for one after the other: it draws one before it asks for the next.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{Frame, FrameCommands};
use arki_engine::Frames;
use std::sync::{Arc, Mutex, PoisonError};

impl FrameCommands for Desktop {
    async fn begin_frames(self) -> Answer<u32> {
        Ok(self.window.listening.begin(Frames::new(self.engine.subscribe())))
    }

    async fn next_frame(self, number: u32) -> Answer<Option<Frame>> {
        let frames = self.window.listening.of(number);
        // A window that is closed while it waits is gone at once.
        drop(self);
        let Some(frames) = frames else { return Ok(None) };
        let frame = frames.lock().await.next().await;
        Ok(frame)
    }
}

/// The frames that the open page listens to. A reloaded page starts over.
#[derive(Default)]
pub(crate) struct Listening(Mutex<(u32, Option<Arc<tokio::sync::Mutex<Frames>>>)>);

impl Listening {
    fn begin(&self, frames: Frames) -> u32 {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = (now.0 + 1, Some(Arc::new(tokio::sync::Mutex::new(frames))));
        now.0
    }

    fn of(&self, number: u32) -> Option<Arc<tokio::sync::Mutex<Frames>>> {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.1.clone().filter(|_| now.0 == number)
    }
}

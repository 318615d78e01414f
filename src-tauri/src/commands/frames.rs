//! Frames, which the window asks for one after the other: it draws one before it asks for the next.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{Frame, FrameCommands};
use arki_engine::{Frames, HeldConversations};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
pub(crate) struct Listening(Mutex<OpenPage>);

#[derive(Default)]
struct OpenPage {
    number: u32,
    frames: Option<Arc<tokio::sync::Mutex<Frames>>>,
    held: Arc<HeldConversations>,
}

impl Listening {
    fn begin(&self, frames: Frames) -> u32 {
        let mut page = self.page();
        let (number, held) = (page.number + 1, frames.held());
        *page = OpenPage { number, frames: Some(Arc::new(tokio::sync::Mutex::new(frames))), held };
        number
    }

    fn of(&self, number: u32) -> Option<Arc<tokio::sync::Mutex<Frames>>> {
        let page = self.page();
        page.frames.clone().filter(|_| page.number == number)
    }

    /// The conversations that the open page holds.
    pub(crate) fn held(&self) -> Arc<HeldConversations> {
        self.page().held.clone()
    }

    fn page(&self) -> MutexGuard<'_, OpenPage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

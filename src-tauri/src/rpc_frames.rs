//! Frames, which the window asks for one after the other: it draws one before it asks for the next.

use crate::desktop_state::Desktop;
use crate::rpc::Answer;
use arki_api::Frame;
use arki_engine::Frames;
use std::sync::{Arc, Mutex, PoisonError};

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

/// Begins the stream of frames; the number is the argument for `next_frame`.
#[tauri::command]
pub(crate) async fn begin_frames(desktop: Desktop) -> Answer<u32> {
    Ok(desktop.window.listening.begin(Frames::new(desktop.engine.subscribe())))
}

/// Waits for something to happen. `None`: nothing more will be heard under this number.
#[tauri::command]
pub(crate) async fn next_frame(number: u32, desktop: Desktop) -> Answer<Option<Frame>> {
    let frames = desktop.window.listening.of(number);
    // A window that is closed while it waits is gone at once.
    drop(desktop);
    let Some(frames) = frames else { return Ok(None) };
    let frame = frames.lock().await.next().await;
    Ok(frame)
}

//! Frames, which the window asks for one after the other: it draws one before it asks for the next.

use crate::desktop::Desktop;
use crate::rpc::Answer;
use arki_api::Frame;
use arki_engine::Frames;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::State;

/// What the page that is open hears. A page that was loaded anew begins anew.
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

/// From now on everything is heard; the number is what `next_frame` is asked with.
#[tauri::command]
pub(crate) async fn begin_frames(desktop: State<'_, Desktop>, listening: State<'_, Listening>) -> Answer<u32> {
    Ok(listening.begin(Frames::new(desktop.engine.subscribe())))
}

/// Waits for something to happen. `None`: nothing more will be heard under this number.
#[tauri::command]
pub(crate) async fn next_frame(number: u32, listening: State<'_, Listening>) -> Answer<Option<Frame>> {
    let Some(frames) = listening.of(number) else { return Ok(None) };
    let frame = frames.lock().await.next().await;
    Ok(frame)
}

//! Frames, which a page asks for one after the other: it draws one before it asks for the next.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{Frame, FrameCommands};
use arki_engine::Frames;

impl<S: Surroundings> FrameCommands for Asker<S> {
    async fn begin_frames(self) -> CommandAnswer<u32> {
        Ok(self.page.listening.begin(Frames::new(self.engine().subscribe())))
    }

    async fn next_frame(self, number: u32) -> CommandAnswer<Option<Frame>> {
        let frames = self.page.listening.of(number);
        // A page that is closed while it waits is gone at once.
        drop(self);
        let Some(frames) = frames else { return Ok(None) };
        let frame = frames.lock().await.next().await;
        Ok(frame)
    }
}

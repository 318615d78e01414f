//! Frames and observations, which a page asks for one after the other: it draws a frame before it asks for the next.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{Frame, FrameCommands, ObservationCommands, shortened_observation};
use arki_domain::projection::{Observation, ObservationFilter};
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

impl<S: Surroundings> ObservationCommands for Asker<S> {
    async fn begin_observations(self, filter: ObservationFilter) -> CommandAnswer<u32> {
        Ok(self.client.begin_observations(filter).await?)
    }

    async fn next_observations(self, number: u32) -> CommandAnswer<Option<Vec<Observation>>> {
        let seen = self.client.next_observations(number).await?;
        Ok(seen.map(|seen| seen.into_iter().map(shortened_observation).collect()))
    }

    async fn end_observations(self, number: u32) -> CommandAnswer<()> {
        self.client.end_observations(number);
        Ok(())
    }
}

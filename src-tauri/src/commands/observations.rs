//! The window's commands about observations: thin delegates to its client.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{ObservationCommands, shortened_observation};
use arki_domain::projection::{Observation, ObservationFilter};

impl ObservationCommands for Desktop {
    async fn begin_observations(self, filter: ObservationFilter) -> Answer<u32> {
        Ok(self.window.client.begin_observations(filter).await?)
    }

    async fn next_observations(self, number: u32) -> Answer<Option<Vec<Observation>>> {
        let seen = self.window.client.next_observations(number).await?;
        Ok(seen.map(|seen| seen.into_iter().map(shortened_observation).collect()))
    }

    async fn end_observations(self, number: u32) -> Answer<()> {
        self.window.client.end_observations(number);
        Ok(())
    }
}

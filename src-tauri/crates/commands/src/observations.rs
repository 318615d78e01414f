//! The commands about observations: thin delegates to its client.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{ObservationCommands, shortened_observation};
use arki_domain::projection::{Observation, ObservationFilter};

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

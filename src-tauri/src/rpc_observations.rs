//! The window's commands about observations: thin delegates to its client.

use crate::desktop::Desktop;
use crate::rpc::Answer;
use arki_api::shortened_observation;
use arki_domain::projection::{Observation, ObservationFilter};
use tauri::State;

#[tauri::command]
pub(crate) async fn begin_observations(filter: ObservationFilter, desktop: State<'_, Desktop>) -> Answer<u32> {
    Ok(desktop.client.begin_observations(filter).await?)
}

#[tauri::command]
pub(crate) async fn next_observations(number: u32, desktop: State<'_, Desktop>) -> Answer<Option<Vec<Observation>>> {
    let seen = desktop.client.next_observations(number).await?;
    Ok(seen.map(|seen| seen.into_iter().map(shortened_observation).collect()))
}

#[tauri::command]
pub(crate) async fn end_observations(number: u32, desktop: State<'_, Desktop>) -> Answer<()> {
    desktop.client.end_observations(number);
    Ok(())
}

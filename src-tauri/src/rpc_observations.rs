//! The window's commands about observations: thin delegates to its client.

use crate::desktop_state::Desktop;
use crate::rpc::Answer;
use arki_api::shortened_observation;
use arki_domain::projection::{Observation, ObservationFilter};

#[tauri::command]
pub(crate) async fn begin_observations(filter: ObservationFilter, desktop: Desktop) -> Answer<u32> {
    Ok(desktop.window.client.begin_observations(filter).await?)
}

#[tauri::command]
pub(crate) async fn next_observations(number: u32, desktop: Desktop) -> Answer<Option<Vec<Observation>>> {
    let seen = desktop.window.client.next_observations(number).await?;
    Ok(seen.map(|seen| seen.into_iter().map(shortened_observation).collect()))
}

#[tauri::command]
pub(crate) async fn end_observations(number: u32, desktop: Desktop) -> Answer<()> {
    desktop.window.client.end_observations(number);
    Ok(())
}

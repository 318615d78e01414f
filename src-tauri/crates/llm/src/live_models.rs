//! Asking the servers of the user's own computer or network for their models.

use crate::Providers;
use crate::catalogue::ModelInfo;
use crate::local_models::{info, is_asked};
use crate::provider_connection::ProviderConnection;
use arki_domain::Error;
use futures_util::future::join_all;
use std::time::Duration;

/// A local server answers in milliseconds or is not there.
const PATIENCE: Duration = Duration::from_secs(2);

/// A local provider's answer when asked for its models.
#[derive(Debug)]
pub struct LiveModels {
    pub provider: String,
    /// The models in the server's order; none if it has no list.
    pub models: Result<Vec<ModelInfo>, Error>,
}

impl Providers {
    /// Asks every local provider for its models, all at once, for no longer than two seconds.
    pub async fn live_models(&self) -> Vec<LiveModels> {
        let local = self.connections().filter(|connection| is_asked(connection.settings()));
        join_all(local.map(live_models_of)).await
    }
}

async fn live_models_of(connection: &ProviderConnection) -> LiveModels {
    let settings = connection.settings();
    let listed = connection.list_models(PATIENCE).await;
    LiveModels {
        provider: settings.name.clone(),
        models: listed
            .map(|list| list.unwrap_or_default().iter().map(|listed| info(settings, &listed.id, listed)).collect()),
    }
}

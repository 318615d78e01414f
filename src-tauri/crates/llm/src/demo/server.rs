//! Chat Completions over HTTP on a free port of loopback, for this process alone.

use crate::Secret;
use arki_domain::Fault;
use reqwest::Url;
use std::time::Duration;

pub(crate) struct DemoServer {
    base_url: Url,
    token: Secret,
}

impl DemoServer {
    #[allow(clippy::unused_async)]
    pub(crate) async fn start(_word_pause: Duration) -> Result<Self, Fault> {
        Err(Fault::internal("the demo model is not here yet"))
    }

    pub(crate) fn base_url(&self) -> Url {
        self.base_url.clone()
    }

    pub(crate) fn token(&self) -> &Secret {
        &self.token
    }
}

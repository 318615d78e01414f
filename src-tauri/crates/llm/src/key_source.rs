//! The port that keys come through, because this crate knows neither the environment nor the keychain.

use crate::{ProviderSettings, Secret};
use arki_domain::Error;
use async_trait::async_trait;

/// Finds a provider's key. Asked at most once a provider and only when a request is really made (looking into a keychain
/// costs time or a prompt); asked again only after the provider refused the key or when there was none.
#[async_trait]
pub trait KeySource: Send + Sync {
    /// `None` when there is no key; the adapter decides whether that matters.
    async fn key(&self, provider: &ProviderSettings) -> Result<Option<Secret>, Error>;

    /// Returns where a key that was found comes from, in words that finish “found in …”. Looks nowhere.
    fn place(&self, provider: &ProviderSettings) -> String;
}

//! Keys: one that cannot be shown by accident and is wiped from memory when dropped, and the port that keys come through,
//! because this crate knows neither the environment nor the keychain.

use crate::ProviderSettings;
use arki_domain::Error;
use async_trait::async_trait;
use std::fmt;
use zeroize::Zeroizing;

/// An API key. `Debug` never shows it; it has no `Display` and no serialised form.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Blanks around the key are dropped: they come from `echo` and copied lines, and no header may carry them.
    pub fn new(value: impl AsRef<str>) -> Self {
        Self(Zeroizing::new(value.as_ref().trim().to_owned()))
    }

    /// The key itself, for the one place that sends it and the one that redacts it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

/// Finds a provider's key. Asked at most once a provider and only when a request is really made (looking into a keychain
/// costs time or a prompt); asked again only after the provider refused the key or when there was none.
#[async_trait]
pub trait KeySource: Send + Sync {
    /// `None` when there is no key; the adapter decides whether that matters.
    async fn key(&self, provider: &ProviderSettings) -> Result<Option<Secret>, Error>;

    /// Returns where a key that was found comes from, in words that finish “found in …”. Looks nowhere.
    fn place(&self, provider: &ProviderSettings) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_show_the_key() {
        assert_eq!(format!("{:?}", Some(Secret::new("sk-1\n"))), "Some(Secret([redacted]))");
    }
}

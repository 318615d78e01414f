//! API keys: the environment where it has one, else the operating system's keychain. Never a file.

use crate::EnvironmentKeys;
use arki_api::KeyStatus;
use arki_domain::{Code, Error};
use arki_llm::{KeyNeed, KeySource, ProviderSettings, Secret};
use arki_redaction::Redactor;
use async_trait::async_trait;
use std::time::Duration;
use zeroize::Zeroizing;

/// One item a provider, under this service's name.
const SERVICE: &str = "arki";
/// The time that a prompt of the keychain may stand; one that never answers must not hold everything up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longer input is not a key.
const LONGEST_KEY_BYTES: usize = 16 * 1024;

/// Finds keys, and has every key that was found redacted from then on.
pub(crate) struct Keys {
    redactor: Redactor,
    environment: EnvironmentKeys,
}

impl Keys {
    pub(crate) fn new(redactor: Redactor, environment: EnvironmentKeys) -> Self {
        Self { redactor, environment }
    }

    fn in_environment(&self, provider: &ProviderSettings) -> Option<Secret> {
        let value = self.environment.value(provider.key_env()?)?;
        (!value.trim().is_empty()).then(|| Secret::new(value.as_str()))
    }

    /// A variable that the user's configuration names, redacted from then on.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.value(name)?;
        self.redactor.add(name, &value);
        Some(value.to_string())
    }

    /// A variable that the project names: one that is no key by its name is no secret either.
    pub(crate) fn unlisted_variable(&self, name: &str) -> Option<String> {
        if EnvironmentKeys::looks_like_a_key(name) {
            return self.variable(name);
        }
        self.environment.value(name).map(|value| value.to_string())
    }

    /// Keys that are at hand already are redacted from the first event on, also from what the user types.
    pub(crate) fn redact_environment(&self, providers: &[ProviderSettings]) {
        for provider in providers {
            if let Some(key) = self.in_environment(provider) {
                self.redactor.add(&provider.name, key.expose());
            }
        }
    }

    /// Returns the source of the key. Looks into the keychain, so it may take a moment or raise a prompt.
    pub(crate) async fn status(&self, provider: &ProviderSettings) -> KeyStatus {
        if provider.key_need() == KeyNeed::None {
            return KeyStatus::NoneNeeded;
        }
        if self.in_environment(provider).is_some() {
            return KeyStatus::Environment;
        }
        match (read(provider.name.clone()).await, provider.key_need()) {
            (Ok(Some(_)), _) => KeyStatus::Keychain,
            (_, KeyNeed::Required) => KeyStatus::Missing,
            (_, _) if provider.api_key_env.is_some() => KeyStatus::Missing,
            (_, _) => KeyStatus::NoneNeeded,
        }
    }

    /// `variable` is where else the key may stand.
    pub(crate) async fn store(&self, provider: &str, key: &str, variable: Option<&str>) -> Result<(), Error> {
        let key = Zeroizing::new(key.trim().to_owned());
        if key.is_empty() || key.len() > LONGEST_KEY_BYTES || key.chars().any(char::is_control) {
            let message = format!("This is not a key for {provider}: it is empty, too long or has control characters.");
            let hint = "Pass the key alone, for example `arki keys set openai < key.txt`.";
            return Err(Error::new(Code::USAGE, message, hint));
        }
        self.redactor.add(provider, &key);
        let item = provider.to_owned();
        let stored = blocking(move || entry(&item)?.set_password(&key).map_err(|error| unavailable(&error))).await;
        stored.map_err(|fault| naming(fault, provider, variable))
    }

    /// Removing a key that is not there is fine.
    pub(crate) async fn remove(&self, provider: &str) -> Result<(), Error> {
        remove(provider.to_owned()).await
    }
}

/// Checks that the keychain answers.
pub(crate) async fn keychain_answers() -> Result<(), Error> {
    read("doctor".to_owned()).await.map(|_| ())
}

#[async_trait]
impl KeySource for Keys {
    async fn key(&self, provider: &ProviderSettings) -> Result<Option<Secret>, Error> {
        let key = match self.in_environment(provider) {
            Some(key) => Some(key),
            None => match read(provider.name.clone()).await {
                Ok(key) => key,
                // A provider that can do without a key does not fail for want of a keychain.
                Err(_) if provider.key_need() != KeyNeed::Required => None,
                Err(fault) => return Err(naming(fault, &provider.name, provider.key_env())),
            },
        };
        if let (None, Some(variable)) = (&key, &provider.api_key_env) {
            return Err(variable_not_set(&provider.name, variable));
        }
        if let Some(key) = &key {
            self.redactor.add(&provider.name, key.expose());
        }
        Ok(key)
    }

    fn place(&self, provider: &ProviderSettings) -> String {
        match (self.in_environment(provider), provider.key_env()) {
            (Some(_), Some(variable)) => format!("the environment variable {variable}"),
            _ => "the keychain".to_owned(),
        }
    }
}

/// The keychain item whose key vouches for logs; no provider can have a name with a space.
const ANCHOR_ITEM: &str = "log anchor";

pub(crate) type AnchorKey = Zeroizing<[u8; 32]>;

/// The key that vouches for logs, where there is one.
pub(crate) async fn anchor_key() -> Result<Option<AnchorKey>, Error> {
    let stored = read(ANCHOR_ITEM.to_owned()).await?;
    Ok(stored.and_then(|stored| {
        let mut key = AnchorKey::default();
        hex::decode_to_slice(stored.expose(), key.as_mut_slice()).ok().map(|()| key)
    }))
}

pub(crate) async fn new_anchor_key() -> Result<AnchorKey, Error> {
    let mut key = AnchorKey::default();
    getrandom::fill(key.as_mut_slice()).map_err(Error::internal)?;
    let text = Zeroizing::new(hex::encode(key.as_slice()));
    blocking(move || entry(ANCHOR_ITEM)?.set_password(&text).map_err(|error| unavailable(&error))).await?;
    Ok(key)
}

/// Tokens belong to an address, and no provider's name can have a space.
fn token_item(url: &str) -> String {
    format!("mcp {url}")
}

/// Returns what signing in to an MCP server gave.
pub(crate) async fn mcp_tokens(url: &str) -> Result<Option<String>, Error> {
    Ok(read(token_item(url)).await?.map(|tokens| tokens.expose().to_owned()))
}

pub(crate) async fn store_mcp_tokens(url: &str, tokens: &str) -> Result<(), Error> {
    let (item, tokens) = (token_item(url), Zeroizing::new(tokens.to_owned()));
    blocking(move || entry(&item)?.set_password(&tokens).map_err(|error| unavailable(&error))).await
}

/// Removing tokens that are not there is fine.
pub(crate) async fn remove_mcp_tokens(url: &str) -> Result<(), Error> {
    remove(token_item(url)).await
}

async fn remove(item: String) -> Result<(), Error> {
    blocking(move || match entry(&item)?.delete_credential() {
        Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
        Err(error) => Err(unavailable(&error)),
    })
    .await
}

async fn read(provider: String) -> Result<Option<Secret>, Error> {
    blocking(move || match entry(&provider)?.get_password() {
        Ok(key) => Ok(Some(Secret::new(Zeroizing::new(key).as_str()))),
        Err(keyring::Error::NoEntry) => Ok(None),
        Err(error) => Err(unavailable(&error)),
    })
    .await
}

fn entry(provider: &str) -> Result<keyring::Entry, Error> {
    keyring::Entry::new(SERVICE, provider).map_err(|error| unavailable(&error))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    match tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(work)).await {
        Ok(done) => done.map_err(Error::internal)?,
        Err(_) => Err(Error::new(
            Code::KEYCHAIN_UNAVAILABLE,
            format!("The keychain did not answer within {} s.", PATIENCE.as_secs()),
            "Answer its prompt or restart it.",
        )),
    }
}

/// Adds to a keychain error the way that needs no keychain.
fn naming(fault: Error, provider: &str, variable: Option<&str>) -> Error {
    if !fault.is(Code::KEYCHAIN_UNAVAILABLE) {
        return fault;
    }
    let way = match variable {
        Some(variable) => format!(
            "Or set {variable} in the environment (\"apiKeyEnv\" of the provider {provider} in config.json names another \
             variable)."
        ),
        None => format!(
            "Or name a variable as \"apiKeyEnv\" of the provider {provider} in config.json, and set it in the environment."
        ),
    };
    Error { hint: format!("{} {way}", fault.hint), ..fault }
}

/// The user said where the key is, and it isn't: no request goes out without it.
fn variable_not_set(provider: &str, variable: &str) -> Error {
    Error::new(
        Code::KEY_MISSING,
        format!(
            "\"apiKeyEnv\" of the provider {provider} names the variable {variable}, which is not set, and the \
             keychain has no key for it either. Nothing was sent."
        ),
        format!(
            "Set {variable} in the environment. If the provider needs no key, remove \"apiKeyEnv\" from config.json."
        ),
    )
}

fn unavailable(error: &keyring::Error) -> Error {
    tracing::debug!(%error, "keychain");
    let (message, hint) = match error {
        keyring::Error::NoStorageAccess(_) => {
            ("The keychain is locked or refused access.", "Unlock it (log in to the desktop session), then try again.")
        }
        keyring::Error::NoDefaultStore => {
            ("This session has no keychain.", "On Linux start a Secret Service such as gnome-keyring.")
        }
        _ => ("The keychain could not be used.", "`arki --log debug doctor` shows details."),
    };
    Error::new(Code::KEYCHAIN_UNAVAILABLE, message, hint)
}

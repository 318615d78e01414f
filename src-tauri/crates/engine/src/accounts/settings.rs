//! Providers, models and keys, as the settings show and change them.

use crate::Accounts;
use crate::accounts::model_entry::model_entry;
use crate::accounts::user_config::set;
use arki_api::{ModelEntry, ProviderEntry};
use arki_config::AGENT;
use arki_domain::{Code, Error};
use arki_llm::ProviderKind;
use std::str::FromStr;

impl Accounts {
    /// The demo's models, the configured ones, and what the catalogue knows of the configured providers.
    ///
    /// # Errors
    /// When the configuration has an error.
    pub fn models(&self) -> Result<Vec<ModelEntry>, Error> {
        let config = self.user_config()?;
        let providers = self.providers(&config);
        let mut models: Vec<ModelEntry> = providers.models().into_iter().map(model_entry).collect();
        if !models.iter().any(|model| model.id == config.model)
            && let Ok(info) = providers.model_info(&config.model)
        {
            models.push(model_entry(info));
        }
        Ok(models)
    }

    /// The configured providers and where each one's key comes from. Looks into the keychain.
    ///
    /// # Errors
    /// When the configuration has an error.
    pub async fn providers_listed(&self) -> Result<Vec<ProviderEntry>, Error> {
        let providers = self.providers(&self.user_config()?);
        let mut entries = Vec::new();
        for settings in providers.settings() {
            entries.push(ProviderEntry {
                name: settings.name.clone(),
                kind: settings.kind.name().to_owned(),
                base_url: settings.shown_base_url(),
                is_local: settings.is_local,
                key_source: self.keys.status(settings).await,
                key_env: settings.key_env().map(str::to_owned),
            });
        }
        Ok(entries)
    }

    /// Checks that runs can begin with the models that are configured, each agent's.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER` or `CONFIG_INVALID` when it names none.
    pub fn ensure_model_usable(&self) -> Result<(), Error> {
        let config = self.user_config()?;
        let providers = self.providers(&config);
        // What the others leave open is as for this one.
        let names = std::iter::once(AGENT.to_owned()).chain(config.agents().into_iter().map(|agent| agent.name));
        for name in names {
            providers.model(&config.for_agent(&name)?.model).map_err(|fault| {
                let file = self.directories.config_file();
                Error { message: format!("{}: \"agents.{name}.model\": {}", file.display(), fault.message), ..fault }
            })?;
        }
        Ok(())
    }

    /// Stores a key for a provider that is configured, or that is one as soon as its kind is: any other name is a
    /// mistake. If the configuration can't be read, every name is taken.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER`, `KEYCHAIN_UNAVAILABLE`, or `USAGE` when it is no key.
    pub async fn set_key(&self, provider: &str, key: &str) -> Result<(), Error> {
        let provider = known_name(provider)?;
        let config = self.user_config();
        let configured = config.iter().flat_map(|config| &config.providers).find(|known| known.name == provider);
        let kind = ProviderKind::ALL.iter().find(|kind| kind.name() == provider);
        let variable = match (configured, kind, &config) {
            (Some(configured), _, _) => configured.key_env().map(str::to_owned),
            (None, Some(kind), _) => kind.default_key_env().map(str::to_owned),
            (None, None, Ok(config)) => return Err(self.providers(config).unknown(&provider)),
            (None, None, Err(_)) => None,
        };
        self.keys.store(&provider, key, variable.as_deref()).await?;
        self.forget_providers();
        Ok(())
    }

    /// # Errors
    /// `KEYCHAIN_UNAVAILABLE`.
    pub async fn remove_key(&self, provider: &str) -> Result<(), Error> {
        self.keys.remove(&known_name(provider)?).await?;
        self.forget_providers();
        Ok(())
    }

    /// Adds a provider to the user's `config.json`, or changes it; comments and everything else stay.
    ///
    /// # Errors
    /// `CONFIG_INVALID`; then the file is as it was.
    pub fn save_provider(&self, name: &str, kind: &str, base_url: Option<&str>) -> Result<(), Error> {
        self.put_provider(name, kind, base_url, None, EntryState::Any)
    }

    fn put_provider(
        &self,
        name: &str,
        kind: &str,
        base_url: Option<&str>,
        key_env: Option<&str>,
        presence: EntryState,
    ) -> Result<(), Error> {
        let name = known_name(name)?;
        if !ProviderKind::ALL.iter().any(|known| known.name() == kind) {
            let kinds: Vec<&str> = ProviderKind::ALL.iter().map(|kind| kind.name()).collect();
            let message = format!("Unknown provider kind \"{kind}\".");
            return Err(Error::new(Code::CONFIG_INVALID, message, format!("Use one of: {}.", kinds.join(", "))));
        }
        let base_url = base_url.map(str::trim).filter(|url| !url.is_empty());
        let configured = self.user_config().map(|config| config.providers).unwrap_or_default();
        // Who was shown the address without its password gives it back so.
        let is_as_shown = base_url.is_some()
            && configured.iter().any(|known| {
                known.name == name && known.base_url.is_some() && known.shown_base_url().as_deref() == base_url
            });
        self.edit_config(|root| {
            let providers = root.object_value_or_set().object_value_or_set("providers");
            if presence == EntryState::New && providers.get(&name).is_some() {
                return Err(taken(&name));
            }
            let provider = providers.object_value_or_set(&name);
            set(&provider, "kind", kind);
            match base_url {
                _ if is_as_shown => {}
                Some(url) => set(&provider, "baseUrl", url),
                None => provider.get("baseUrl").into_iter().for_each(|property| property.remove()),
            }
            key_env.into_iter().for_each(|variable| set(&provider, "apiKeyEnv", variable));
            Ok(())
        })
    }

    /// Adds a provider that there is not yet.
    ///
    /// # Errors
    /// As of [`Self::save_provider`], and `USAGE` where the name is taken or `key_env` can't be a variable's.
    pub fn add_provider(
        &self,
        name: &str,
        kind: &str,
        base_url: Option<&str>,
        key_env: Option<&str>,
    ) -> Result<(), Error> {
        let known = known_name(name)?;
        if self.user_file()?.providers.contains_key(&known) {
            return Err(taken(&known));
        }
        key_env.map_or(Ok(()), ensure_variable_name)?;
        if kind == ProviderKind::Custom.name() && base_url.is_none_or(|url| url.trim().is_empty()) {
            let hint = "Give the server's address with `--base-url`, such as http://127.0.0.1:8080/v1.";
            return Err(Error::new(Code::CONFIG_INVALID, "A custom provider needs an address.", hint));
        }
        self.put_provider(name, kind, base_url, key_env, EntryState::New)
    }

    /// # Errors
    /// `UNKNOWN_PROVIDER`, `CONFIG_INVALID`, or `USAGE` for the demo, which is there whatever the file says; then the file
    /// is as it was.
    pub fn remove_provider(&self, name: &str) -> Result<(), Error> {
        let configured = self.user_file()?.providers.remove(name);
        let is_demo = configured.as_ref().is_none_or(|provider| provider.kind == ProviderKind::Demo);
        if name == ProviderKind::Demo.name() && is_demo {
            return Err(Error::new(
                Code::USAGE,
                "The demo is a part of Arki and can't be removed.",
                "To use another model, add its provider in Settings or with `arki providers add`, and choose it there or \
                 with `arki config set agents.arki.model PROVIDER/MODEL`.",
            ));
        }
        if configured.is_none() {
            return Err(self.providers(&self.user_config()?).unknown(name));
        }
        self.edit_config(|root| {
            if let Some(providers) = root.object_value_or_set().object_value("providers")
                && let Some(provider) = providers.get(name)
            {
                provider.remove();
            }
            Ok(())
        })
    }

    /// # Errors
    /// `UNKNOWN_PROVIDER` or `CONFIG_INVALID`; then the file is as it was.
    pub fn set_default_model(&self, model: &str) -> Result<(), Error> {
        self.providers(&self.user_config()?).model(model)?;
        self.edit_config(|root| {
            let agent = root.object_value_or_set().object_value_or_set("agents").object_value_or_set(AGENT);
            set(&agent, "model", model);
            Ok(())
        })
    }

    /// Turns reflection on or off, in the user's configuration.
    ///
    /// # Errors
    /// When the configuration can't be written.
    pub fn set_reflection(&self, on: bool) -> Result<(), Error> {
        self.set_config("memory.reflect", if on { "true" } else { "false" })
    }
}

/// The state of an entry that an edit allows before it.
#[derive(Clone, Copy, PartialEq)]
enum EntryState {
    New,
    Any,
}

fn taken(provider: &str) -> Error {
    let hint = format!("`arki providers rm {provider}` removes it; `arki providers` shows it.");
    Error::new(Code::USAGE, format!("The provider \"{provider}\" already exists."), hint)
}

/// Provider names become part of model names and of keychain items.
fn known_name(name: &str) -> Result<String, Error> {
    let name = String::from_str(name.trim()).unwrap_or_default();
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
        let message = format!("\"{name}\" can't be a provider's name.");
        return Err(Error::new(Code::USAGE, message, "Use letters, digits, dots, dashes and underscores."));
    }
    Ok(name)
}

/// # Errors
/// `USAGE`, without repeating it: it may be the key itself.
pub(crate) fn ensure_variable_name(name: &str) -> Result<(), Error> {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit());
    if is_name && name.len() <= 128 {
        return Ok(());
    }
    let hint = "Give the variable's name, such as LAB_KEY, not its value.";
    Err(Error::new(Code::USAGE, "This can't be the name of an environment variable.", hint))
}

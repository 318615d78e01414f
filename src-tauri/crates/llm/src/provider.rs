//! A provider's configuration. Plain data: where it comes from is the engine's business.

use crate::Price;
use arki_domain::{Code, Error};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The API that a provider speaks. The table of the contract, section 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    Openai,
    OpenaiChat,
    Anthropic,
    Gemini,
    Deepseek,
    Ollama,
    Openrouter,
    /// Any server that speaks OpenAI's Chat Completions.
    Custom,
    /// The embedded, offline, scripted model.
    Demo,
}

impl ProviderKind {
    pub const ALL: [Self; 9] = [
        Self::Openai,
        Self::OpenaiChat,
        Self::Anthropic,
        Self::Gemini,
        Self::Deepseek,
        Self::Ollama,
        Self::Openrouter,
        Self::Custom,
        Self::Demo,
    ];

    /// The name used in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::OpenaiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Deepseek => "deepseek",
            Self::Ollama => "ollama",
            Self::Openrouter => "openrouter",
            Self::Custom => "custom",
            Self::Demo => "demo",
        }
    }

    /// Returns what stands before the API's path where the configuration says nothing else.
    #[must_use]
    pub fn default_base_url(self) -> Option<&'static str> {
        match self {
            Self::Openai | Self::OpenaiChat => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com"),
            Self::Deepseek => Some("https://api.deepseek.com"),
            Self::Openrouter => Some("https://openrouter.ai/api/v1"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
            Self::Custom | Self::Demo => None,
        }
    }

    /// The environment variable that holds the key where the configuration names no other.
    #[must_use]
    pub fn default_key_env(self) -> Option<&'static str> {
        match self {
            Self::Openai | Self::OpenaiChat => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Deepseek => Some("DEEPSEEK_API_KEY"),
            Self::Openrouter => Some("OPENROUTER_API_KEY"),
            Self::Ollama | Self::Custom | Self::Demo => None,
        }
    }
}

impl fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One entry of `providers` in the configuration.
#[derive(Clone, PartialEq)]
pub struct ProviderSettings {
    pub name: String,
    pub kind: ProviderKind,
    /// Overrides the kind's own.
    pub base_url: Option<String>,
    /// Runs on the user's own machine or network: costs nothing.
    pub is_local: bool,
    /// Sent with every request. Treated as secret: never shown.
    pub headers: BTreeMap<String, String>,
    pub api_key_env: Option<String>,
    /// Requests at the same time; the others wait in order. `None`: one for a local provider, else no limit.
    pub max_parallel: Option<u32>,
    /// The time that unused connections are kept.
    pub idle_timeout: Duration,
    /// The time that a request waits for its turn under `max_parallel`.
    pub queue_timeout: Duration,
    pub models: BTreeMap<String, ModelSettings>,
    pub timeouts: Timeouts,
    /// The demo model's pause after each word; zero for tests.
    pub demo_word_pause: Duration,
}

/// The configuration of one model; the catalogue's defaults where absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelSettings {
    /// In tokens.
    pub context_window: Option<u64>,
    /// In tokens.
    pub output_limit: Option<u64>,
    pub price: Option<Price>,
    pub capabilities: Option<Vec<Capability>>,
}

/// A capability of a model (seed 004's list).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    Text,
    Vision,
    Streaming,
    ToolUse,
    Rag,
    Code,
    Reasoning,
}

/// A word is about as long on screen as in quick speech.
const DEMO_WORD_PAUSE: Duration = Duration::from_millis(25);

const DEFAULT_QUEUE_TIMEOUT: Duration = Duration::from_secs(60);

const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(300);

impl ProviderSettings {
    /// A provider with nothing but its kind's defaults.
    pub fn new(name: impl Into<String>, kind: ProviderKind) -> Self {
        Self {
            name: name.into(),
            kind,
            base_url: None,
            is_local: matches!(kind, ProviderKind::Demo | ProviderKind::Ollama),
            headers: BTreeMap::new(),
            api_key_env: None,
            max_parallel: None,
            idle_timeout: DEFAULT_IDLE_TIMEOUT,
            queue_timeout: DEFAULT_QUEUE_TIMEOUT,
            models: BTreeMap::new(),
            timeouts: Timeouts::default(),
            demo_word_pause: DEMO_WORD_PAUSE,
        }
    }

    /// Returns what stands before the API's path, without a slash at its end.
    pub fn effective_base_url(&self) -> Result<&str, Error> {
        let url = self.base_url.as_deref().or(self.kind.default_base_url());
        url.map(|url| url.trim_end_matches('/')).ok_or_else(|| {
            Error::new(
                Code::CONFIG_INVALID,
                format!("The provider “{}” has no baseUrl.", self.name),
                format!(
                    "Add it in config.json: \"{}\": {{ \"baseUrl\": \"http://127.0.0.1:8080/v1\", ... }}.",
                    self.name
                ),
            )
        })
    }

    /// Its address, where it has one at all.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when it is no http or https address, or there is none.
    pub(crate) fn address(&self) -> Result<Url, Error> {
        let parsed = Url::parse(self.effective_base_url()?).ok();
        parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or_else(|| {
            Error::new(
                Code::CONFIG_INVALID,
                format!("The baseUrl of {} is not an http or https address.", self.name),
                "Use a URL such as http://127.0.0.1:8080/v1 or https://api.example.com/v1.",
            )
        })
    }

    /// The address as it may be shown: without user name and password.
    #[must_use]
    pub fn shown_base_url(&self) -> Option<String> {
        self.address().ok().map(|url| without_credentials(&url))
    }

    /// Looks at what can be told without asking anybody.
    ///
    /// # Errors
    /// `CONFIG_INVALID` for a name that no model's id can begin with, an address or a header that cannot be used.
    pub fn ensure_usable(&self) -> Result<(), Error> {
        let wrong = |what: String, hint: &str| Err(Error::new(Code::CONFIG_INVALID, what, hint));
        if self.name.is_empty() || self.name.contains('/') {
            let what = format!("{:?} is not a valid provider name.", self.name);
            return wrong(what, "Use a name without a slash: models are named PROVIDER/MODEL.");
        }
        if self.base_url.is_some() {
            self.address()?;
        }
        let is_usable = |(name, value): (&String, &String)| {
            HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok()
        };
        match self.headers.iter().find(|header| !is_usable(*header)) {
            Some((name, _)) => wrong(
                format!("Can't send the header {name:?} of {}.", self.name),
                "Headers must be single lines of plain ASCII.",
            ),
            None => Ok(()),
        }
    }

    /// The environment variable that may hold this provider's key.
    #[must_use]
    pub fn key_env(&self) -> Option<&str> {
        self.api_key_env.as_deref().or(self.kind.default_key_env())
    }

    /// A local server without a named key is asked without one first, so that the keychain is not opened for nothing.
    #[must_use]
    pub fn key_need(&self) -> KeyNeed {
        match self.kind {
            ProviderKind::Demo => KeyNeed::None,
            ProviderKind::Custom | ProviderKind::Ollama if self.api_key_env.is_some() => KeyNeed::Optional,
            ProviderKind::Ollama => KeyNeed::WhenRefused,
            ProviderKind::Custom if self.is_local => KeyNeed::WhenRefused,
            ProviderKind::Custom => KeyNeed::Optional,
            ProviderKind::Openai
            | ProviderKind::OpenaiChat
            | ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::Deepseek
            | ProviderKind::Openrouter => KeyNeed::Required,
        }
    }
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("is_local", &self.is_local)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A provider's need for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNeed {
    /// Never sent, never looked for.
    None,
    /// Looked for only once the server has refused a request without one.
    WhenRefused,
    /// Sent where there is one.
    Optional,
    /// No request without one.
    Required,
}

/// The times to wait for a provider before giving up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The time limit for a connection, TLS included.
    pub connect: Duration,
    /// The time limit from the request until the answer begins. A local model may read a long prompt in silence.
    pub first_byte: Duration,
    /// The time limit between two pieces of an answer; keep-alive comments count as pieces.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), first_byte: Duration::from_secs(120), idle: Duration::from_secs(120) }
    }
}

/// Returns the URL without user name, password and query.
pub(crate) fn without_credentials(url: &reqwest::Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that cannot have credentials at all.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.as_str().trim_end_matches('/').to_owned()
}

//! The settings of one server: how it is reached and what it may cost.

use arki_domain::{Category, sha256_hex};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The time a server may take to start and say what it is.
pub(crate) const DEFAULT_START_TIMEOUT: Duration = Duration::from_secs(30);
/// The tokens of a request that the definitions of one server's tools may take before they are searched instead.
pub(crate) const DEFAULT_TOOL_TOKEN_BUDGET: usize = 10_000;

/// One configured server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerSettings {
    pub name: String,
    /// The project whose server it is; `None` for the user's own.
    pub project: Option<String>,
    pub transport: Transport,
    pub enabled: bool,
    /// The category of the server's tools that `categories` doesn't name.
    pub category: Category,
    /// The categories by the tool's own name, as the server gives it.
    pub categories: BTreeMap<String, Category>,
    pub start_timeout: Duration,
    /// The time limit for one call; the limit of all tools applies as well.
    pub call_timeout: Option<Duration>,
    pub tool_token_budget: usize,
    /// Environment variables that its headers name and that are not set: it is not spoken to without them.
    pub unset_variables: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    Stdio(Command),
    Http(Remote),
}

/// A program that speaks on its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Command {
    pub command: String,
    pub args: Vec<String>,
    /// Variables in addition to the allow-listed environment.
    pub env: BTreeMap<String, String>,
    pub network: bool,
    /// Folders it may write to besides its own temporary one; `.` is the project.
    pub writable: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remote {
    pub url: String,
    pub headers: BTreeMap<String, String>,
    pub oauth: OAuth,
}

impl Remote {
    /// The address without a name and password in it.
    #[must_use]
    pub fn shown_url(&self) -> String {
        shown_url(&self.url)
    }

    /// The user gave a token, which stands where one of signing in would.
    pub(crate) fn has_own_authorization(&self) -> bool {
        self.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
    }
}

/// An address as people may see it: without a password, nor the name that goes with it.
#[must_use]
pub fn shown_url(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(mut parsed) if parsed.password().is_some() || !parsed.username().is_empty() => {
            // Fails only for addresses that can have neither.
            let _ = parsed.set_username("").and_then(|()| parsed.set_password(None));
            parsed.to_string()
        }
        _ => url.to_owned(),
    }
}

/// The settings for servers whose authorization server registers its clients in advance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OAuth {
    pub client_id: Option<String>,
    #[serde(skip)]
    pub client_secret: Option<String>,
    /// An `https` address that describes the client, for servers that take one instead of a registration.
    pub client_metadata_url: Option<String>,
    pub scopes: Vec<String>,
}

impl ServerSettings {
    #[must_use]
    pub fn new(name: &str, transport: Transport) -> Self {
        Self {
            name: name.to_owned(),
            project: None,
            transport,
            enabled: true,
            category: Category::Network,
            categories: BTreeMap::new(),
            start_timeout: DEFAULT_START_TIMEOUT,
            call_timeout: None,
            tool_token_budget: DEFAULT_TOOL_TOKEN_BUDGET,
            unset_variables: Vec::new(),
        }
    }

    /// The same for what leads to the same server; what was agreed to is remembered under it. It has no secret's value:
    /// only the names of variables and headers count.
    #[must_use]
    pub fn key(&self) -> String {
        let place = match &self.transport {
            Transport::Stdio(command) => {
                let names: Vec<&String> = command.env.keys().collect();
                serde_json::json!(["stdio", command.command, command.args, names])
            }
            Transport::Http(remote) => serde_json::json!(["http", remote.url]),
        };
        sha256_hex(serde_json::json!([self.project, self.name, place]).to_string().as_bytes())
    }

    /// `stdio` or `http`.
    #[must_use]
    pub fn transport_word(&self) -> &'static str {
        match self.transport {
            Transport::Stdio(_) => "stdio",
            Transport::Http(_) => "http",
        }
    }

    pub(crate) fn category_of(&self, tool: &str) -> Category {
        self.categories.get(tool).copied().unwrap_or(self.category)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(shown_url("https://me:pass@a.example/mcp?x=1"), "https://a.example/mcp?x=1");
        for plain in ["https://a.example/mcp", "no address"] {
            assert_eq!(shown_url(plain), plain);
        }
    }

    #[test]
    fn what_was_agreed_to_is_found_again_when_a_token_was_renewed_but_not_for_another_program() {
        let settings = |command: &str, token: &str| {
            let env = BTreeMap::from([("TOKEN".to_owned(), token.to_owned())]);
            let (command, args) = (command.to_owned(), Vec::new());
            ServerSettings::new("x", Transport::Stdio(Command { command, args, env, network: false, writable: vec![] }))
        };
        assert_eq!(settings("a", "1").key(), settings("a", "2").key());
        assert_ne!(settings("a", "1").key(), settings("b", "1").key());
    }
}

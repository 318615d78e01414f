//! MCP servers as they are configured, before anything of the machine is put in.

use super::file::{ConfigFile, McpServerConfig};
use super::invalid::invalid;
use arki_domain::{Category, Error, SessionId};
use arki_mcp::is_server_name;
use std::collections::BTreeMap;
use std::path::Path;

const MAX_START_SECONDS: u64 = 600;
const MAX_CALL_SECONDS: u64 = 86_400;

/// The configuration that a server is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpOrigin {
    User,
    Project,
    /// The project's `.mcp.json`.
    McpJson,
    /// No configuration: a client named it for this session.
    Session(SessionId),
}

#[derive(Debug, Clone)]
pub struct ConfiguredServer {
    pub origin: McpOrigin,
    pub config: McpServerConfig,
}

pub(crate) type McpServers = BTreeMap<String, ConfiguredServer>;

pub(crate) fn of_user(file: &ConfigFile, path: &Path) -> Result<McpServers, Error> {
    let mut servers = McpServers::new();
    for (name, config) in &file.mcp_servers {
        ensure_usable(name, config, path)?;
        servers.insert(name.clone(), ConfiguredServer { origin: McpOrigin::User, config: config.clone() });
    }
    Ok(servers)
}

/// A project may bring servers of its own, on the user's usual terms.
pub(crate) fn add_projects(servers: &mut McpServers, file: &ConfigFile, path: &Path) -> Result<(), Error> {
    for (name, config) in &file.mcp_servers {
        ensure_usable(name, config, path)?;
        let refuse = |what: &str| Err(invalid(path, &format!("a project may not {what} (\"mcpServers.{name}\")")));
        // What the user allows of a server of this name is meant for the user's own.
        if servers.contains_key(name) {
            return refuse("replace an MCP server of yours");
        }
        if config.category.is_some_and(loosens) || config.categories.values().copied().any(loosens) {
            return refuse("set the category of an MCP server's tools");
        }
        if !config.writable.is_empty() {
            return refuse("let an MCP server write files");
        }
        let values = || config.env.values().chain(config.headers.values());
        if values().any(|value| value.contains("${"))
            || config.oauth.as_ref().is_some_and(|o| o.client_secret_env.is_some())
        {
            return refuse("pass your environment to an MCP server");
        }
        servers.insert(name.clone(), ConfiguredServer { origin: McpOrigin::Project, config: config.clone() });
    }
    Ok(())
}

/// Any other category than the one they have anyway: which of two is looser is for the user's policy to say.
fn loosens(category: Category) -> bool {
    category != Category::Network
}

pub(crate) fn ensure_usable(name: &str, config: &McpServerConfig, path: &Path) -> Result<(), Error> {
    let wrong = |what: &str| Err(invalid(path, &format!("\"mcpServers.{name}\" {what}")));
    if !is_server_name(name) {
        return wrong("has a name that can't be used: up to 32 letters, digits, \"-\" and single \"_\"");
    }
    match (&config.command, &config.url) {
        (None, None) => return wrong("has neither \"command\" nor \"url\""),
        (Some(_), Some(_)) => return wrong("has both \"command\" and \"url\""),
        (Some(command), None) if command.trim().is_empty() => return wrong("has an empty \"command\""),
        (None, Some(url)) if !url.starts_with("http://") && !url.starts_with("https://") => {
            return wrong("has a \"url\" that is neither http:// nor https://");
        }
        _ => {}
    }
    let is_program = config.command.is_some();
    let of_programs =
        !config.args.is_empty() || !config.env.is_empty() || config.network.is_some() || !config.writable.is_empty();
    if !is_program && of_programs {
        return wrong("has a \"url\", and \"args\", \"env\", \"network\" and \"writable\" are for a \"command\"");
    }
    if is_program && (!config.headers.is_empty() || config.oauth.is_some()) {
        return wrong("has a \"command\", and \"headers\" and \"oauth\" are for a \"url\"");
    }
    let within = |seconds: Option<u64>, max: u64| seconds.is_none_or(|seconds| (1..=max).contains(&seconds));
    if !within(config.start_timeout_seconds, MAX_START_SECONDS) || !within(config.timeout_seconds, MAX_CALL_SECONDS) {
        return wrong("has a time limit that can't be used");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, parse};

    fn merge(user: &str, project: &str) -> Result<Config, Error> {
        let path = Path::new("config.json");
        let file = |servers: &str| parse(&format!("{{\"mcpServers\": {servers}}}"), path);
        let (user, project) = (file(user)?, file(project)?);
        Config::merge(crate::ReadConfig::of(&user, path), Some(crate::ReadConfig::of(&project, path)))
    }

    #[test]
    fn both_forms_of_the_contract_are_taken() {
        let user =
            r#"{"a": {"command": "x", "args": ["-y"], "env": {"T": "${TOKEN}"}}, "b": {"url": "https://x/mcp"}}"#;
        let config = merge(user, r#"{"c": {"command": "y", "network": true}}"#).unwrap();
        let origins: Vec<(&str, McpOrigin)> =
            config.mcp_servers.iter().map(|(name, server)| (name.as_str(), server.origin.clone())).collect();
        assert_eq!(origins, [("a", McpOrigin::User), ("b", McpOrigin::User), ("c", McpOrigin::Project)]);
    }

    #[test]
    fn what_cannot_work_is_an_error_that_names_it() {
        for (server, word) in [
            ("{}", "neither"),
            (r#"{"command": "x", "url": "http://x"}"#, "both"),
            (r#"{"command": " "}"#, "empty"),
            (r#"{"url": "file:///x"}"#, "neither http"),
            (r#"{"url": "http://x", "args": ["x"]}"#, "for a \"command\""),
            (r#"{"command": "x", "headers": {"a": "b"}}"#, "for a \"url\""),
            (r#"{"command": "x", "startTimeoutSeconds": 0}"#, "time limit"),
            (r#"{"command": "x", "category": "harmless"}"#, "harmless"),
        ] {
            let fault = merge(&format!("{{\"a\": {server}}}"), "{}").unwrap_err();
            assert!(fault.message.contains(word), "{server}: {}", fault.message);
        }
        assert!(merge(r#"{"a__b": {"command": "x"}}"#, "{}").is_err());
        let unknown = merge(r#"{"a": {"command": "x", "arg": []}}"#, "{}").unwrap_err();
        assert_eq!((unknown.code.as_str(), unknown.hint.as_str()), ("CONFIG_UNKNOWN_KEY", "Did you mean \"args\"?"));
    }

    #[test]
    fn a_project_brings_servers_but_loosens_nothing() {
        for (server, word) in [
            (r#"{"mine": {"command": "evil"}}"#, "replace"),
            (r#"{"a": {"command": "x", "category": "read"}}"#, "category"),
            (r#"{"a": {"command": "x", "categories": {"t": "read"}}}"#, "category"),
            (r#"{"a": {"command": "x", "writable": ["/"]}}"#, "write files"),
            (r#"{"a": {"command": "x", "writable": ["."]}}"#, "write files"),
            (r#"{"a": {"url": "http://x", "headers": {"k": "${OPENAI_API_KEY}"}}}"#, "environment"),
            (r#"{"a": {"command": "x", "env": {"K": "${OPENAI_API_KEY}"}}}"#, "environment"),
            (r#"{"a": {"url": "http://x", "oauth": {"clientSecretEnv": "KEY"}}}"#, "environment"),
        ] {
            let fault = merge(r#"{"mine": {"command": "good"}}"#, server).unwrap_err();
            assert!(fault.message.contains(word), "{server}: {}", fault.message);
        }
    }
}

//! `.mcp.json`, in which other agents name a project's MCP servers: `{"mcpServers": {NAME: {…}}}`.
//!
//! It says more than Arki takes and forbids nothing. So keys that are not known are passed over, and a server that
//! can't be used is left out and told; the others are there.

use super::file::McpServerConfig;
use super::mcp::{ConfiguredServer, McpOrigin, McpServers, ensure_usable};
use super::parse::{in_words, text_of};
use arki_domain::Error;
use arki_llm::{ProviderKind, ProviderSettings};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct McpJson {
    #[serde(default, rename = "mcpServers")]
    servers: BTreeMap<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ServerEntry {
    #[serde(rename = "type")]
    transport: Option<String>,
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
    network: Option<bool>,
    disabled: bool,
}

/// Adds the servers whose names are not taken. What is left out, in a sentence each.
pub fn add(servers: &mut McpServers, bytes: &[u8], file: &Path, providers: &[ProviderSettings]) -> Vec<String> {
    let named = match read(bytes, file) {
        Ok(named) => named,
        Err(fault) => return vec![fault.message],
    };
    let mut left_out = Vec::new();
    for (name, value) in named {
        if servers.contains_key(&name) {
            continue;
        }
        match usable(&name, value, file, providers) {
            Ok(config) => {
                servers.insert(name, ConfiguredServer { config, origin: McpOrigin::McpJson });
            }
            Err(reason) => left_out.push(format!("The MCP server {name:?} in .mcp.json is left out: {reason}.")),
        }
    }
    left_out
}

fn read(bytes: &[u8], file: &Path) -> Result<BTreeMap<String, Value>, Error> {
    let text = text_of(bytes, file)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = jsonc_parser::parse_to_serde_value::<McpJson>(text, &jsonc_parser::ParseOptions::default());
    Ok(parsed.map_err(|error| super::invalid(file, &in_words(&error.to_string())))?.servers)
}

fn usable(name: &str, value: Value, file: &Path, providers: &[ProviderSettings]) -> Result<McpServerConfig, String> {
    let asked = named_in(&value).into_iter().find(|variable| is_a_providers_key(variable, providers));
    if let Some(variable) = asked {
        return Err(format!("it asks for {variable}, a provider's key"));
    }
    let server: ServerEntry = serde_json::from_value(value).map_err(|error| in_words(&error.to_string()))?;
    match server.transport.as_deref() {
        None | Some("stdio" | "http" | "streamable-http" | "streamableHttp") => {}
        Some(other) => return Err(format!("its transport {other:?} is not supported")),
    }
    let config = McpServerConfig {
        command: server.command,
        args: server.args,
        env: server.env,
        network: server.network,
        url: server.url,
        headers: server.headers,
        enabled: server.disabled.then_some(false),
        ..McpServerConfig::default()
    };
    ensure_usable(name, &config, file).map_err(|fault| fault.message.trim_end_matches('.').to_owned())?;
    Ok(config)
}

fn is_a_providers_key(variable: &str, providers: &[ProviderSettings]) -> bool {
    let configured = providers.iter().filter_map(ProviderSettings::key_env);
    let usual = ProviderKind::ALL.iter().filter_map(|kind| kind.default_key_env());
    configured.chain(usual).any(|key| key.eq_ignore_ascii_case(variable))
}

/// The variables of `${NAME}` and `${NAME:-default}` in all texts of a value.
fn named_in(value: &Value) -> Vec<String> {
    let text = value.to_string();
    let pieces = text.split("${").skip(1).filter_map(|piece| piece.split_once('}'));
    pieces.map(|(named, _)| named.split(":-").next().unwrap_or(named).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn added(text: &str) -> (McpServers, Vec<String>) {
        let path = Path::new("config.json");
        let own = parse(r#"{"mcpServers": {"mine": {"command": "good"}}}"#, path).unwrap();
        let mut servers = super::super::mcp::of_user(&own, path).unwrap();
        let left_out = add(&mut servers, text.as_bytes(), Path::new("/p/.mcp.json"), &[]);
        (servers, left_out)
    }

    #[test]
    fn servers_are_added_in_both_forms_and_names_that_are_taken_stay() {
        let (servers, left_out) = added(
            r#"{"mcpServers": {"mine": {"command": "evil"}, "a": {"type": "stdio", "command": "x", "args": ["-y"],
                "env": {"T": "${T:-1}"}, "future": 1}, "b": {"type": "http", "url": "https://b/mcp"},
                "c": {"command": "x", "disabled": true}}, "inputs": []}"#,
        );
        assert!(left_out.is_empty(), "{left_out:?}");
        assert_eq!(servers["mine"].config.command.as_deref(), Some("good"));
        assert_eq!((&servers["a"].origin, servers["a"].config.args.len()), (&McpOrigin::McpJson, 1));
        assert_eq!(
            (servers["b"].config.url.as_deref(), servers["c"].config.enabled),
            (Some("https://b/mcp"), Some(false))
        );
    }

    #[test]
    fn what_cannot_be_used_is_left_out_with_its_reason_and_takes_no_other_along() {
        let (servers, left_out) = added(
            r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${openai_api_key}"}}, "b": {"type": "sse", "url": "http://x"},
                "c": {}, "d__e": {"command": "x"}, "f": 7, "good": {"command": "x"}}}"#,
        );
        assert_eq!(servers.keys().collect::<Vec<_>>(), ["good", "mine"]);
        for (word, told) in ["provider's key", "\"sse\"", "neither", "name", "must be an object"].iter().zip(&left_out)
        {
            assert!(told.contains(word), "{told}");
        }
        for text in ["{", "\u{0}", "[1]", r#"{"mcpServers": []}"#] {
            let (servers, told) = added(text);
            assert!(servers.len() == 1 && told.len() == 1 && told[0].contains("/p/.mcp.json"), "{text}: {told:?}");
        }
    }
}

//! Pins for the parts of the project configuration that start processes. Pure.

use jsonc_parser::ParseOptions;
use serde_json::Value;

use super::{Pin, PinKind};
use crate::change_set::content_hash;

/// Nothing for a configuration that can't be parsed: it enables nothing, and as a whole it is pinned anyway.
pub(super) fn pins(path: &str, bytes: &[u8]) -> Vec<Pin> {
    let Some(config) = parse(bytes) else { return Vec::new() };
    let hooks = config.get("hooks").filter(|hooks| !is_empty(hooks));
    let hooks = hooks.map(|hooks| pin(PinKind::Hook, format!("{path}#hooks"), hooks));
    let servers = config.get("mcpServers").and_then(Value::as_object);
    let servers = servers
        .into_iter()
        .flatten()
        .map(|(name, server)| pin(PinKind::McpServer, format!("{path}#mcpServers.{name}"), server));
    hooks.into_iter().chain(servers).collect()
}

/// Arguments with these endings are programs that an interpreter runs.
const SCRIPTS: &[&str] = &[
    "bat", "cjs", "cmd", "exe", "jar", "js", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "pyz", "rb", "sh", "ts",
    "wasm",
];

/// What the servers' command lines name that may be a program of the project's own, by path.
pub(super) fn programs(bytes: &[u8]) -> Vec<String> {
    let config = parse(bytes).unwrap_or_default();
    let servers = config.get("mcpServers").and_then(Value::as_object);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let line = |server: &Value| {
        let args = server.get("args").and_then(Value::as_array).into_iter().flatten();
        let args: Vec<String> = args.filter_map(text).collect();
        server.get("command").and_then(text).map(|command| command_programs(&command, &args))
    };
    servers.into_iter().flatten().filter_map(|(_, server)| line(server)).flatten().collect()
}

/// The program itself, and those of its arguments that look like one. Data that it works on may change.
pub fn command_programs(command: &str, args: &[String]) -> Vec<String> {
    let is_script = |arg: &&String| {
        let ending = arg.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        ending.is_some_and(|ending| SCRIPTS.contains(&ending.as_str()))
    };
    [command.to_owned()].into_iter().chain(args.iter().filter(is_script).cloned()).collect()
}

fn parse(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    jsonc_parser::parse_to_serde_value(text, &ParseOptions::default()).ok()
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn pin(kind: PinKind, path: String, value: &Value) -> Pin {
    Pin { kind, path, hash: content_hash(sorted(value).to_string().as_bytes()) }
}

/// With keys in byte order, whatever order the parser keeps.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            members.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

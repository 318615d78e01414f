//! The defaults of an entry that sets nothing: by its provider's kind, as for every MCP server, as for `arki`.

use arki_llm::{ProviderKind, ProviderSettings};
use arki_mcp::{Command, ServerSettings, Transport};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The defaults of the entry `name` of a map at the key `place`, such as `providers`; empty where it has none.
pub(super) fn of_entry(place: &str, name: &str, entry: &Value, merged: &Value) -> Map<String, Value> {
    let defaults = match place {
        "providers" => of_provider(entry),
        "mcpServers" => of_server(),
        "agents" => arki_config::agent_defaults(name, &merged["agents"][arki_config::AGENT]),
        _ => Value::Null,
    };
    match defaults {
        Value::Object(defaults) => defaults,
        _ => Map::new(),
    }
}

fn of_provider(entry: &Value) -> Value {
    let Ok(kind) = serde_json::from_value::<ProviderKind>(entry["kind"].clone()) else { return Value::Null };
    let settings = ProviderSettings::new("", kind);
    json!({
        "baseUrl": kind.default_base_url(),
        "apiKeyEnv": kind.default_key_env(),
        "isLocal": settings.is_local,
        "maxParallel": settings.is_local.then_some(1),
        "idleTimeoutSeconds": settings.idle_timeout.as_secs(),
        "queueTimeoutSeconds": settings.queue_timeout.as_secs(),
        "timeoutSeconds": settings.timeouts.idle.as_secs(),
    })
}

fn of_server() -> Value {
    let program = Command {
        command: String::new(),
        args: Vec::new(),
        env: BTreeMap::new(),
        network: false,
        writable: Vec::new(),
    };
    let settings = ServerSettings::new("", Transport::Stdio(program));
    json!({
        "enabled": settings.enabled,
        "network": false,
        "category": settings.category,
        "startTimeoutSeconds": settings.start_timeout.as_secs(),
        "toolTokenBudget": settings.tool_token_budget,
    })
}

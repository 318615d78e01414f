//! The forms in which a connection and a session begin.

use serde::Serialize;
use serde_json::{Value, json};

/// The answer to `initialize`, whatever version the client speaks: it decides whether it goes on.
pub(crate) fn initialized() -> Value {
    json!({
        "protocolVersion": 1,
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true, "embeddedContext": true},
            "mcpCapabilities": {"http": true},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
        },
        "authMethods": [],
        "agentInfo": {"name": "arki", "title": "Arki", "version": env!("CARGO_PKG_VERSION")},
    })
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct SessionMode {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// A choice of one value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename = "select", rename_all = "camelCase")]
pub(crate) struct SessionConfigOption {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
    pub(crate) current_value: String,
    pub(crate) options: Vec<ValueOption>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ValueOption {
    pub(crate) value: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

//! The parameters of clients' requests. Fields that Arki has no use for are left alone.

use crate::messages::told::ContentBlock;
use arki_domain::SessionId;
use arki_engine::NamedServer;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Initialize {
    #[serde(default)]
    pub(crate) client_capabilities: ClientCapabilityFlags,
}

/// The capabilities of the client that Arki makes use of. A client that says something odd about one hasn't got it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ClientCapabilityFlags {
    /// It shows forms.
    pub(crate) forms: bool,
    /// It shows a command's output as a terminal, as it comes.
    pub(crate) terminal_output: bool,
    /// It tells the text of files that it has open.
    pub(crate) reads_files: bool,
    /// It takes new texts for them.
    pub(crate) writes_files: bool,
}

impl<'de> Deserialize<'de> for ClientCapabilityFlags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let said = Value::deserialize(deserializer)?;
        Ok(Self {
            forms: said.pointer("/elicitation/form").is_some_and(Value::is_object),
            terminal_output: said.pointer("/_meta/terminal_output") == Some(&Value::Bool(true)),
            reads_files: said.pointer("/fs/readTextFile") == Some(&Value::Bool(true)),
            writes_files: said.pointer("/fs/writeTextFile") == Some(&Value::Bool(true)),
        })
    }
}

/// The parameters of `session/new`, `session/load` and `session/resume`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenSession {
    /// None of a new one.
    pub(crate) session_id: Option<SessionId>,
    pub(crate) cwd: PathBuf,
    #[serde(default)]
    pub(crate) mcp_servers: Vec<Value>,
}

/// An MCP server that the client names.
#[derive(Debug, Deserialize)]
pub(crate) struct NamedServerParams {
    /// Absent for a program.
    #[serde(rename = "type")]
    pub(crate) transport: Option<String>,
    name: String,
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<Vec<NamedValue>>,
    url: Option<String>,
    headers: Option<Vec<NamedValue>>,
}

#[derive(Debug, Deserialize)]
struct NamedValue {
    name: String,
    value: String,
}

impl NamedServerParams {
    pub(crate) fn into_named(self) -> NamedServer {
        let by_name =
            |values: Option<Vec<NamedValue>>| values.into_iter().flatten().map(|one| (one.name, one.value)).collect();
        let Self { name, command, args, env, url, headers, .. } = self;
        let args = args.unwrap_or_default();
        NamedServer { name, command, args, env: by_name(env), url, headers: by_name(headers) }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct ListSessions {
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) cursor: Option<String>,
}

/// The parameters of `session/close`, `session/delete` and `session/cancel`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NamedSessionParams {
    pub(crate) session_id: SessionId,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromptParams {
    pub(crate) session_id: SessionId,
    pub(crate) prompt: Vec<ContentBlock>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetMode {
    pub(crate) session_id: SessionId,
    pub(crate) mode_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetConfigOption {
    pub(crate) session_id: SessionId,
    pub(crate) config_id: String,
    pub(crate) value: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
    fn flags(capabilities: Value) -> ClientCapabilityFlags {
        serde_json::from_value::<Initialize>(json!({"clientCapabilities": capabilities})).unwrap().client_capabilities
    }

    #[test]
    fn only_what_a_client_says_clearly_counts() {
        let none = ClientCapabilityFlags::default();
        for odd in [
            json!(null),
            json!([]),
            json!({"elicitation": true}),
            json!({"fs": true}),
            json!({"elicitation": {"form": null}, "fs": {"readTextFile": 1}}),
        ] {
            assert_eq!(flags(odd.clone()), none, "{odd}");
        }
        assert_eq!(serde_json::from_value::<Initialize>(json!({})).unwrap().client_capabilities, none);
        let zed = flags(
            json!({"elicitation": {"form": {}, "url": {}}, "fs": {"readTextFile": true, "writeTextFile": true}, "_meta": {"terminal_output": true}}),
        );
        assert_eq!(
            zed,
            ClientCapabilityFlags { forms: true, terminal_output: true, reads_files: true, writes_files: true }
        );
    }

    #[test]
    fn servers_may_be_left_out() {
        let opened: OpenSession =
            serde_json::from_value(json!({"cwd": "/p", "additionalDirectories": ["/q"]})).unwrap();
        assert!(opened.mcp_servers.is_empty() && opened.session_id.is_none());
    }
}

//! The user's own MCP servers, as the settings change them: in `config.json`, whose comments and everything else stay.

use crate::Mcp;
use crate::accounts::settings::ensure_variable_name;
use crate::accounts::user_config::set;
use arki_api::{McpServerSettings, McpVariable};
use arki_config::{ConfiguredServer, McpServerConfig};
use arki_domain::{Code, Error};
use arki_mcp::{is_server_name, shown_url};
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use std::collections::BTreeMap;

impl Mcp {
    /// Adds a server, or changes how it is reached; what else is configured of it stays.
    ///
    /// # Errors
    /// `CONFIG_INVALID`; then the file is as it was.
    pub fn save_mcp_server(&self, name: &str, settings: &McpServerSettings) -> Result<(), Error> {
        let name = usable_name(name)?;
        self.accounts.edit_config(|root| {
            save(root, &name, settings);
            Ok(())
        })
    }

    /// Adds a server that there is not yet.
    ///
    /// # Errors
    /// `USAGE` where a name can't be used or is taken, or `CONFIG_INVALID`; then the file is as it was.
    pub fn add_mcp_server(&self, name: &str, settings: &McpServerSettings) -> Result<(), Error> {
        let name = usable_name(name)?;
        settings.env.iter().try_for_each(|variable| ensure_variable_name(&variable.name))?;
        self.accounts.edit_config(|root| {
            let servers = root.object_value().and_then(|root| root.object_value("mcpServers"));
            if servers.is_some_and(|servers| servers.get(&name).is_some()) {
                let hint = format!("`arki mcp rm {name}` removes it; `arki mcp list` shows it.");
                return Err(Error::new(Code::USAGE, format!("The MCP server \"{name}\" already exists."), hint));
            }
            save(root, &name, settings);
            Ok(())
        })
    }

    /// # Errors
    /// `CONFIG_INVALID`; then the file is as it was.
    pub fn enable_mcp_server(&self, name: &str, enabled: bool) -> Result<(), Error> {
        self.accounts.edit_config(|root| {
            let servers = root.object_value_or_set().object_value("mcpServers");
            if let Some(server) = servers.and_then(|servers| servers.object_value(name)) {
                set_unless(&server, "enabled", enabled, false);
            }
            Ok(())
        })
    }

    /// # Errors
    /// `MCP_SERVER_UNKNOWN` or `CONFIG_INVALID`; then the file is as it was.
    pub fn remove_mcp_server(&self, name: &str) -> Result<(), Error> {
        if !self.accounts.user_file()?.mcp_servers.contains_key(name) {
            let message = format!("Your configuration has no MCP server \"{name}\".");
            let hint =
                "`arki mcp list` lists all servers. A project's servers are in its .arki/config.json or .mcp.json.";
            return Err(Error::new(Code::MCP_SERVER_UNKNOWN, message, hint));
        }
        self.accounts.edit_config(|root| {
            if let Some(servers) = root.object_value_or_set().object_value("mcpServers") {
                remove(&servers, name);
            }
            Ok(())
        })
    }
}

/// Returns how a server is reached, as it stands in the file, but for values that may be secrets.
pub(super) fn settings_of(configured: &ConfiguredServer) -> McpServerSettings {
    let McpServerConfig { command, args, env, network, url, headers, .. } = &configured.config;
    McpServerSettings {
        command: command.clone(),
        args: args.clone(),
        env: variables(env),
        network: *network == Some(true),
        url: url.as_deref().map(shown_url),
        headers: variables(headers),
    }
}

/// Only the name of a variable is known to be no secret.
fn variables(values: &BTreeMap<String, String>) -> Vec<McpVariable> {
    let is_reference = |value: &&String| {
        let value = value.strip_prefix("Bearer ").unwrap_or(value);
        value.strip_prefix("${").is_some_and(|name| name.find('}') == Some(name.len() - 1))
    };
    let variable =
        |(name, value)| McpVariable { name: String::clone(name), value: Some(value).filter(is_reference).cloned() };
    values.iter().map(variable).collect()
}

fn save(root: &CstRootNode, name: &str, settings: &McpServerSettings) {
    let servers = root.object_value_or_set().object_value_or_set("mcpServers");
    let server = servers.object_value_or_set(name);
    match &settings.command {
        Some(command) => {
            ["url", "headers", "oauth"].iter().for_each(|key| remove(&server, key));
            set(&server, "command", command.as_str());
            let args: Vec<&str> = settings.args.iter().map(String::as_str).collect();
            set_unless(&server, "args", args.is_empty(), args);
            set_variables(&server, "env", &settings.env);
            set_unless(&server, "network", !settings.network, true);
        }
        None => {
            ["command", "args", "env", "network", "writable"].iter().for_each(|key| remove(&server, key));
            set_url(&server, settings.url.as_deref().unwrap_or_default());
            set_variables(&server, "headers", &settings.headers);
        }
    }
}

/// Sets the address; whoever was shown it without its password gives it back so.
fn set_url(server: &CstObject, url: &str) {
    let known = server.get("url").and_then(|property| property.value()?.as_string_lit()?.decoded_value().ok());
    if known.is_none_or(|known| shown_url(&known) != url) {
        set(server, "url", url);
    }
}

fn set_variables(server: &CstObject, key: &str, variables: &[McpVariable]) {
    if variables.is_empty() {
        return remove(server, key);
    }
    let object = server.object_value_or_set(key);
    for property in object.properties() {
        let name = property.name().and_then(|name| name.decoded_value().ok());
        if !variables.iter().any(|variable| Some(&variable.name) == name.as_ref()) {
            property.remove();
        }
    }
    for variable in variables {
        if let Some(value) = &variable.value {
            set(&object, &variable.name, value.as_str());
        }
    }
}

fn set_unless(object: &CstObject, key: &str, is_default: bool, value: impl Into<CstInputValue>) {
    if is_default { remove(object, key) } else { set(object, key, value) }
}

fn remove(object: &CstObject, key: &str) {
    object.get(key).into_iter().for_each(|property| property.remove());
}

fn usable_name(name: &str) -> Result<String, Error> {
    let name = name.trim();
    if is_server_name(name) {
        return Ok(name.to_owned());
    }
    let hint = "Use up to 32 letters, digits, \"-\" and single \"_\".";
    Err(Error::new(Code::USAGE, format!("\"{name}\" can't be an MCP server's name."), hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_config::McpOrigin;
    use serde_json::{Value, json};

    fn saved(before: &str, settings: &Value) -> (String, Value) {
        let settings: McpServerSettings = serde_json::from_value(settings.clone()).unwrap();
        let root = CstRootNode::parse(before, &jsonc_parser::ParseOptions::default()).unwrap();
        save(&root, "x", &settings);
        let text = root.to_string();
        let value = jsonc_parser::parse_to_serde_value::<Value>(&text, &jsonc_parser::ParseOptions::default()).unwrap();
        (text, value["mcpServers"]["x"].clone())
    }

    fn program(env: &Value) -> Value {
        json!({"command": "c", "args": ["a", "b c"], "env": env, "network": true, "url": null, "headers": []})
    }

    #[test]
    fn a_server_is_added_and_everything_else_stays() {
        let (text, server) = saved("{ // mine\n}", &program(&json!([{"name": "T", "value": "${T}"}])));
        assert!(text.contains("// mine"), "{text}");
        assert_eq!(server, json!({"command": "c", "args": ["a", "b c"], "env": {"T": "${T}"}, "network": true}));
    }

    #[test]
    fn what_is_not_shown_is_kept_and_what_is_left_out_goes() {
        let before = r#"{"mcpServers": {"x": {"command": "b", "env": {"SECRET": "abc", "OLD": "1", "T": "${T}"},
            "category": "read" /* harmless */}}}"#;
        let env = json!([{"name": "SECRET", "value": null}, {"name": "T", "value": "${U}"}]);
        let (text, server) = saved(before, &program(&env));
        assert_eq!(server["env"], json!({"SECRET": "abc", "T": "${U}"}));
        assert!(server["category"] == "read" && text.contains("harmless"), "{text}");
        let remote =
            json!({"command": null, "args": [], "env": [], "network": false, "url": "https://h/x", "headers": []});
        let (_, server) = saved(before, &remote);
        assert_eq!(server, json!({"url": "https://h/x", "category": "read"}));
    }

    #[test]
    fn a_password_in_an_address_is_not_shown_and_kept() {
        let with_password = "https://me:hunter2@h/x";
        let config = McpServerConfig { url: Some(with_password.to_owned()), ..McpServerConfig::default() };
        let shown = settings_of(&ConfiguredServer { config, origin: McpOrigin::User });
        assert_eq!(shown.url.as_deref(), Some("https://h/x"));
        let before = json!({"mcpServers": {"x": {"url": with_password}}}).to_string();
        let (_, server) = saved(&before, &serde_json::to_value(&shown).unwrap());
        assert_eq!(server["url"], with_password);
        let other = McpServerSettings { url: Some("https://h/y".to_owned()), ..shown };
        let (_, server) = saved(&before, &serde_json::to_value(&other).unwrap());
        assert_eq!(server["url"], "https://h/y");
    }

    #[test]
    fn only_references_are_shown() {
        let values = [("A", "${TOKEN}"), ("B", "sk-secret"), ("C", "${A}sk-secret${B}"), ("D", "Bearer ${T}")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let shown: Vec<bool> = variables(&BTreeMap::from(values)).iter().map(|shown| shown.value.is_some()).collect();
        assert_eq!(shown, [true, false, false, true]);
    }
}

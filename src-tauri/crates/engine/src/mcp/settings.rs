//! Turns a configured server into its settings: variables put in, defaults filled in.

use crate::accounts::keys::Keys;
use arki_config::{ConfiguredServer, McpOrigin, McpServerConfig};
use arki_mcp::{Command, OAuth, Remote, ServerSettings, Transport};
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) fn of(name: &str, configured: &ConfiguredServer, project: &str, keys: &Keys) -> ServerSettings {
    let config = &match configured.origin {
        McpOrigin::McpJson => with_variables(&configured.config, keys),
        McpOrigin::User | McpOrigin::Project | McpOrigin::Session(_) => configured.config.clone(),
    };
    let fill = |values: &BTreeMap<String, String>| match configured.origin {
        McpOrigin::User => {
            values.iter().map(|(key, value)| (key.clone(), filled_in(value, |name| keys.variable(name)))).collect()
        }
        McpOrigin::Project | McpOrigin::McpJson | McpOrigin::Session(_) => values.clone(),
    };
    let transport = match (&config.command, &config.url) {
        (Some(command), _) => Transport::Stdio(Command {
            command: command.clone(),
            args: config.args.clone(),
            env: fill(&config.env),
            network: config.network == Some(true),
            writable: config.writable.clone(),
        }),
        (None, url) => Transport::Http(Remote {
            url: url.clone().unwrap_or_default(),
            headers: fill(&config.headers),
            oauth: config.oauth.as_ref().map_or_else(OAuth::default, |oauth| OAuth {
                client_id: oauth.client_id.clone(),
                client_secret: oauth.client_secret_env.as_deref().and_then(|name| keys.variable(name)),
                client_metadata_url: None,
                scopes: oauth.scopes.clone(),
            }),
        }),
    };
    let mut settings = ServerSettings::new(name, transport);
    if configured.origin == McpOrigin::User {
        let is_unset = |name: &String| keys.variable(name).is_none();
        settings.unset_variables = config.headers.values().flat_map(|value| named_in(value)).filter(is_unset).collect();
    }
    settings.project = (configured.origin != McpOrigin::User).then(|| project.to_owned());
    settings.enabled = config.enabled != Some(false);
    settings.category = config.category.unwrap_or(settings.category);
    settings.categories.clone_from(&config.categories);
    settings.start_timeout = config.start_timeout_seconds.map_or(settings.start_timeout, Duration::from_secs);
    settings.call_timeout = config.timeout_seconds.map(Duration::from_secs);
    settings.tool_token_budget = config.tool_token_budget.unwrap_or(settings.tool_token_budget);
    settings
}

/// Fills in variables in `.mcp.json` as other agents do: anywhere, and with `${NAME:-otherwise}`. Which variables a
/// server gets is told where the user agrees to it, and none is a provider's key.
fn with_variables(config: &McpServerConfig, keys: &Keys) -> McpServerConfig {
    let fill = |text: &String| {
        filled_in(text, |named| {
            let (name, otherwise) = named.split_once(":-").map_or((named, None), |(name, other)| (name, Some(other)));
            let value = keys.unlisted_variable(name).filter(|value| !value.is_empty() || otherwise.is_none());
            value.or_else(|| otherwise.map(str::to_owned))
        })
    };
    let fill_all = |values: &BTreeMap<String, String>| {
        values.iter().map(|(key, value)| (key.clone(), fill(value))).collect::<BTreeMap<_, _>>()
    };
    McpServerConfig {
        command: config.command.as_ref().map(fill),
        args: config.args.iter().map(fill).collect(),
        env: fill_all(&config.env),
        url: config.url.as_ref().map(fill),
        headers: fill_all(&config.headers),
        ..config.clone()
    }
}

/// The variables that a text names.
fn named_in(text: &str) -> Vec<String> {
    let pieces = text.split("${").skip(1);
    pieces.filter_map(|piece| Some(piece.split_once('}')?.0.to_owned())).collect()
}

/// `${NAME}` becomes the variable's value; of one that is not set, nothing.
fn filled_in(text: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        match after.split_once('}') {
            Some((name, after)) => {
                filled.push_str(&variable(name).unwrap_or_default());
                rest = after;
            }
            None => {
                filled.push_str("${");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_a_text_are_found() {
        assert_eq!(named_in("Bearer ${A}, ${B} $C ${open"), ["A", "B"]);
    }

    #[test]
    fn variables_are_put_in_and_everything_else_stays() {
        let variable = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
        for (text, expected) in [
            ("Bearer ${TOKEN}", "Bearer secret"),
            ("${TOKEN}${TOKEN}", "secretsecret"),
            ("a${NOT_SET}b", "ab"),
            ("$TOKEN $5 {x}", "$TOKEN $5 {x}"),
            ("a ${open", "a ${open"),
        ] {
            assert_eq!(filled_in(text, variable), expected);
        }
    }
}

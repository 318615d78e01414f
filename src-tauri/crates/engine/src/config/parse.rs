//! From text to a configuration, with errors that name the file, the place and the way out.

use super::invalid::invalid;
use super::place::KeyPath;
use super::schema::{rule_schema, schema};
use super::{ConfigFile, agents};
use arki_domain::{Code, Fault};
use arki_tools::policy::RuleDefinition;
use serde_json::Value;
use std::path::Path;

/// Reads one file's text.
///
/// # Errors
/// `CONFIG_UNKNOWN_KEY` with the nearest known key, or `CONFIG_INVALID`.
pub(crate) fn parse(text: &str, file: &Path) -> Result<ConfigFile, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| invalid(file, &error.to_string()))?;
    let value = match value {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(_) => value,
        _ => return Err(invalid(file, "it is not an object in braces")),
    };
    if let Some(unknown) = unknown_key(&value, &schema(), &KeyPath::default()) {
        return Err(unknown.fault(file, text));
    }
    let config: ConfigFile = serde_path_to_error::deserialize(value).map_err(|error| {
        let place = KeyPath::from(error.path()).in_text(text);
        let colon = if place.is_empty() { "" } else { ": " };
        invalid(file, &format!("{place}{colon}{}", error.inner()))
    })?;
    match config.agents.keys().find(|name| !agents::is_name(name)) {
        Some(name) => Err(invalid(file, &no_agent_name(name, text))),
        None => Ok(config),
    }
}

fn no_agent_name(name: &str, text: &str) -> String {
    let place = KeyPath::default().then("agents").then(name).in_text(text);
    format!(
        "{place}: an agent's name is up to 32 lower-case letters, digits, \"-\" and \"_\", the first a letter or digit"
    )
}

/// One rule by itself, as it would stand in `policy.rules`.
///
/// # Errors
/// As of [`parse`].
pub(crate) fn parse_rule(text: &str, file: &Path) -> Result<RuleDefinition, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| invalid(file, &error.to_string()))?;
    if let Some(unknown) = unknown_key(&value, &rule_schema(), &KeyPath::default()) {
        return Err(unknown.fault(file, text));
    }
    serde_json::from_value(value).map_err(|error| invalid(file, &error.to_string()))
}

struct UnknownKey {
    path: KeyPath,
    nearest: Option<String>,
}

impl UnknownKey {
    fn fault(&self, file: &Path, text: &str) -> Fault {
        let hint = match &self.nearest {
            Some(nearest) => format!("Did you mean \"{nearest}\"?"),
            None => "Remove it.".to_owned(),
        };
        let message = format!("{} has an unknown key {}.", file.display(), self.path.in_text(text));
        Fault::new(Code::CONFIG_UNKNOWN_KEY, message, hint)
    }
}

/// The first key that the schema does not know.
fn unknown_key(value: &Value, schema: &Value, place: &KeyPath) -> Option<UnknownKey> {
    let schema = unless_null(schema);
    match value {
        Value::Object(map) => map.iter().find_map(|(key, item)| unknown_in_object(key, item, schema, place)),
        Value::Array(items) => {
            let each = schema.get("items")?;
            items.iter().enumerate().find_map(|(index, item)| unknown_key(item, each, &place.at(index)))
        }
        _ => None,
    }
}

/// Of what may be left out, the schema of what is there.
fn unless_null(schema: &Value) -> &Value {
    let alternatives = schema.get("anyOf").and_then(Value::as_array);
    alternatives.and_then(|all| all.iter().find(|one| one["type"] != "null")).unwrap_or(schema)
}

fn unknown_in_object(key: &str, item: &Value, schema: &Value, place: &KeyPath) -> Option<UnknownKey> {
    let path = place.then(key);
    let known = schema.get("properties").and_then(Value::as_object);
    match (known.and_then(|known| known.get(key)), schema.get("additionalProperties")) {
        (Some(schema), _) | (None, Some(schema @ Value::Object(_))) => unknown_key(item, schema, &path),
        (None, Some(Value::Bool(false))) => {
            let nearest = known?.keys().min_by_key(|candidate| strsim::damerau_levenshtein(candidate, key));
            Some(UnknownKey { path, nearest: nearest.cloned() })
        }
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::USER_TEMPLATE;

    fn fault(text: &str) -> Fault {
        parse(text, Path::new("config.json")).unwrap_err()
    }

    #[test]
    fn the_template_is_valid() {
        let config = parse(USER_TEMPLATE, Path::new("config.json")).unwrap();
        assert_eq!(config.agents["arki"].model.as_deref(), Some("demo/demo"));
    }

    #[test]
    fn an_unknown_key_is_named_with_the_nearest_known_one() {
        let fault = fault(r#"{"providers": {"x": {"kind": "custom", "baseURL": "http://x"}}}"#);
        assert_eq!(fault.code, "CONFIG_UNKNOWN_KEY");
        assert!(fault.message.contains("\"providers.x.baseURL\" (line 1, column 40)"), "{}", fault.message);
        assert_eq!(fault.hint, "Did you mean \"baseUrl\"?");
    }

    #[test]
    fn unknown_keys_are_named_in_lists_and_wherever_only_some_names_are_keys() {
        let rule = fault(r#"{"policy": {"rules": [{"decision": "deny", "tol": "run_command"}]}}"#);
        assert!(rule.is(Code::CONFIG_UNKNOWN_KEY), "{rule:?}");
        assert!(rule.message.contains("\"policy.rules[0].tol\" (line 1, column 44)"), "{}", rule.message);
        assert_eq!(rule.hint, "Did you mean \"tool\"?");
        let category = fault(r#"{"policy": {"categories": {"reed": "allow"}}}"#);
        assert!(category.is(Code::CONFIG_UNKNOWN_KEY), "{category:?}");
        assert_eq!(category.hint, "Did you mean \"read\"?");
        let server = fault(r#"{"mcpServers": {"x": {"url": "https://x", "oauth": {"clientID": "y"}}}}"#);
        assert_eq!((server.code, server.hint.as_str()), ("CONFIG_UNKNOWN_KEY".into(), "Did you mean \"clientId\"?"));
    }

    #[test]
    fn broken_json_and_wrong_types_say_where() {
        assert!(fault("{\"agents\": ").is(Code::CONFIG_INVALID));
        let wrong = fault("{\n  \"limits\": {\"maxTurns\": \"many\"}}");
        assert!(wrong.is(Code::CONFIG_INVALID));
        assert!(wrong.message.contains("\"limits.maxTurns\" (line 2, column 14): invalid type"), "{}", wrong.message);
        assert!(fault("{\n  oops").message.contains("line 2"));
        let missing = fault(r#"{"policy": {"rules": [{"decision": "deny"}, {"reason": "?"}]}}"#).message;
        assert!(missing.contains("\"policy.rules[1]\" (line 1, column 45)"), "{missing}");
        assert!(fault("[]").is(Code::CONFIG_INVALID));
        assert!(fault(r#"{"providers": {"x": {"kind": "nonsense"}}}"#).message.contains("nonsense"));
    }

    #[test]
    fn a_price_names_both_directions_and_is_not_negative() {
        let with = |price: &str| {
            format!(r#"{{"providers": {{"x": {{"kind": "openai", "models": {{"m": {{"price": {price}}}}}}}}}}}"#)
        };
        assert!(parse(&with(r#"{"input": 0, "output": 0}"#), Path::new("c")).is_ok());
        for price in [
            r#"{"input": 1}"#,
            r#"{"input": -1, "output": 1}"#,
            r#"{"input": 1, "output": 1, "cachedInput": -0.5}"#,
            r#"{"input": "1", "output": 1}"#,
        ] {
            assert!(fault(&with(price)).is(Code::CONFIG_INVALID), "{price}");
        }
        let fault = fault(&with(r#"{"input": 1, "output": 1, "cachedinput": 1}"#));
        assert_eq!((fault.code, fault.hint.as_str()), ("CONFIG_UNKNOWN_KEY".into(), "Did you mean \"cachedInput\"?"));
    }

    #[test]
    fn a_limit_that_nothing_passes_is_an_error_with_its_place() {
        for (json, key) in [
            (r#"{"providers": {"x": {"kind": "openai", "maxParallel": 0}}}"#, "providers.x.maxParallel"),
            (
                r#"{"providers": {"x": {"kind": "openai", "models": {"m": {"contextWindow": 0}}}}}"#,
                "providers.x.models.m.contextWindow",
            ),
            (r#"{"agents": {"arki": {"maxCompletionTokens": 0}}}"#, "agents.arki.maxCompletionTokens"),
            (r#"{"limits": {"maxCostUsd": -1}}"#, "limits.maxCostUsd"),
        ] {
            let wrong = fault(json);
            assert!(wrong.is(Code::CONFIG_INVALID) && wrong.message.contains(key), "{wrong:?}");
        }
        let none = r#"{"agents": {"arki": {"maxCompletionTokens": null}}, "limits": {"maxCostUsd": 0}}"#;
        assert!(parse(none, Path::new("c")).is_ok());
    }

    #[test]
    fn an_empty_file_is_an_empty_configuration() {
        assert!(parse("", Path::new("c")).unwrap().providers.is_empty());
        assert!(parse("// nothing\n", Path::new("c")).unwrap().providers.is_empty());
    }
}

//! Parses a configuration, with errors that name the file, the place and the way out.

use super::invalid::invalid;
use super::place::KeyPath;
use super::schema::{rule_schema, schema, unless_null};
use super::{ConfigFile, agents};
use arki_domain::{Category, Code, Decision, Error};
use arki_policy::RuleDefinition;
use serde_json::Value;
use std::path::Path;

/// Reads one file's text.
///
/// # Errors
/// `CONFIG_UNKNOWN_KEY` with the nearest known key, or `CONFIG_INVALID`.
pub fn parse(text: &str, file: &Path) -> Result<ConfigFile, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| invalid(file, &broken(text, &error)))?;
    if let Some(twice) = repeated_key(text) {
        return Err(invalid(file, &format!("{} is set twice", twice.in_text(text))));
    }
    let value = match value {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(_) => value,
        _ => return Err(invalid(file, "it is not an object in braces")),
    };
    if let Some(unknown) = unknown_key(&value, schema(), &KeyPath::default()) {
        return Err(unknown.fault(file, text));
    }
    if let Some(place) = list_for_object(&value, schema(), &KeyPath::default()) {
        return Err(invalid(file, &format!("{}: must be an object, not a list", place.in_text(text))));
    }
    let config: ConfigFile = serde_path_to_error::deserialize(value).map_err(|error| {
        let place = KeyPath::from(error.path()).in_text(text);
        let colon = if place.is_empty() { "" } else { ": " };
        invalid(file, &format!("{place}{colon}{}", in_words(&error.inner().to_string())))
    })?;
    if let Some(category) = reviewed_category(&config) {
        let place = KeyPath::default().then("policy").then("categories").then(category).in_text(text);
        let hint = "Use one of: allow, preview, approval, deny.".to_owned();
        return Err(Error { hint, ..invalid(file, &format!("{place}: only \"exec\" can be \"review\"")) });
    }
    match config.agents.keys().find(|name| !agents::is_name(name)) {
        Some(name) => Err(invalid(file, &no_agent_name(name, text))),
        None => Ok(config),
    }
}

/// The file's bytes as text.
///
/// # Errors
/// `CONFIG_INVALID` with the place of the first byte that is none.
pub fn text_of<'a>(bytes: &'a [u8], file: &Path) -> Result<&'a str, Error> {
    let bad = match std::str::from_utf8(bytes) {
        Ok(text) => match text.find('\0') {
            None => return Ok(text),
            Some(zero) => zero,
        },
        Err(error) => error.valid_up_to(),
    };
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || zeros > bytes.len() / 4;
    let encoding = if utf_16 { "; it looks like UTF-16" } else { "" };
    let what = format!("0x{:02X} at {} is not UTF-8 text{encoding}", bytes[bad], place(bytes, bad));
    Err(Error { hint: "Save it as UTF-8; `arki doctor` checks it again.".to_owned(), ..invalid(file, &what) })
}

/// Counted from 0 in bytes, from 1 in lines.
fn place(bytes: &[u8], byte: usize) -> String {
    let line = bytes[..byte].iter().filter(|byte| **byte == b'\n').count() + 1;
    format!("byte {byte} (line {line})")
}

/// The reason in plain words, without the names of our types.
pub(crate) fn in_words(reason: &str) -> String {
    const WORDS: [(&str, &str); 9] = [
        ("expected a string", "expected a text in double quotes"),
        ("expected u16", "expected a whole number"),
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected usize", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a sequence", "expected a list"),
        ("expected a boolean", "expected true or false"),
        ("unknown variant", "unknown word"),
    ];
    let reason = match reason.split_once("expected struct ") {
        Some((before, name)) => {
            let rest = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            format!("{before}expected an object{rest}")
        }
        None => reason.to_owned(),
    };
    let reason = WORDS.iter().fold(reason, |reason, (name, words)| reason.replace(name, words));
    if let Some(field) = reason.strip_prefix("missing field ") {
        return format!("{field} is missing");
    }
    misfit(&reason).unwrap_or_else(|| reason.trim_end_matches('.').to_owned())
}

/// Says what a value must be, where the reason is that it is something else.
fn misfit(reason: &str) -> Option<String> {
    const KINDS: [&str; 4] = ["string ", "integer ", "floating point ", "boolean "];
    let is_range = reason.starts_with("invalid value: ");
    let told = reason.strip_prefix("invalid type: ").or_else(|| reason.strip_prefix("invalid value: "))?;
    let (found, wanted) = told.split_once(", expected ")?;
    let found = KINDS.iter().find_map(|kind| found.strip_prefix(kind)).unwrap_or(match found {
        "sequence" => "a list",
        "map" => "an object",
        other => other,
    });
    let found = found.trim_matches('`');
    Some(match is_range && wanted == "a whole number" {
        true if found.starts_with('-') => format!("can't be negative, as {found} is"),
        true => format!("{found} is too large"),
        false => format!("must be {wanted}, not {found}"),
    })
}

/// Returns what is wrong with it as JSON, and where.
fn broken(text: &str, error: &jsonc_parser::errors::ParseError) -> String {
    let byte = error.range().start.min(text.len());
    let what = error.kind().to_string();
    let (line, column) = (error.line_display(), error.column_display());
    format!("{what} at byte {byte} (line {line}, column {column})")
}

/// A key that an object has twice: whichever counts, the other is ignored, and may be the one that forbids.
fn repeated_key(text: &str) -> Option<KeyPath> {
    let file = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default()).ok()?;
    repeated_in(file.value.as_ref()?, &KeyPath::default())
}

fn repeated_in(value: &jsonc_parser::ast::Value<'_>, place: &KeyPath) -> Option<KeyPath> {
    use jsonc_parser::ast::Value;
    match value {
        Value::Object(object) => {
            let mut seen = std::collections::HashSet::new();
            object.properties.iter().find_map(|property| {
                let path = place.then(property.name.as_str());
                if seen.insert(property.name.as_str()) { repeated_in(&property.value, &path) } else { Some(path) }
            })
        }
        Value::Array(array) => {
            array.elements.iter().enumerate().find_map(|(index, item)| repeated_in(item, &place.at(index)))
        }
        Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => None,
    }
}

fn no_agent_name(name: &str, text: &str) -> String {
    let place = KeyPath::default().then("agents").then(name).in_text(text);
    format!(
        "{place}: an agent's name has up to 32 lower-case letters, digits, \"-\" and \"_\", the first a letter or digit"
    )
}

/// A category that can't have its changes reviewed afterwards, and says so.
fn reviewed_category(config: &ConfigFile) -> Option<&'static str> {
    let is_reviewed =
        |(category, _): &(Category, &str)| config.policy.categories.get(category) == Some(&Decision::Review);
    let others = [(Category::Read, "read"), (Category::Write, "write"), (Category::Network, "network")];
    others.into_iter().find(is_reviewed).map(|(_, name)| name)
}

/// One rule by itself, as it would stand in `policy.rules`.
///
/// # Errors
/// As of [`parse`].
pub fn parse_rule(text: &str, file: &Path) -> Result<RuleDefinition, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| invalid(file, &broken(text, &error)))?;
    if !value.is_object() {
        return Err(invalid(file, "it is not one rule in braces"));
    }
    if let Some(unknown) = unknown_key(&value, rule_schema(), &KeyPath::default()) {
        return Err(unknown.fault(file, text));
    }
    serde_json::from_value(value).map_err(|error| invalid(file, &in_words(&error.to_string())))
}

struct UnknownKey {
    path: KeyPath,
    key: String,
    /// The known keys at that place, the nearest first.
    known: Vec<String>,
}

impl UnknownKey {
    fn fault(&self, file: &Path, text: &str) -> Error {
        let message = format!("{} has an unknown key {}.", file.display(), self.path.in_text(text));
        Error::new(Code::CONFIG_UNKNOWN_KEY, message, self.hint())
    }

    fn hint(&self) -> String {
        match self.known.as_slice() {
            [] => "Remove it.".to_owned(),
            [nearest, ..] if distance(nearest, &self.key) * 2 <= self.key.chars().count() => {
                format!("Did you mean \"{nearest}\"?")
            }
            [nearest, ..] => {
                format!("Did you mean \"{nearest}\"? Possible keys: {}.", self.known.join(", "))
            }
        }
    }
}

/// Checks that all keys down to a value, and those in it, are known, whatever the file that it is for holds.
///
/// # Errors
/// `CONFIG_UNKNOWN_KEY` with the nearest known key.
pub fn ensure_known(path: &[String], value: &Value) -> Result<(), Error> {
    let nested = path.iter().rev().fold(value.clone(), |value, name| serde_json::json!({ name: value }));
    let unknown = unknown_key(&nested, schema(), &KeyPath::default());
    unknown.map_or(Ok(()), |unknown| {
        let message = format!("The configuration has no key \"{}\".", unknown.path);
        Err(Error::new(Code::CONFIG_UNKNOWN_KEY, message, unknown.hint()))
    })
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

fn distance(known: &str, key: &str) -> usize {
    strsim::damerau_levenshtein(known, key)
}

fn unknown_in_object(key: &str, item: &Value, schema: &Value, place: &KeyPath) -> Option<UnknownKey> {
    let path = place.then(key);
    let known = schema.get("properties").and_then(Value::as_object);
    match (known.and_then(|known| known.get(key)), schema.get("additionalProperties")) {
        (Some(schema), _) | (None, Some(schema @ Value::Object(_))) => unknown_key(item, schema, &path),
        (None, Some(Value::Bool(false))) => {
            let mut known: Vec<String> = known?.keys().cloned().collect();
            known.sort_by_key(|candidate| distance(candidate, key));
            Some(UnknownKey { path, key: key.to_owned(), known })
        }
        (None, _) => None,
    }
}

/// A list in an object's place, which would be read as its fields in their order.
fn list_for_object(value: &Value, schema: &Value, place: &KeyPath) -> Option<KeyPath> {
    let schema = unless_null(schema);
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    match value {
        Value::Array(_) if is_object => Some(place.clone()),
        Value::Array(items) => {
            let each = schema.get("items")?;
            items.iter().enumerate().find_map(|(index, item)| list_for_object(item, each, &place.at(index)))
        }
        Value::Object(map) => map.iter().find_map(|(key, item)| {
            let known = schema.get("properties").and_then(|known| known.get(key));
            list_for_object(item, known.or_else(|| schema.get("additionalProperties"))?, &place.then(key))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::USER_TEMPLATE;

    fn fault(text: &str) -> Error {
        parse(text, Path::new("config.json")).unwrap_err()
    }

    #[test]
    fn the_template_is_valid() {
        let config = parse(USER_TEMPLATE, Path::new("config.json")).unwrap();
        assert_eq!(config.agents["arki"].model.as_deref(), Some("demo/demo"));
    }

    #[test]
    fn an_unknown_core_is_refused_with_the_names_that_there_are() {
        assert!(parse(r#"{"agents": {"a": {"core": "tool-loop"}}}"#, Path::new("config.json")).is_ok());
        let fault = fault(r#"{"agents": {"a": {"core": "magic"}}}"#);
        assert!(fault.is(Code::CONFIG_INVALID) && fault.message.contains("Use one of: tool-loop, pes."), "{fault:?}");
    }

    #[test]
    fn an_unknown_key_is_named_with_the_nearest_known_one() {
        let fault = fault(r#"{"providers": {"x": {"kind": "custom", "baseURL": "http://x"}}}"#);
        assert_eq!(fault.code, "CONFIG_UNKNOWN_KEY");
        assert!(fault.message.contains("\"providers.x.baseURL\" (line 1, column 40)"), "{}", fault.message);
        assert_eq!(fault.hint, "Did you mean \"baseUrl\"?");
        let far = self::fault(r#"{ "defaultModel": "openai/gpt-5.1" }"#).hint;
        assert!(far.contains("Possible keys: ") && far.contains(", agents"), "{far}");
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
    fn only_commands_can_be_reviewed_afterwards() {
        let with = |category: &str| format!(r#"{{"policy": {{"categories": {{"{category}": "review"}}}}}}"#);
        let config = parse(&with("exec"), Path::new("config.json")).unwrap();
        assert_eq!(config.policy.categories[&Category::Exec], Decision::Review);
        for category in ["read", "write", "network"] {
            let fault = fault(&with(category));
            assert!(fault.is(Code::CONFIG_INVALID) && fault.message.contains("only \"exec\" can be"), "{fault:?}");
            assert!(fault.message.contains(&format!("policy.categories.{category}")), "{fault:?}");
            assert_eq!(fault.hint, "Use one of: allow, preview, approval, deny.");
        }
    }

    #[test]
    fn broken_json_and_wrong_types_say_where() {
        assert!(fault("{\"agents\": ").is(Code::CONFIG_INVALID));
        let wrong = fault("{\n  \"limits\": {\"maxTurns\": \"many\"}}");
        assert!(wrong.is(Code::CONFIG_INVALID));
        assert!(
            wrong.message.contains("\"limits.maxTurns\" (line 2, column 14): must be a whole number, not \"many\""),
            "{}",
            wrong.message
        );
        assert!(fault("{\n  oops").message.contains("line 2"));
        for (text, words) in [
            (r#"{"limits": 5}"#, "must be an object, not 5"),
            (r#"{"limits": []}"#, "\"limits\" (line 1, column 2): must be an object, not a list"),
            (r#"{"hooks": {"Stop": [["x"]]}}"#, "must be an object, not a list"),
            (r#"{"providers": {"a": ["custom"]}}"#, "must be an object, not a list"),
            (r#"{"limits": {"maxTurns": -1}}"#, "can't be negative, as -1 is"),
            (r#"{"limits": {"maxTurns": 99999999999}}"#, "99999999999 is too large"),
            (r#"{"limits": {"maxTurns": 1e99}}"#, "must be a whole number, not 1e+99"),
            (r#"{"hooks": {"Stop": [{"command": true}]}}"#, "must be a text in double quotes, not true"),
            (r#"{"skills": {"enabled": {}}}"#, "must be true or false, not an object"),
            (r#"{"providers": {"a": {}}}"#, "`kind` is missing"),
            (r#"{"compaction": {"strategy": "foo"}}"#, "unknown word `foo`"),
        ] {
            assert!(fault(text).message.contains(words), "{}", fault(text).message);
        }
        let missing = fault(r#"{"policy": {"rules": [{"decision": "deny"}, {"reason": "?"}]}}"#).message;
        assert!(missing.contains("\"policy.rules[1]\" (line 1, column 45)"), "{missing}");
        assert!(fault("[]").is(Code::CONFIG_INVALID));
        let core = fault(r#"{"agents": {"arki": {"core": "zz"}}}"#).message;
        assert!(core.ends_with("pes.") && !core.ends_with(".."), "{core}");
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
            (r#"{"limits": {"maxTurns": 0}}"#, "limits.maxTurns"),
            (r#"{"limits": {"maxSeconds": 0}}"#, "limits.maxSeconds"),
            (r#"{"limits": {"maxAnswerSeconds": 0}}"#, "limits.maxAnswerSeconds"),
            (r#"{"limits": {"toolTimeoutSeconds": 0}}"#, "limits.toolTimeoutSeconds"),
            (r#"{"limits": {"maxToolOutputBytes": 0}}"#, "limits.maxToolOutputBytes"),
            (r#"{"limits": {"maxCommandProcesses": 0}}"#, "limits.maxCommandProcesses"),
        ] {
            let wrong = fault(json);
            assert!(wrong.is(Code::CONFIG_INVALID) && wrong.message.contains(key), "{wrong:?}");
        }
        let none = r#"{"agents": {"arki": {"maxCompletionTokens": null}}, "limits": {"maxCostUsd": 0}}"#;
        assert!(parse(none, Path::new("c")).is_ok());
    }

    #[test]
    fn what_is_no_text_is_named_with_its_first_byte() {
        let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        for (bytes, place) in [
            (b"{\n// caf\xe9\n}".to_vec(), "0xE9 at byte 8 (line 2)"),
            (utf_16("{}"), "0x00 at byte 1 (line 1) is not UTF-8 text; it looks like UTF-16"),
            (
                [vec![0xff, 0xfe], utf_16("{}")].concat(),
                "0xFF at byte 0 (line 1) is not UTF-8 text; it looks like UTF-16",
            ),
            (b"{} //\0".to_vec(), "0x00 at byte 5"),
            (b"{ // \xc3".to_vec(), "0xC3 at byte 5"),
        ] {
            let fault = text_of(&bytes, Path::new("c")).unwrap_err();
            assert!(fault.is(Code::CONFIG_INVALID) && fault.message.contains(place), "{}", fault.message);
        }
        assert_eq!(text_of("\u{feff}{\"ä\": 1}".as_bytes(), Path::new("c")).unwrap(), "\u{feff}{\"ä\": 1}");
    }

    #[test]
    fn a_key_that_stands_there_twice_is_an_error() {
        let twice = fault(r#"{"policy": {"rules": []}, "limits": {"maxTurns": 1, "maxTurns": 2}}"#);
        assert!(twice.message.contains("\"limits.maxTurns\" (line 1"), "{}", twice.message);
        let nested = r#"{"policy": {"rules": [{"decision": "deny", "tool": "x", "\u0074ool": "y"}]}}"#;
        assert!(fault(nested).message.contains("\"policy.rules[0].tool\""));
        assert!(fault("{\n  \"policy\": {").message.contains("at byte"));
    }

    #[test]
    fn an_empty_file_is_an_empty_configuration() {
        assert!(parse("", Path::new("c")).unwrap().providers.is_empty());
        assert!(parse("// nothing\n", Path::new("c")).unwrap().providers.is_empty());
    }
}

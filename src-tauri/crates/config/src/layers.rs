//! The merged configuration as people read it: every value, and the file it came from.

use serde::Serialize;
use serde_json::{Map, Value};

/// The settings where no file says otherwise.
const DEFAULTS: &str = include_str!("defaults.json");
pub const DEFAULT_ORIGIN: &str = "default";
/// Lists to which each file adds, as to those of hooks. Any other list is replaced.
const ADDED_TO: [&str; 3] = ["diagnostics.commands", "policy.rules", "policy.secretFiles"];
const HOOKS: &str = "hooks.";
/// The key for editors; it says nothing about how Arki works.
const SCHEMA_KEY: &str = "$schema";

/// One value of the merged configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigValue {
    /// The key from the outermost braces, such as `limits.maxTurns` or `policy.rules[0]`.
    pub key: String,
    pub value: Value,
    /// The file that says so, or `default`.
    pub origin: String,
}

/// The configuration that holds in a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownConfig {
    /// One document, as a file could have it.
    pub merged: Value,
    /// The values in the document's order.
    pub values: Vec<ConfigValue>,
}

/// Lays files over the defaults, each over those before it.
///
/// # Errors
/// When a text is not JSON with comments.
pub fn shown(files: &[(String, &str)]) -> Result<ShownConfig, String> {
    let mut layers = vec![(DEFAULT_ORIGIN.to_owned(), DEFAULTS)];
    layers.extend(files.iter().map(|(origin, text)| (origin.clone(), *text)));
    let mut tree = OriginTree::Object(Vec::new());
    for (origin, text) in layers {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value =
            jsonc_parser::parse_to_serde_value(text, &Default::default()).map_err(|error| error.to_string())?;
        tree.lay(value, &origin, "");
    }
    let mut values = Vec::new();
    tree.list("", &mut values);
    Ok(ShownConfig { merged: tree.value(), values })
}

/// A document whose leaves know where they came from.
enum OriginTree {
    Object(Vec<(String, OriginTree)>),
    List(Vec<OriginTree>),
    Leaf { value: Value, origin: String },
}

impl OriginTree {
    fn new(value: Value, origin: &str, key: &str) -> Self {
        match value {
            Value::Object(map) if !map.is_empty() => {
                let mut tree = Self::Object(Vec::new());
                tree.lay(Value::Object(map), origin, key);
                tree
            }
            Value::Array(items) if is_added_to(key) && !items.is_empty() => {
                Self::List(items.into_iter().map(|value| Self::leaf(value, origin)).collect())
            }
            value => Self::leaf(value, origin),
        }
    }

    fn leaf(value: Value, origin: &str) -> Self {
        Self::Leaf { value, origin: origin.to_owned() }
    }

    fn lay(&mut self, value: Value, origin: &str, key: &str) {
        match (self, value) {
            (Self::Object(entries), Value::Object(map)) => {
                for (name, value) in map.into_iter().filter(|(name, _)| name != SCHEMA_KEY) {
                    let place = joined(key, &name);
                    match entries.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, entry)) => entry.lay(value, origin, &place),
                        None => entries.push((name, Self::new(value, origin, &place))),
                    }
                }
            }
            (Self::List(known), Value::Array(items)) => {
                known.extend(items.into_iter().map(|value| Self::leaf(value, origin)));
            }
            // An empty object or list says nothing.
            (Self::Object(_), Value::Null) => {}
            (tree @ Self::Leaf { .. }, Value::Object(map)) if map.is_empty() && tree.is_empty() => {}
            (tree, value) => *tree = Self::new(value, origin, key),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Leaf { value: Value::Object(map), .. } if map.is_empty())
    }

    fn list(&self, key: &str, values: &mut Vec<ConfigValue>) {
        match self {
            Self::Object(entries) => entries.iter().for_each(|(name, entry)| entry.list(&joined(key, name), values)),
            Self::List(items) => {
                items.iter().enumerate().for_each(|(index, item)| item.list(&format!("{key}[{index}]"), values));
            }
            Self::Leaf { value, origin } => {
                values.push(ConfigValue { key: key.to_owned(), value: value.clone(), origin: origin.clone() });
            }
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Object(entries) => {
                Value::Object(entries.iter().map(|(name, entry)| (name.clone(), entry.value())).collect::<Map<_, _>>())
            }
            Self::List(items) => Value::Array(items.iter().map(Self::value).collect()),
            Self::Leaf { value, .. } => value.clone(),
        }
    }
}

/// Returns whether each file adds to the list at a key, instead of replacing it.
pub fn is_added_to(key: &str) -> bool {
    ADDED_TO.contains(&key) || key.starts_with(HOOKS)
}

/// The key of something in the object at `key`.
pub fn joined(key: &str, name: &str) -> String {
    let name = match name.contains(['.', '"', '[', '\\']) {
        true => Value::String(name.to_owned()).to_string(),
        false => name.to_owned(),
    };
    if key.is_empty() { name } else { format!("{key}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AGENT, Config, parse};
    use serde_json::json;
    use std::path::Path;

    fn layered(user: &str, project: &str) -> ShownConfig {
        shown(&[("user".to_owned(), user), ("project".to_owned(), project)]).unwrap()
    }

    fn of<'a>(shown: &'a ShownConfig, key: &str) -> (&'a Value, &'a str) {
        let found = shown.values.iter().find(|value| value.key == key).unwrap();
        (&found.value, &found.origin)
    }

    #[test]
    fn each_value_names_the_last_file_that_sets_it() {
        let shown = layered(
            r#"{ // mine
                "limits": {"maxTurns": 9}, "providers": {"a.b": {"kind": "openai"}}}"#,
            r#"{"limits": {"maxTurns": 5}, "agents": {"arki": {"model": "a.b/x"}}}"#,
        );
        assert_eq!(of(&shown, "limits.maxTurns"), (&json!(5), "project"));
        assert_eq!(of(&shown, "agents.arki.model"), (&json!("a.b/x"), "project"));
        assert_eq!(of(&shown, "agents.arki.core"), (&json!("tool-loop"), "default"));
        assert_eq!(of(&shown, "providers.\"a.b\".kind"), (&json!("openai"), "user"));
        assert_eq!(shown.merged["limits"]["maxTurns"], 5);
    }

    #[test]
    fn rules_of_all_files_hold() {
        let rule = |tool: &str| format!(r#"{{"policy": {{"rules": [{{"decision": "deny", "tool": "{tool}"}}]}}}}"#);
        let shown = layered(&rule("x"), &rule("y"));
        assert_eq!(of(&shown, "policy.rules[0]"), (&json!({"decision": "deny", "tool": "x"}), "user"));
        assert_eq!(of(&shown, "policy.rules[1]").1, "project");
    }

    #[test]
    fn hooks_of_all_files_run() {
        let hook = |command: &str| format!(r#"{{"hooks": {{"Stop": [{{"command": "{command}"}}]}}}}"#);
        let shown = layered(&hook("a"), &hook("b"));
        assert_eq!(of(&shown, "hooks.Stop[0]"), (&json!({"command": "a"}), "user"));
        assert_eq!(of(&shown, "hooks.Stop[1]"), (&json!({"command": "b"}), "project"));
    }

    #[test]
    fn checkers_of_all_files_run() {
        let checks = |command: &str| format!(r#"{{"diagnostics": {{"commands": ["{command}"]}}}}"#);
        let shown = layered(&checks("cargo check"), &checks("tsc"));
        assert_eq!(of(&shown, "diagnostics.commands[0]"), (&json!("cargo check"), "user"));
        assert_eq!(of(&shown, "diagnostics.commands[1]"), (&json!("tsc"), "project"));
    }

    #[test]
    fn the_defaults_that_are_shown_are_those_that_hold() {
        let path = Path::new("c");
        let (mut shown, empty) = (parse(DEFAULTS, path).unwrap(), parse("", path).unwrap());
        let agent = shown.agents.remove(AGENT).unwrap();
        let defaults = Config::merge(crate::ReadConfig::of(&empty, path), None).unwrap();
        assert_eq!((agent.model, agent.core), (Some(defaults.model.clone()), Some(defaults.core.clone())));
        let merged = |file| format!("{:?}", Config::merge(crate::ReadConfig::of(file, path), None).unwrap());
        assert_eq!(merged(&shown), merged(&empty));
    }
}

//! The configuration value by value: what each is, which file says so, and how the settings of the window ask for it.

use crate::config::{self, ConfigValue, setting_schema};
use crate::projects::Projects;
use arki_api::{SettingEntry, SettingKind, SettingOrigin};
use arki_domain::Fault;
use serde_json::{Value, json};
use std::path::Path;

/// Below these, values may be secrets.
const HIDDEN_BELOW: [&str; 2] = [".headers.", ".env."];
const HIDDEN: &str = "(hidden)";

impl Projects {
    /// Every value that holds in a folder, or of the user's own configuration where there is none. Blocking.
    ///
    /// # Errors
    /// When a configuration has an error, or the folder can't be read.
    pub fn list_settings(&self, folder: Option<&Path>) -> Result<Vec<SettingEntry>, Fault> {
        let own = self.records.directories().config_file().display().to_string();
        let shown = match folder {
            Some(folder) => self.shown_config(folder)?,
            None => {
                self.accounts.user_config()?;
                let text = self.accounts.user_config_text()?;
                config::shown(&[(own.clone(), text.as_str())]).map_err(Fault::internal)?
            }
        };
        let entry = |value: ConfigValue| {
            let value = ConfigValue { value: self.records.redactor().redact_json(value.value), ..value };
            entry(value, &own)
        };
        Ok(shown.values.into_iter().map(entry).collect())
    }
}

fn entry(ConfigValue { key, value, origin }: ConfigValue, own_file: &str) -> SettingEntry {
    let is_hidden = HIDDEN_BELOW.iter().any(|part| key.contains(part));
    let schema = setting_schema(&key);
    let (kind, choices) = schema.as_ref().map_or((SettingKind::Json, Vec::new()), kind_of);
    let about = schema.as_ref().and_then(|schema| schema["description"].as_str()).unwrap_or_default();
    let (origin, file) = match origin {
        of if of == config::DEFAULT_ORIGIN => (SettingOrigin::Default, None),
        of if of == own_file => (SettingOrigin::User, Some(of)),
        of => (SettingOrigin::Project, Some(of)),
    };
    SettingEntry {
        can_be_set: !is_hidden && !key.ends_with(']'),
        value: if is_hidden { json!(HIDDEN) } else { value },
        about: about.replace('\n', " "),
        key,
        origin,
        file,
        kind,
        choices,
    }
}

/// Returns the kind and the choices of a value, by its types in the schema. `null` beside another type only means that
/// the value may be absent.
fn kind_of(schema: &Value) -> (SettingKind, Vec<String>) {
    let (mut types, mut choices) = (Vec::new(), Vec::new());
    gather(schema, &mut types, &mut choices);
    types.retain(|name| *name != "null");
    types.dedup();
    let kind = match types.as_slice() {
        _ if !choices.is_empty() => SettingKind::Choice,
        ["boolean"] => SettingKind::Switch,
        ["integer" | "number"] => SettingKind::Number,
        ["string"] => SettingKind::Text,
        _ => SettingKind::Json,
    };
    (kind, choices)
}

fn gather<'a>(schema: &'a Value, types: &mut Vec<&'a str>, choices: &mut Vec<String>) {
    match &schema["type"] {
        Value::String(name) => types.push(name),
        Value::Array(names) => types.extend(names.iter().filter_map(Value::as_str)),
        _ => {}
    }
    let words = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    choices.extend(words.filter_map(Value::as_str).map(str::to_owned));
    for key in ["anyOf", "oneOf"] {
        schema[key].as_array().into_iter().flatten().for_each(|schema| gather(schema, types, choices));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(key: &str, value: Value) -> SettingEntry {
        entry(ConfigValue { key: key.to_owned(), value, origin: "/c/config.json".to_owned() }, "/c/config.json")
    }

    #[test]
    fn a_value_is_asked_for_as_its_schema_says() {
        assert_eq!(of("memory.reflect", json!(true)).kind, SettingKind::Switch);
        assert_eq!(of("limits.maxTurns", json!(5)).kind, SettingKind::Number);
        assert_eq!(of("providers.\"a.b\".baseUrl", json!("u")).kind, SettingKind::Text);
        let categories = of("policy.categories.exec", json!("approval"));
        assert_eq!(categories.kind, SettingKind::Choice);
        assert_eq!(categories.choices, ["allow", "preview", "approval", "deny"]);
        assert_eq!(of("agents.arki.reasoningEffort", json!("low")).choices, ["minimal", "low", "medium", "high"]);
        let rule = of("policy.rules[0]", json!({}));
        assert_eq!((rule.kind, rule.can_be_set), (SettingKind::Json, false));
        assert!(of("window.notifications", json!(true)).about.contains("notification"));
    }

    #[test]
    fn what_may_be_a_secret_is_not_told() {
        let header = of("providers.lab.headers.X-Key", json!("sk-1"));
        assert_eq!((header.value, header.can_be_set), (json!(HIDDEN), false));
        assert_eq!(of("mcpServers.s.env.TOKEN", json!("sk-2")).value, json!(HIDDEN));
    }

    #[test]
    fn every_key_of_the_schema_is_listed_before_a_file_sets_it() {
        let shown = config::shown(&[]).unwrap();
        let listed: Vec<&str> = shown.values.iter().map(|value| value.key.as_str()).collect();
        let mut sections = config::schema();
        let agents = sections["properties"]["agents"].take();
        let mut keys = Vec::new();
        keys_below("", &sections, &mut keys);
        keys_below("agents.arki", &agents["additionalProperties"], &mut keys);
        assert!(keys.len() > 40, "only {} were found", keys.len());
        for key in keys.iter().filter(|key| !["$schema", "agents"].contains(&key.as_str())) {
            assert!(listed.contains(&key.as_str()), "{key} is missing in defaults.json");
        }
    }

    fn keys_below(place: &str, schema: &Value, keys: &mut Vec<String>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let key = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            match property["properties"].is_object() {
                true => keys_below(&key, property, keys),
                false => keys.push(key),
            }
        }
    }

    #[test]
    fn every_default_has_a_schema_to_be_asked_for_by() {
        let shown = config::shown(&[]).unwrap();
        for value in shown.values {
            assert!(setting_schema(&value.key).is_some(), "{}", value.key);
        }
    }
}

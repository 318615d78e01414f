//! The configuration value by value, set or not: what each is, which file says so, and how the settings of the window ask
//! for it. The schema says which values there are; the files say which of them are set.

mod defaults;
mod kinds;

use crate::Projects;
use arki_api::{SettingEntry, SettingKind, SettingOrigin, SettingReset};
use arki_config::{ConfigValue, ShownConfig, joined_key, unless_null};
use arki_domain::Error;
use arki_redaction::Redactor;
use kinds::{SchemaFacts, Shape};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The keys below which values may be secrets.
const HIDDEN_BELOW: [&str; 2] = [".headers.", ".env."];
const HIDDEN: &str = "(hidden)";

/// Every value that holds in a folder, or of the user's own configuration where there is none, and those that nothing
/// sets. Blocking.
///
/// # Errors
/// When a configuration has an error, or the folder can't be read.
pub fn list_settings(projects: &Projects, folder: Option<&Path>) -> Result<Vec<SettingEntry>, Error> {
    let own = projects.records.directories().config_file().display().to_string();
    let shown = match folder {
        Some(folder) => projects.shown_config(folder)?,
        None => {
            projects.accounts.user_config()?;
            let text = projects.accounts.user_config_text()?;
            arki_config::shown(&[(own.clone(), text.as_str())]).map_err(Error::internal)?
        }
    };
    Ok(listed(&shown, &own, projects.records.redactor()))
}

fn listed(shown: &ShownConfig, own_file: &str, redactor: &Redactor) -> Vec<SettingEntry> {
    let mut lister = Lister { shown, own_file, redactor, entries: Vec::new() };
    lister.group("", arki_config::schema(), Some(&shown.merged), &Map::new());
    lister.entries
}

/// Walks the schema and the values beside each other.
struct Lister<'a> {
    shown: &'a ShownConfig,
    own_file: &'a str,
    redactor: &'a Redactor,
    entries: Vec<SettingEntry>,
}

impl Lister<'_> {
    /// Lists the values of an object with fixed keys. `defaults` hold where it says nothing.
    fn group(&mut self, place: &str, schema: &Value, value: Option<&Value>, defaults: &Map<String, Value>) {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let mut below: Vec<(String, &str, &Value)> = properties
            .filter(|(name, _)| !(place.is_empty() && *name == "$schema"))
            .map(|(name, schema)| (joined_key(place, name), name.as_str(), schema))
            .collect();
        below.sort_by_key(|(key, ..)| self.rank(key));
        for (key, name, schema) in below {
            let set = value.and_then(|value| value.get(name));
            self.one(&key, schema, set.or_else(|| defaults.get(name)), SettingReset::Restores);
        }
    }

    fn one(&mut self, key: &str, schema: &Value, value: Option<&Value>, reset: SettingReset) {
        let value = value.filter(|value| !value.is_null());
        let asked = SchemaFacts::of(schema);
        match Shape::of(schema) {
            Shape::Group { needs: [] } => self.group(key, unless_null(schema), value, &Map::new()),
            Shape::Group { .. } if value.is_none() => self.push(key, asked, &Value::Null, reset),
            Shape::Group { .. } => {
                self.push(key, SchemaFacts { kind: SettingKind::Group, ..asked }, &Value::Null, reset);
                self.group(key, unless_null(schema), value, &Map::new());
            }
            Shape::Map { entry, usual } => {
                self.push(key, asked, &Value::Null, reset);
                self.map(key, entry, value.and_then(Value::as_object));
                for name in usual.iter().filter(|name| value.is_none_or(|value| value.get(name.as_str()).is_none())) {
                    self.one(&joined_key(key, name), entry, None, SettingReset::Removes);
                }
            }
            Shape::List { item } => {
                self.push(key, asked, value.unwrap_or(&Value::Null), reset);
                // Of a list that nobody wrote, no item can be changed by itself.
                let is_set = self.origin_of(key).0 != SettingOrigin::Default;
                let items = value.filter(|_| is_set).and_then(Value::as_array);
                for (index, value) in items.into_iter().flatten().enumerate() {
                    let key = format!("{key}[{index}]");
                    self.push(&key, SchemaFacts::of(item), value, SettingReset::Removes);
                }
            }
            Shape::Leaf => self.push(key, asked, value.unwrap_or(&Value::Null), reset),
        }
    }

    /// Lists the entries of an object whose keys are names.
    fn map(&mut self, place: &str, schema: &Value, entries: Option<&Map<String, Value>>) {
        let mut below: Vec<(String, &String, &Value)> =
            entries.into_iter().flatten().map(|(name, value)| (joined_key(place, name), name, value)).collect();
        below.sort_by_key(|(key, ..)| self.rank(key));
        for (key, name, value) in below {
            let Shape::Group { .. } = Shape::of(schema) else {
                self.one(&key, schema, Some(value), SettingReset::Removes);
                continue;
            };
            // What is there without any file can't be removed.
            let reset = if name == arki_config::AGENT { SettingReset::Restores } else { SettingReset::Removes };
            self.push(&key, SchemaFacts { kind: SettingKind::Group, ..SchemaFacts::of(schema) }, &Value::Null, reset);
            let defaults = defaults::of_entry(place, name, value, &self.shown.merged);
            self.group(&key, unless_null(schema), Some(value), &defaults);
        }
    }

    fn push(&mut self, key: &str, asked: SchemaFacts, value: &Value, reset: SettingReset) {
        let SchemaFacts { kind, choices, about, item_kind, item_choices, template } = asked;
        let (origin, file) = self.origin_of(key);
        let redacted = self.redactor.redact_json(value.clone());
        let has_secret = redacted != *value;
        let is_hidden = HIDDEN_BELOW.iter().any(|part| key.contains(part)) || (has_secret && kind == SettingKind::Text);
        let kind = if is_hidden { SettingKind::Secret } else { kind };
        let is_added_to = arki_config::is_added_to(key);
        let can_be_set = match kind {
            SettingKind::Group => false,
            SettingKind::Map => true,
            SettingKind::List if is_added_to => true,
            // Whoever saves what is shown would save it without its secret.
            SettingKind::LongText | SettingKind::Json if has_secret => false,
            _ if key.ends_with(']') => origin == SettingOrigin::User,
            _ => origin != SettingOrigin::Project,
        };
        let is_reset = match kind {
            SettingKind::Map => false,
            SettingKind::List => origin == SettingOrigin::User && !is_added_to,
            _ => origin == SettingOrigin::User,
        };
        self.entries.push(SettingEntry {
            key: key.to_owned(),
            value: if is_hidden { json!(HIDDEN) } else { redacted },
            origin,
            file,
            kind,
            choices,
            about,
            can_be_set,
            reset: if is_reset { reset } else { SettingReset::Nothing },
            item_kind,
            item_choices,
            template,
        });
    }

    /// The file that says a value; for what has values below it, the user's file where it says one of them.
    fn origin_of(&self, key: &str) -> (SettingOrigin, Option<String>) {
        let exactly = |key: &str| self.shown.values.iter().find(|value| value.key == key);
        let list = key.rfind('[').filter(|_| key.ends_with(']')).map(|start| &key[..start]);
        if let Some(value) = exactly(key).or_else(|| exactly(list?)) {
            return self.origin(&value.origin);
        }
        let mut below: Vec<_> = self.values_below(key).map(|(_, value)| self.origin(&value.origin)).collect();
        below.sort_by_key(|(origin, _)| match origin {
            SettingOrigin::User => 0,
            SettingOrigin::Project => 1,
            SettingOrigin::Default => 2,
        });
        below.into_iter().next().unwrap_or((SettingOrigin::Default, None))
    }

    fn origin(&self, of: &str) -> (SettingOrigin, Option<String>) {
        match of {
            arki_config::DEFAULT_ORIGIN => (SettingOrigin::Default, None),
            of if of == self.own_file => (SettingOrigin::User, Some(of.to_owned())),
            of => (SettingOrigin::Project, Some(of.to_owned())),
        }
    }

    /// The place of a key in the document; what isn't set comes last.
    fn rank(&self, key: &str) -> usize {
        self.values_below(key).next().map_or(usize::MAX, |(place, _)| place)
    }

    /// The values at a key and below it, with their places in the document.
    fn values_below(&self, key: &str) -> impl Iterator<Item = (usize, &ConfigValue)> {
        let is_below = move |value: &ConfigValue| {
            value.key.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.shown.values.iter().enumerate().filter(move |(_, value)| is_below(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "/c/config.json";

    fn list(own: &str, project: Option<&str>) -> Vec<SettingEntry> {
        let files = [Some((OWN.to_owned(), own)), project.map(|text| ("/p/.arki/config.json".to_owned(), text))];
        let files: Vec<_> = files.into_iter().flatten().collect();
        listed(&arki_config::shown(&files).unwrap(), OWN, &Redactor::default())
    }

    #[track_caller]
    fn at(entries: &[SettingEntry], key: &str) -> SettingEntry {
        entries.iter().find(|entry| entry.key == key).unwrap_or_else(|| panic!("{key} is not listed")).clone()
    }

    #[test]
    fn a_value_is_asked_for_as_its_schema_says() {
        let entries = list(ONE_OF_EACH, None);
        let kind = |key: &str| at(&entries, key).kind;
        assert_eq!(kind("memory.reflect"), SettingKind::Switch);
        assert_eq!(kind("limits.maxTurns"), SettingKind::Number);
        assert_eq!(kind("providers.NAME.baseUrl"), SettingKind::Text);
        assert_eq!(kind("agents.NAME.systemPrompt"), SettingKind::LongText);
        assert_eq!(kind("policy.rules[0]"), SettingKind::Json);
        assert_eq!(at(&entries, "policy.categories.exec").choices, ["allow", "review", "preview", "approval", "deny"]);
        let efforts = ["minimal", "low", "medium", "high"];
        assert_eq!(at(&entries, "agents.arki.reasoningEffort").choices, efforts);
        assert!(at(&entries, "providers.NAME.kind").choices.contains(&"openai-chat".to_owned()));
        let capabilities = at(&entries, "providers.NAME.models.NAME.capabilities");
        assert_eq!((capabilities.kind, capabilities.item_kind), (SettingKind::List, Some(SettingKind::Choice)));
        assert!(at(&entries, "window.notifications").about.contains("notification"));
    }

    #[test]
    fn what_may_be_a_secret_is_not_told_but_can_be_replaced() {
        let entries = list(
            r#"{"providers": {"lab": {"kind": "custom", "headers": {"X-Key": "sk-1"}}},
                "mcpServers": {"s": {"command": "x", "env": {"TOKEN": "sk-2"}}}}"#,
            None,
        );
        for key in ["providers.lab.headers.X-Key", "mcpServers.s.env.TOKEN"] {
            let entry = at(&entries, key);
            assert_eq!((entry.value, entry.kind, entry.can_be_set), (json!(HIDDEN), SettingKind::Secret, true));
        }
        assert!(!serde_json::to_string(&entries).unwrap().contains("sk-"));
    }

    #[test]
    fn what_stands_in_a_list_is_changed_and_removed_one_by_one_but_not_the_projects() {
        let entries = list(
            r#"{"policy": {"secretFiles": ["a", "b"]}, "agents": {"arki": {"tools": ["read_*"]}}}"#,
            Some(r#"{"policy": {"secretFiles": ["c"]}}"#),
        );
        let own = at(&entries, "policy.secretFiles[1]");
        let told = (own.value, own.origin, own.kind, own.can_be_set, own.reset);
        assert_eq!(told, (json!("b"), SettingOrigin::User, SettingKind::Text, true, SettingReset::Removes));
        let projects = at(&entries, "policy.secretFiles[2]");
        assert_eq!((projects.value, projects.origin), (json!("c"), SettingOrigin::Project));
        assert_eq!((projects.can_be_set, projects.reset), (false, SettingReset::Nothing));
        let list = at(&entries, "policy.secretFiles");
        assert_eq!((list.kind, list.can_be_set, list.reset), (SettingKind::List, true, SettingReset::Nothing));
        // All tools again, which no list of tools says.
        assert_eq!(at(&entries, "agents.arki.tools").reset, SettingReset::Restores);
        assert_eq!(at(&entries, "agents.arki.tools[0]").reset, SettingReset::Removes);
    }

    #[test]
    fn an_entry_lists_what_it_leaves_open_with_what_holds_then() {
        let entries = list(
            r#"{"providers": {"o": {"kind": "ollama"}}, "mcpServers": {"s": {"command": "x"}},
                "agents": {"arki": {"model": "o/x"}, "mine": {}, "explorer": {}}}"#,
            None,
        );
        let value = |key: &str| at(&entries, key).value;
        assert_eq!(value("providers.o.isLocal"), json!(true));
        assert_eq!(value("providers.o.baseUrl"), json!("http://127.0.0.1:11434"));
        assert_eq!(value("mcpServers.s.startTimeoutSeconds"), json!(30));
        assert_eq!(value("agents.mine.model"), json!("o/x"));
        assert_eq!(value("agents.mine.tools"), Value::Null);
        assert_eq!(value("agents.explorer.readOnly"), json!(true));
        assert_eq!(at(&entries, "agents.mine.model").origin, SettingOrigin::Default);
        let (mine, arki) = (at(&entries, "agents.mine"), at(&entries, "agents.arki"));
        assert_eq!((mine.kind, mine.reset), (SettingKind::Group, SettingReset::Removes));
        assert_eq!(arki.reset, SettingReset::Restores);
    }

    #[test]
    fn a_missing_price_is_asked_for_as_a_whole() {
        let entries = list(r#"{"providers": {"o": {"kind": "ollama", "models": {"m": {}}}}}"#, None);
        let price = at(&entries, "providers.o.models.m.price");
        assert_eq!((price.kind, price.can_be_set), (SettingKind::Json, true));
        assert_eq!(price.template, json!({"input": 0, "output": 0}));
    }

    /// A file that has one of everything that has a name or a place in a list.
    const ONE_OF_EACH: &str = r#"{
        "agents": {"NAME": {"tools": ["read_*"]}},
        "providers": {"NAME": {"kind": "custom", "headers": {"NAME": "x"},
            "models": {"NAME": {"capabilities": ["text"], "price": {"input": 1, "output": 1}}}}},
        "policy": {"rules": [{"decision": "deny", "tool": "x"}], "secretFiles": ["a"],
            "redactionRules": [{"name": "a", "pattern": "a"}], "fetch": {"allowPrivateHosts": ["a"]}},
        "hooks": {"Stop": [{"command": "true"}]},
        "mcpServers": {"NAME": {"command": "x", "args": ["a"], "env": {"NAME": "x"}, "writable": ["a"],
            "headers": {"NAME": "x"}, "oauth": {"scopes": ["a"]}, "categories": {"NAME": "read"}}},
        "prompts": {"fragments": {"NAME": "x"}},
        "diagnostics": {"commands": ["true"]}
    }"#;

    #[test]
    fn every_key_of_the_schema_is_listed_and_can_be_set_or_added() {
        let entries = list(ONE_OF_EACH, None);
        let mut keys = Vec::new();
        keys_of("", arki_config::schema(), &mut keys);
        assert!(keys.len() > 90, "only {} were found", keys.len());
        let can_be = |key: &str| entries.iter().any(|entry| entry.key == key && entry.can_be_set);
        let missing: Vec<&String> = keys.iter().filter(|key| *key != "$schema" && !can_be(key)).collect();
        assert!(missing.is_empty(), "can't be set in Settings: {missing:#?}");
        let silent: Vec<&str> =
            entries.iter().filter(|entry| is_silent(entry)).map(|entry| entry.key.as_str()).collect();
        assert!(silent.is_empty(), "nothing says what these are for: {silent:#?}");
        let addable = |entry: &&SettingEntry| matches!(entry.kind, SettingKind::List | SettingKind::Map);
        for entry in entries.iter().filter(addable) {
            assert!(entry.item_kind.is_some(), "nothing says how one is added to {}", entry.key);
        }
    }

    /// What stands under a name of its own says by its container what it is.
    fn is_silent(entry: &SettingEntry) -> bool {
        let is_part = entry.key.ends_with(']')
            || entry.kind == SettingKind::Group
            || entry.key.ends_with("NAME")
            || entry.key.starts_with("hooks.");
        entry.about.is_empty() && !is_part && !entry.key.starts_with("policy.categories.")
    }

    /// Every key that the schema knows, with `NAME` where any name may stand and each list's first item.
    fn keys_of(place: &str, schema: &Value, keys: &mut Vec<String>) {
        let schema = arki_config::unless_null(schema);
        let below = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        let is_group = schema["properties"].is_object();
        if !is_group && !place.is_empty() {
            keys.push(place.to_owned());
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            keys_of(&below(name), property, keys);
        }
        if schema["additionalProperties"].is_object() {
            let name = if place == "hooks" { "Stop" } else { "NAME" };
            keys_of(&below(name), &schema["additionalProperties"], keys);
        }
        if schema["items"].is_object() {
            keys.push(format!("{place}[0]"));
        }
    }

    #[test]
    fn every_default_has_a_schema_to_be_asked_for_by() {
        let shown = arki_config::shown(&[]).unwrap();
        for value in shown.values {
            assert!(arki_config::setting_schema(&value.key).is_some(), "{}", value.key);
        }
    }
}

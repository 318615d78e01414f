//! The JSON Schema of a configuration file: its keys, what each takes, and which there are no others of.
//!
//! It comes from the types in `file`. Those of other crates that don't describe themselves have their keys here.

use super::ConfigFile;
use super::key_path::key_path;
use arki_llm::ProviderKind;
use schemars::JsonSchema;
use serde_json::Value;
use std::sync::LazyLock;

/// The schema of a file, made once: every reading of a file goes by it.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings =
        schemars::generate::SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<ConfigFile>().to_value()
});

pub fn schema() -> &'static Value {
    &SCHEMA
}

/// Returns the schema for editors: the template refers to it.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

/// Returns the schema of a value that may be left out.
pub fn unless_null(schema: &Value) -> &Value {
    let alternatives = schema.get("anyOf").and_then(Value::as_array);
    let is_one = |one: &&Value| one["type"] != "null";
    // A list of words that may be left out has `null` among them, as a word of its own.
    alternatives.and_then(|all| all.iter().find(is_one)).unwrap_or(schema)
}

/// The schema of the value at a key, such as `limits.maxTurns`; `None` where no value stands there.
pub fn setting_schema(key: &str) -> Option<Value> {
    let mut at = schema().clone();
    for name in key_path(key).ok()? {
        let (name, is_entry) = match name.split_once('[') {
            Some((list, _)) => (list.to_owned(), true),
            None => (name, false),
        };
        at = match at["properties"][&name].take() {
            Value::Null => at["additionalProperties"].take(),
            property => property,
        };
        if !at.is_object() {
            return None;
        }
        if is_entry {
            at = at["items"].take();
        }
    }
    Some(at)
}

/// Returns the schema of one rule by itself.
pub(crate) fn rule_schema() -> &'static Value {
    &schema()["properties"]["policy"]["properties"]["rules"]["items"]
}

/// A `Decision` on a call.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is read")]
enum DecisionWord {
    Allow,
    Preview,
    Approval,
    Deny,
}

/// A `Decision` on commands.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is read")]
enum CommandDecisionWord {
    Allow,
    Review,
    Preview,
    Approval,
    Deny,
}

/// A `Category`.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is read")]
pub(crate) enum CategoryWord {
    Read,
    Write,
    Exec,
    Network,
}

/// A `Capability`.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is read")]
pub(crate) enum CapabilityWord {
    Text,
    Vision,
    Streaming,
    ToolUse,
    Rag,
    Code,
    Reasoning,
}

/// A text of several lines.
#[derive(JsonSchema)]
#[schemars(extend("contentMediaType" = "text/plain"))]
#[expect(dead_code, reason = "only its schema is read")]
pub(crate) struct LongText(String);

pub(crate) fn provider_kinds() -> Vec<&'static str> {
    ProviderKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// An `EffectsPermission`.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is read")]
enum EffectsWord {
    Allow,
}

/// The keys of `policy.categories`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is read")]
pub(crate) struct CategoryKeys {
    read: Option<DecisionWord>,
    write: Option<DecisionWord>,
    /// `review`: commands run, and their changes are reviewed before they land. Where commands can't work on a view of
    /// the project, it means `approval`.
    exec: Option<CommandDecisionWord>,
    network: Option<DecisionWord>,
}

/// The keys of a `RuleDefinition`.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("examples" = [{ "decision": "deny", "command": ["rm"] }]))]
#[expect(dead_code, reason = "only its schema is read")]
pub(crate) struct RuleKeys {
    decision: DecisionWord,
    tool: Option<String>,
    /// An argv prefix, matched against every simple command of the line.
    command: Option<Vec<String>>,
    /// A glob, relative to the project.
    path: Option<String>,
    /// A host that the call contacts, or that the command may reach; `*.example.org` stands for all hosts below it.
    host: Option<String>,
    /// The only folder in which the rule applies.
    project: Option<String>,
    /// Also allows commands to use the network.
    network: Option<bool>,
    /// Also allows commands to get input from a pipe, a here-document or a file.
    stdin: Option<bool>,
    /// Also lands what the commands change without a review, as far as it isn't sensitive.
    effects: Option<EffectsWord>,
    reason: Option<String>,
    /// Commands that the rule must match; checked when the configuration is loaded.
    r#match: Option<Vec<String>>,
    not_match: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_policy::RuleDefinition;
    use serde_json::json;

    #[test]
    fn the_words_of_a_schema_are_those_that_there_are() {
        let words = |schema: &Value| schema["enum"].as_array().unwrap().clone();
        let model = setting_schema("providers.p.models.m.capabilities[0]").unwrap();
        for word in words(&model) {
            serde_json::from_value::<arki_llm::Capability>(word).unwrap();
        }
        for word in words(&setting_schema("mcpServers.s.categories.t").unwrap()) {
            serde_json::from_value::<arki_domain::Category>(word).unwrap();
        }
        let all = arki_llm::Capability::Reasoning as usize + 1;
        assert_eq!(words(&model).len(), all);
    }

    #[test]
    fn the_keys_of_a_rule_are_those_that_rules_have() {
        let rule = json!({
            "decision": "allow", "tool": "t", "command": ["c"], "path": "p", "host": "h", "project": "/p",
            "network": true, "stdin": true, "effects": "allow", "reason": "r", "match": ["m"], "notMatch": ["n"],
        });
        let read: RuleDefinition = serde_json::from_value(rule.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), rule);
        let schema = rule_schema();
        let keys = schema["properties"].as_object().unwrap();
        assert!(keys.keys().eq(rule.as_object().unwrap().keys()), "{keys:?}");
    }
}

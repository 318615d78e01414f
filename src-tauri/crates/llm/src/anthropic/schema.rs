//! A JSON Schema as structured outputs take it: what the API refuses becomes words for the model. Whoever asked checks
//! the answer against the schema as it was.
//!
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>

use serde_json::{Map, Value, json};

/// Their values are schemas by name.
const NAMED: &[&str] = &["$defs", "definitions", "properties"];
/// Their values are lists of schemas.
const LISTS: &[&str] = &["anyOf", "allOf"];
/// Further keywords that the API supports.
const KEPT: &[&str] = &["$ref", "const", "default", "description", "enum", "format", "required", "title", "type"];

pub(super) fn accepted(schema: &Value) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut accepted = Map::new();
    let mut refused = Map::new();
    for (key, value) in schema {
        match (key.as_str(), value) {
            (key, Value::Object(schemas)) if NAMED.contains(&key) => {
                let schemas = schemas.iter().map(|(name, schema)| (name.clone(), self::accepted(schema)));
                accepted.insert(key.to_owned(), Value::Object(schemas.collect()));
            }
            (key, Value::Array(schemas)) if LISTS.contains(&key) || key == "oneOf" => {
                let key = if key == "oneOf" { "anyOf" } else { key };
                accepted.insert(key.to_owned(), schemas.iter().map(self::accepted).collect());
            }
            ("items", Value::Object(_)) => drop(accepted.insert(key.clone(), self::accepted(value))),
            ("minItems", value) if *value == 0 || *value == 1 => drop(accepted.insert(key.clone(), value.clone())),
            (key, value) if KEPT.contains(&key) => drop(accepted.insert(key.to_owned(), value.clone())),
            ("$schema" | "$id" | "additionalProperties", _) => {}
            (key, value) => drop(refused.insert(key.to_owned(), value.clone())),
        }
    }
    if schema.get("type").is_some_and(|kind| kind == "object") {
        accepted.insert("additionalProperties".to_owned(), json!(false));
    }
    if !refused.is_empty() {
        let described = accepted.get("description").and_then(Value::as_str).unwrap_or_default();
        let described = format!("{described} {}", Value::Object(refused));
        accepted.insert("description".to_owned(), json!(described.trim_start()));
    }
    Value::Object(accepted)
}

/// The longest name of a property that the API takes.
const MAX_NAME_BYTES: usize = 64;

/// A tool's schema without the properties whose names the API refuses; `None` where such a one is required.
pub(super) fn with_plain_names(mut schema: Value) -> Option<Value> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let is_plain = |name: &str| (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(fits);
    let required = schema.get("required").and_then(Value::as_array);
    if required.into_iter().flatten().filter_map(Value::as_str).any(|name| !is_plain(name)) {
        return None;
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| is_plain(name));
    }
    Some(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_api_refuses_is_said_in_words_and_objects_are_closed() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["maximum"],
            "properties": {
                "maximum": {"type": "integer", "maximum": 9, "description": "How many."},
                "names": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"$ref": "#/$defs/name"}},
                "either": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {}}]},
            },
            "$defs": {"name": {"type": "string", "minLength": 1}},
        });
        let expected = json!({
            "type": "object",
            "required": ["maximum"],
            "additionalProperties": false,
            "properties": {
                "maximum": {"type": "integer", "description": "How many. {\"maximum\":9}"},
                "names": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/$defs/name"},
                    "description": "{\"maxItems\":3}",
                },
                "either": {
                    "anyOf": [
                        {"type": "string"},
                        {"type": "object", "properties": {}, "additionalProperties": false},
                    ],
                },
            },
            "$defs": {"name": {"type": "string", "description": "{\"minLength\":1}"}},
        });
        assert_eq!(accepted(&schema), expected);
    }

    #[test]
    fn properties_that_the_api_refuses_are_left_out_unless_they_are_required() {
        let schema = |required: &str| json!({"type": "object", "properties": {"a.b": {}, "$c": {}, "": {}}, "required": [required]});
        let plain = with_plain_names(schema("a.b")).unwrap();
        assert_eq!(plain["properties"], json!({"a.b": {}}));
        assert_eq!(with_plain_names(schema("$c")), None);
    }
}

//! The JSON Schema of a tool with the keywords that Gemini knows: it refuses a request for any other.
//!
//! <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>

use serde_json::{Map, Value, json};

const KNOWN: &[&str] = &[
    "$ref",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "required",
    "additionalProperties",
    "default",
];

pub(super) fn narrowed(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let mut narrow = Map::new();
    for (key, value) in members {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(schemas)) => {
                let schemas = schemas.iter().map(|(name, schema)| (name.clone(), narrowed(schema)));
                narrow.insert(key.clone(), Value::Object(schemas.collect()));
            }
            ("anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                narrow.insert(key.clone(), schemas.iter().map(narrowed).collect());
            }
            ("allOf", Value::Array(schemas)) => {
                let schemas = schemas.iter().map(narrowed).filter_map(|schema| schema.as_object().cloned());
                for (key, value) in schemas.flatten() {
                    narrow.entry(key).or_insert(value);
                }
            }
            ("items" | "additionalProperties", Value::Object(_)) => drop(narrow.insert(key.clone(), narrowed(value))),
            ("const", Value::String(_)) => drop(narrow.insert("enum".to_owned(), json!([value]))),
            ("enum", Value::Array(values)) if !values.iter().all(|value| value.is_string() || value.is_number()) => {}
            ("required", _) if !members.contains_key("properties") => {}
            (known, value) if KNOWN.contains(&known) => drop(narrow.insert(key.clone(), value.clone())),
            _ => {}
        }
    }
    Value::Object(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gemini_does_not_know_is_left_out_at_any_depth() {
        let schema = json!({"type": "object", "$comment": "x", "patternProperties": {"a": {}}, "required": ["a"], "properties": {
            "a": {"type": "string", "pattern": "x", "const": "y"},
            "b": {"type": "array", "uniqueItems": true, "items": {"allOf": [{"type": "number", "exclusiveMinimum": 0}]}},
            "c": {"anyOf": [{"required": ["x"]}, {"enum": [null]}], "not": {}, "additionalProperties": {"minLength": 1}},
        }});
        let narrow = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "enum": ["y"]},
            "b": {"type": "array", "items": {"type": "number"}},
            "c": {"anyOf": [{}, {}], "additionalProperties": {}},
        }});
        assert_eq!(narrowed(&schema), narrow);
    }
}

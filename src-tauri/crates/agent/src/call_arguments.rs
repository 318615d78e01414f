//! Arguments of a call as their tool's schema means them. Some models write JSON within JSON, a number as a string, or one
//! item for a list of one. Where the schema leaves one reading, that is what the call is: what is logged, shown and judged.

use crate::bounds::{MAX_ARGUMENT_DEPTH, depth};
use serde_json::{Map, Value};

/// The arguments as the schema of the tool means them; what fits, and what could be meant in several ways, stays.
#[must_use]
pub fn understood(schema: &Value, value: Value) -> Value {
    let types = types_of(schema);
    if types.is_empty() || types.iter().any(|of| is_of(of, &value)) {
        return within(schema, value);
    }
    let inner = match &value {
        Value::String(text) => parsed(text).filter(|inner| types.iter().any(|of| is_of(of, inner))),
        _ => None,
    };
    if let Some(inner) = inner {
        return within(schema, inner);
    }
    if types.contains(&"array") && !value.is_null() {
        let items = &schema["items"];
        let item = understood(items, value.clone());
        if types_of(items).iter().any(|of| is_of(of, &item)) {
            return Value::Array(vec![item]);
        }
    }
    value
}

fn within(schema: &Value, value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let property = |name: &String, value| match schema["properties"].get(name) {
                Some(schema) => understood(schema, value),
                None => value,
            };
            let understood = |(name, value)| {
                let value = property(&name, value);
                (name, value)
            };
            Value::Object(fields.into_iter().map(understood).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| understood(&schema["items"], item)).collect()),
        value => value,
    }
}

fn parsed(text: &str) -> Option<Value> {
    // Nothing is nested deeper than what comes as it should.
    (depth(text) < MAX_ARGUMENT_DEPTH / 2).then(|| serde_json::from_str(text).ok()).flatten()
}

fn types_of(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(only) => vec![only],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of(of: &str, value: &Value) -> bool {
    match of {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer"},
            "ratio": {"type": ["number", "null"]},
            "all": {"type": "boolean"},
            "any": {"type": ["boolean", "string"]},
            "globs": {"type": "array", "items": {"type": "string"}},
            "edits": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer"}}}},
        }})
    }

    #[test]
    fn what_has_one_reading_is_understood() {
        for (given, meant) in [
            (json!(r#"{"path": "a", "limit": "5"}"#), json!({"path": "a", "limit": 5})),
            (json!({"limit": "12", "ratio": "0.5", "all": "true"}), json!({"limit": 12, "ratio": 0.5, "all": true})),
            (json!({"edits": {"line": "3"}}), json!({"edits": [{"line": 3}]})),
            (json!({"edits": "[{\"line\": 3}]"}), json!({"edits": [{"line": 3}]})),
            (json!({"edits": [r#"{"line": 3}"#]}), json!({"edits": [{"line": 3}]})),
            (json!({"globs": "*.rs"}), json!({"globs": ["*.rs"]})),
            (json!({"globs": "[\"*.rs\"]"}), json!({"globs": ["*.rs"]})),
        ] {
            assert_eq!(understood(&schema(), given.clone()), meant, "{given}");
        }
    }

    #[test]
    fn what_fits_or_has_no_reading_stays() {
        for given in [
            json!({"path": "{\"a\": 1}", "any": "true", "ratio": null, "limit": null, "more": "5"}),
            json!({"path": 7, "limit": "five", "all": "yes", "edits": 3}),
            json!("no json"),
            json!("[1]"),
        ] {
            assert_eq!(understood(&schema(), given.clone()), given);
        }
    }
}

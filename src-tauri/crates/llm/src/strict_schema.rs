//! The schemas that OpenAI's APIs hold a model to.

use serde_json::Value;

/// Returns whether the API takes the schema as a strict one, which it then holds the model to; it refuses others.
///
/// <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>
pub(crate) fn can_be_strict(schema: &Value) -> bool {
    schema["type"] == "object" && schema.get("anyOf").is_none() && is_closed(schema)
}

/// Every object within names all of its properties, requires them and allows no others, and nothing is said in words
/// that the API does not know.
fn is_closed(schema: &Value) -> bool {
    let Some(fields) = schema.as_object() else { return false };
    let of_properties = |properties: &Value| {
        properties.as_object().is_some_and(|properties| {
            let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
            properties.keys().all(|name| required.iter().any(|required| required == name.as_str()))
                && properties.values().all(is_closed)
        })
    };
    let is_object = schema["type"] == "object" || fields.contains_key("properties");
    let known = fields.iter().all(|(word, value)| match word.as_str() {
        "properties" => of_properties(value),
        "additionalProperties" => value == &Value::Bool(false),
        "$defs" | "definitions" => value.as_object().is_some_and(|schemas| schemas.values().all(is_closed)),
        "items" => is_closed(value),
        "anyOf" => value.as_array().is_some_and(|schemas| schemas.iter().all(is_closed)),
        "type" | "required" | "enum" | "const" | "description" | "title" | "$ref" | "pattern" | "format"
        | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minItems" | "maxItems" => {
            true
        }
        _ => false,
    });
    known && (!is_object || (fields.contains_key("properties") && fields.contains_key("additionalProperties")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_is_strict_only_where_the_api_would_take_it() {
        let closed = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        let inner = closed(json!({"n": {"type": "integer", "minimum": 0}}), json!(["n"]));
        let strict = [
            closed(json!({}), json!([])),
            closed(json!({"a": {"type": "array", "items": inner}}), json!(["a"])),
            closed(json!({"a": {"anyOf": [inner, {"type": "null"}]}}), json!(["a"])),
        ];
        let loose = [
            json!({"type": "object"}),
            json!({"type": "array", "items": inner}),
            json!({"anyOf": [inner], "type": "object", "properties": {}, "additionalProperties": false}),
            closed(json!({"a": {"type": "string"}}), json!([])),
            closed(json!({"a": {"type": "object", "properties": {}}}), json!(["a"])),
            closed(json!({"a": {"oneOf": [{"type": "string"}]}}), json!(["a"])),
            json!({"type": "object", "properties": {}, "additionalProperties": true}),
        ];
        assert!(strict.iter().all(can_be_strict));
        for schema in loose {
            assert!(!can_be_strict(&schema), "{schema}");
        }
    }
}

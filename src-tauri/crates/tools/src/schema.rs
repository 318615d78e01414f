//! JSON Schemas of tools: made from our own types, or taken from others and then trusted with nothing.

use arki_domain::{Code, Fault, json_text_bytes};
use jsonschema::{PatternOptions, Validator};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// The largest schema of a tool from outside, as JSON: well above any real one, and sent with every request.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;
/// A pattern in such a schema gives up after this many steps back, and compiles to no more than this.
const MAX_BACKTRACKS: usize = 10_000;
const MAX_PATTERN_BYTES: usize = 1 << 20;

pub(crate) fn of_type<Arguments: JsonSchema>() -> Value {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
        .into_root_schema_for::<Arguments>();
    schema.remove("title");
    schema.to_value()
}

/// Nothing is fetched for it, and its patterns are bounded.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS).size_limit(MAX_PATTERN_BYTES);
    let compiled = jsonschema::options().offline().with_pattern_options(patterns).build(schema);
    compiled.map_err(|error| error.to_string())
}

/// Checks that a schema can be used.
///
/// # Errors
/// Why not.
pub fn check_schema(schema: &Value) -> Result<(), String> {
    compile(schema).map(drop)
}

/// Checks arguments against a schema.
///
/// # Errors
/// `ARGUMENTS_INVALID`, in words that help the model to mend them.
pub fn check_arguments(tool: &str, schema: &Value, arguments: &Value) -> Result<(), Fault> {
    let validator = compile(schema).map_err(|why| Fault::internal(format_args!("the schema of {tool}: {why}")))?;
    crate::arguments::validate(tool, &validator, arguments)
}

/// A schema from outside, as an object; one that says nothing takes no arguments.
pub(crate) fn foreign(tool: &str, schema: Value) -> Result<(Value, Validator), Fault> {
    let unusable = |why: &str| {
        Fault::new(
            Code::TOOL_UNUSABLE,
            format!("Can't use the schema of {tool:?}: {why}."),
            "Report this to the tool's maker. The other tools still work.",
        )
    };
    let schema = if schema.is_null() { json!({"type": "object", "properties": {}}) } else { schema };
    if !schema.is_object() || schema.get("type").is_some_and(|of| of != "object") {
        return Err(unusable("it does not describe an object"));
    }
    if json_text_bytes(&schema.to_string()) > MAX_SCHEMA_BYTES {
        return Err(unusable(&format!("it is larger than {MAX_SCHEMA_BYTES} bytes")));
    }
    let validator = compile(&schema).map_err(|why| unusable(&why))?;
    Ok((schema, validator))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(schema: Value) -> String {
        foreign("t", schema).err().map(|fault| fault.message).unwrap_or_default()
    }

    #[test]
    fn a_foreign_schema_is_an_object_of_bounded_size() {
        assert_eq!(why(Value::Null), "");
        assert_eq!(why(json!({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "string"}}})), "");
        assert!(why(json!(true)).contains("object") && why(json!({"type": "string"})).contains("object"));
        assert!(why(json!({"type": "object", "description": "x".repeat(MAX_SCHEMA_BYTES)})).contains("larger"));
    }

    #[test]
    fn a_foreign_schema_cannot_make_us_fetch_anything() {
        for place in ["http://127.0.0.1:9/a", "https://example.invalid/a", "file:///etc/passwd", "other.json"] {
            assert_ne!(why(json!({"properties": {"a": {"$ref": place}}})), "", "{place}");
        }
    }

    #[test]
    fn a_foreign_pattern_cannot_keep_us_busy() {
        let (_, validator) = foreign("t", json!({"properties": {"a": {"pattern": "^(?=(a+)+$)b"}}})).unwrap();
        assert!(!validator.is_valid(&json!({"a": format!("{}!", "a".repeat(5000))})));
        assert_ne!(why(json!({"properties": {"a": {"pattern": "(((a{1,500}){1,500}){1,500}){1,500}"}}})), "");
    }
}

//! JSON Schemas of tools: made from our own types, or taken from others and then trusted with nothing. Arguments are held
//! against them, with words that help the model to mend them.

use arki_domain::{Code, Error, json_text_bytes};
use jsonschema::{PatternOptions, Validator};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The largest schema of a tool from outside, as JSON: well above any real one, and sent with every request.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;
/// More problems than this are not listed.
const MAX_PROBLEMS: usize = 4;
/// A pattern in such a schema gives up after this many steps back, and compiles to no more than this.
const MAX_BACKTRACKS: usize = 10_000;
const MAX_PATTERN_BYTES: usize = 1 << 20;

pub(crate) fn of_type<Arguments: JsonSchema>() -> Value {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
            settings.transforms.push(Box::new(RecursiveTransform(shorten)));
        })
        .into_generator()
        .into_root_schema_for::<Arguments>();
    schema.remove("title");
    schema.to_value()
}

/// Schemas go out with every request, so they are kept short: no words that only repeat a Rust type, and nothing of
/// what [`of_calls`] adds again.
fn shorten(schema: &mut Schema) {
    for word in ["format", "default"] {
        schema.remove(word);
    }
    if schema.get("minimum") == Some(&json!(0)) {
        schema.remove("minimum");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    schema.remove("additionalProperties");
}

fn optional_properties(schema: &Value) -> Vec<String> {
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|of| of == name));
    let names = schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
    names.filter(|name| !is_required(name)).cloned().collect()
}

/// The schema that calls are held against: unknown arguments are refused, and what may be left out may be null.
pub(crate) fn of_calls(sent: &Value) -> Value {
    let mut schema = sent.clone();
    for name in optional_properties(sent) {
        let property = &mut schema["properties"][&name];
        if let Some(Value::String(only)) = property.get("type") {
            property["type"] = json!([only, "null"]);
        }
        if let Some(Value::Array(words)) = property.get_mut("enum") {
            words.push(Value::Null);
        }
    }
    let Some(fields) = schema.as_object_mut() else { return schema };
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(|property| *property = of_calls(property));
        fields.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if let Some(items) = fields.get_mut("items") {
        *items = of_calls(items);
    }
    schema
}

/// Nothing is fetched for it, and its patterns are bounded.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS).size_limit(MAX_PATTERN_BYTES);
    let compiled = jsonschema::options().offline().with_pattern_options(patterns).build(schema);
    compiled.map_err(|error| error.to_string())
}

/// Checks that a schema can be used.
pub fn check_schema(schema: &Value) -> Result<(), String> {
    compile(schema).map(drop)
}

/// Checks arguments against a schema.
///
/// # Errors
/// `ARGUMENTS_INVALID`, in words that help the model to mend them.
pub fn check_arguments(tool: &str, schema: &Value, arguments: &Value) -> Result<(), Error> {
    let validator = compile(schema).map_err(|why| Error::internal(format_args!("the schema of {tool}: {why}")))?;
    validate(tool, &validator, arguments)
}

/// Checks `args` against the schema of `tool`.
pub(crate) fn validate(tool: &str, validator: &Validator, args: &Value) -> Result<(), Error> {
    if let Value::String(raw) = args {
        let shown: String = raw.chars().take(120).collect();
        let message = format!("The arguments of {tool} are not a JSON object: {shown}");
        return Err(Error::new(Code::ARGUMENTS_INVALID, message, "Send the arguments as one complete JSON object."));
    }
    let problems: Vec<String> = validator.iter_errors(args).take(MAX_PROBLEMS).map(|error| describe(&error)).collect();
    if problems.is_empty() {
        return Ok(());
    }
    let message = format!("The arguments of {tool} don't fit: {}.", problems.join("; "));
    let hint = "Send the call again with arguments that follow the tool's schema.";
    Err(Error::new(Code::ARGUMENTS_INVALID, message, hint))
}

fn describe(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    if place.is_empty() { error.to_string() } else { format!("at {place}: {error}") }
}

/// A schema from outside, as an object; one that says nothing takes no arguments.
pub(crate) fn foreign(tool: &str, schema: Value) -> Result<(Value, Validator), Error> {
    let unusable = |why: &str| {
        let hint = "Report this to the tool's maker. The other tools still work.";
        Error::new(Code::TOOL_UNUSABLE, format!("Can't use the schema of {tool:?}: {why}."), hint)
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

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    #[serde(deny_unknown_fields)]
    struct Search {
        /// Words.
        words: String,
        most: Option<u32>,
        #[serde(default)]
        everywhere: bool,
        kind: Option<Kind>,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Old,
        New,
    }

    #[test]
    fn what_is_sent_is_short_and_calls_are_held_against_all_of_it() {
        let sent = of_type::<Search>();
        let expected = json!({"type": "object", "required": ["words"], "properties": {
            "words": {"type": "string", "description": "Words."}, "most": {"type": "integer"},
            "everywhere": {"type": "boolean"}, "kind": {"type": "string", "enum": ["old", "new"]},
        }});
        assert_eq!(sent, expected);
        let validator = compile(&of_calls(&sent)).unwrap();
        let good = [json!({"words": "a"}), json!({"words": "a", "most": null, "kind": null, "everywhere": true})];
        assert!(good.iter().all(|call| validator.is_valid(call)));
        let bad =
            [json!({}), json!({"words": null}), json!({"words": "a", "more": 1}), json!({"words": "a", "kind": "x"})];
        assert!(bad.iter().all(|call| !validator.is_valid(call)));
    }

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

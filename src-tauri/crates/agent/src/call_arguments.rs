//! Arguments of a call as their tool's schema means them. Some models write JSON within JSON, a number as a string, one
//! item for a list of one, a list of one for an item, a fence around it all, or the call within the call. Where the schema
//! leaves one reading, that is what the call is: what is logged, shown and judged.

use crate::bounds::{MAX_ARGUMENT_DEPTH, depth};
use crate::planning::lenient_json;
use arki_domain::ToolDefinition;
use serde_json::{Map, Value};

/// The names under which models write the arguments once more, within the arguments.
const WRAPPERS: [&str; 6] = ["arguments", "args", "parameters", "params", "input", "kwargs"];

/// The arguments as the schema of the tool means them; what fits, and what could be meant in several ways, stays.
#[must_use]
pub fn understood(schema: &Value, value: Value) -> Value {
    let value = meant(schema, value);
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        return value;
    };
    let is_foreign = |fields: &Map<String, Value>| !fields.keys().any(|name| properties.contains_key(name));
    let wrapper = value.as_object().filter(|fields| is_foreign(fields));
    let inner = wrapper.and_then(|fields| WRAPPERS.iter().find_map(|name| fields.get(*name)));
    match inner.map(|inner| meant(schema, inner.clone())) {
        Some(inner @ Value::Object(_)) => inner,
        _ => value,
    }
}

/// The name of the tool that a call means whose name has a namespace, a number or a marker of the model's template:
/// `functions.read_file:0`, `read_file<|channel|>commentary`. `None` where it is a tool's as it is, or means none.
pub(crate) fn tool_name(definitions: &[ToolDefinition], called: &str) -> Option<String> {
    let is_tool = |name: &str| definitions.iter().any(|tool| *tool.name == *name);
    if is_tool(called) {
        return None;
    }
    let plain = called.split("<|").next().unwrap_or_default().trim();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = plain.rsplit_once(':').filter(|(_, end)| number(end)).map_or(plain, |(name, _)| name);
    let last = plain.rsplit(['.', ':', '/']).next().unwrap_or_default();
    [plain, last].into_iter().find(|name| is_tool(name)).map(str::to_owned)
}

fn meant(schema: &Value, value: Value) -> Value {
    let types = types_of(schema);
    if types.is_empty() || types.iter().any(|of| is_of(of, &value)) {
        return within(schema, value);
    }
    let inner = match &value {
        Value::String(text) => {
            parsed(text).map(|inner| only(&types, inner)).filter(|inner| types.iter().any(|of| is_of(of, inner)))
        }
        _ => None,
    };
    if let Some(inner) = inner {
        return within(schema, inner);
    }
    if types.contains(&"array") && !value.is_null() {
        let items = &schema["items"];
        let item = meant(items, value.clone());
        if types_of(items).iter().any(|of| is_of(of, &item)) {
            return Value::Array(vec![item]);
        }
    }
    let value = only(&types, value);
    if value.is_object() { within(schema, value) } else { value }
}

/// The one object of a list, where an object is wanted.
fn only(types: &[&str], value: Value) -> Value {
    match value {
        Value::Array(mut items)
            if items.len() == 1 && items[0].is_object() && types.contains(&"object") && !types.contains(&"array") =>
        {
            items.remove(0)
        }
        value => value,
    }
}

fn within(schema: &Value, value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let property = |name: &String, value| match schema["properties"].get(name) {
                Some(schema) => meant(schema, value),
                None => value,
            };
            let understood = |(name, value)| {
                let value = property(&name, value);
                (name, value)
            };
            Value::Object(fields.into_iter().map(understood).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| meant(&schema["items"], item)).collect()),
        value => value,
    }
}

fn parsed(text: &str) -> Option<Value> {
    // Nothing is nested deeper than what comes as it should.
    if depth(text) >= MAX_ARGUMENT_DEPTH / 2 {
        return None;
    }
    serde_json::from_str(text).ok().or_else(|| {
        let text = text.trim_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
        let fenced = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
        let text = fenced.map_or(text, |text| text.trim_start_matches(char::is_alphanumeric).trim());
        lenient_json::read(text).filter(|(_, bytes)| *bytes == text.len()).map(|(value, _)| value)
    })
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
            (json!("```json\n{\"path\": \"a\"}\n```"), json!({"path": "a"})),
            (json!("{\"path\": \"a\", \"limit\": 5,}"), json!({"path": "a", "limit": 5})),
            (json!("\u{feff}{\"path\": \"a\"}"), json!({"path": "a"})),
            (json!([{"path": "a", "limit": "5"}]), json!({"path": "a", "limit": 5})),
            (json!("[{\"path\": \"a\"}]"), json!({"path": "a"})),
            (json!({"arguments": {"path": "a", "limit": "5"}}), json!({"path": "a", "limit": 5})),
            (json!({"name": "read_file", "arguments": "{\"path\": \"a\"}"}), json!({"path": "a"})),
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
            json!({"path": "a", "arguments": {"path": "b"}}),
            json!([{"path": "a"}, {"path": "b"}]),
            json!("{\"path\": \"a"),
            json!("{\"path\": \"a\"} and more"),
            json!("no json"),
            json!("[1]"),
        ] {
            assert_eq!(understood(&schema(), given.clone()), given);
        }
    }

    #[test]
    fn a_name_with_a_namespace_or_a_marker_is_the_tools() {
        let tool = |name: &str| ToolDefinition {
            name: name.into(),
            description: "".into(),
            parameters: json!({}),
            category: arki_domain::Category::Read,
        };
        let tools = [tool("read_file"), tool("mcp__a__b.c")];
        let named = |called: &str| tool_name(&tools, called);
        for called in ["functions.read_file", "read_file<|channel|>commentary", "functions.read_file:0", "ns:read_file"]
        {
            assert_eq!(named(called).as_deref(), Some("read_file"), "{called}");
        }
        for called in ["read_file", "mcp__a__b.c", "read_files", "", "functions."] {
            assert_eq!(named(called), None, "{called}");
        }
    }
}

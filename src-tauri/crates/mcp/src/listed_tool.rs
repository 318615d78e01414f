//! A tool as a server lists it, once it was found fit to be offered.
//!
//! A server's own hints about what a tool does (its annotations) are not read at all: they are the word of whom they
//! would loosen the rules for.

use arki_domain::{Fault, canonical_json, is_hidden, sha256_hex};
use arki_tools::{MAX_SCHEMA_BYTES, check_arguments, check_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(crate) const MAX_NAME_CHARS: usize = 256;
const MAX_DESCRIPTION_CHARS: usize = 8_000;
const MAX_SCHEMA_DEPTH: usize = 40;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedTool {
    /// The name that the server gives it.
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments: an object's, with nothing in it that leads elsewhere.
    pub schema: Value,
    /// SHA-256 of name, description and schema, as the server sent them.
    pub hash: String,
}

/// A tool that is not offered, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub name: String,
    pub reason: String,
}

impl ListedTool {
    /// From one entry of `tools/list`.
    pub(crate) fn parse(entry: &Value) -> Result<Self, Refused> {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let refuse = |reason: &str| Err(Refused { name: crate::fault::quoted(name), reason: reason.to_owned() });
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
            return refuse("it has no name, or one that is too long");
        }
        let described = match entry.get("description") {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text.as_str(),
            Some(_) => return refuse("its description is not text"),
        };
        let Some(sent) = entry.get("inputSchema") else { return refuse("it has no schema") };
        let schema = match checked(sent) {
            Ok(schema) => schema,
            Err(reason) => return refuse(reason),
        };
        let identity = json!({ "name": name, "description": described, "inputSchema": sent });
        let Ok(identity) = canonical_json(&identity) else { return refuse("its schema is not valid JSON") };
        Ok(Self { name: name.to_owned(), description: shown(described), schema, hash: sha256_hex(identity.as_bytes()) })
    }
}

impl ListedTool {
    pub(crate) fn bytes(&self) -> usize {
        self.name.len() + self.description.len() + self.schema.to_string().len()
    }

    /// Checks arguments against the schema.
    pub(crate) fn check(&self, arguments: &Value) -> Result<(), Fault> {
        check_arguments(&self.name, &self.schema, arguments)
    }
}

/// The schema as it is offered, or what is wrong with it.
fn checked(sent: &Value) -> Result<Value, &'static str> {
    let Value::Object(schema) = sent else { return Err("its schema is not an object") };
    if sent.to_string().len() > MAX_SCHEMA_BYTES {
        return Err("its schema is larger than 64 KiB");
    }
    if depth(sent) > MAX_SCHEMA_DEPTH {
        return Err("its schema is nested too deeply");
    }
    match schema.get("type") {
        None => {}
        Some(Value::String(kind)) if kind == "object" => {}
        Some(_) => return Err("its schema does not describe an object"),
    }
    if leads_elsewhere(sent) {
        return Err("its schema refers to something outside itself");
    }
    let mut schema: Map<String, Value> = schema.clone();
    // Words about the schema, which vendors stumble over.
    schema.remove("$schema");
    schema.remove("$id");
    schema.entry("type").or_insert_with(|| json!("object"));
    let schema = Value::Object(schema);
    match check_schema(&schema) {
        Ok(_) => Ok(schema),
        Err(_) => Err("its schema is not a JSON Schema"),
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn leads_elsewhere(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(key, member)| {
            let is_reference = matches!(key.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef");
            let is_outside = member.as_str().is_some_and(|target| !target.starts_with('#'));
            is_reference && is_outside || leads_elsewhere(member)
        }),
        Value::Array(items) => items.iter().any(leads_elsewhere),
        _ => false,
    }
}

/// Without what people would not see and a model would: such characters carry orders past whoever agrees to the tool.
fn shown(description: &str) -> String {
    let mut shown: String = description
        .chars()
        .filter(|c| matches!(c, '\n' | '\t') || !is_hidden(*c))
        .take(MAX_DESCRIPTION_CHARS)
        .collect();
    if description.chars().count() > MAX_DESCRIPTION_CHARS {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(schema: &Value) -> Option<String> {
        ListedTool::parse(&json!({"name": "t", "inputSchema": schema})).err().map(|refused| refused.reason)
    }

    #[test]
    fn a_plain_tool_is_taken_and_its_schema_made_whole() {
        let entry = json!({"name": "t", "description": "Does\u{200b} it.\u{e0041}", "inputSchema": {
            "$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"type": "string"}}}});
        let tool = ListedTool::parse(&entry).unwrap();
        assert_eq!(tool.description, "Does it.");
        assert_eq!((tool.schema.get("type"), tool.schema.get("$schema")), (Some(&json!("object")), None));
    }

    #[test]
    fn lies_about_the_schema_are_refused() {
        assert_eq!(reason(&json!({"type": "object"})), None);
        for (schema, word) in [
            (json!("text"), "not an object"),
            (json!(true), "not an object"),
            (json!({"type": "array"}), "describe an object"),
            (json!({"type": ["object", "null"]}), "describe an object"),
            (json!({"type": "object", "properties": 3}), "JSON Schema"),
            (json!({"type": "object", "properties": {"a": {"$ref": "http://evil.example/s.json"}}}), "outside itself"),
            (json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}), "outside itself"),
            (json!({"type": "object", "description": "x".repeat(MAX_SCHEMA_BYTES)}), "larger"),
            ((0..50).fold(json!({"type": "object"}), |inner, _| json!({"properties": {"a": inner}})), "deeply"),
        ] {
            assert!(reason(&schema).is_some_and(|reason| reason.contains(word)), "{schema} {word}");
        }
        let nameless = ListedTool::parse(&json!({"inputSchema": {"type": "object"}})).unwrap_err();
        assert!(nameless.reason.contains("no name"));
        assert!(ListedTool::parse(&json!({"name": "t"})).is_err());
    }

    #[test]
    fn the_hash_is_of_all_that_a_model_reads() {
        let hash = |description: &str, schema: &Value| {
            ListedTool::parse(&json!({"name": "t", "description": description, "inputSchema": schema})).unwrap().hash
        };
        let plain = hash("a", &json!({"type": "object"}));
        assert_eq!(plain, hash("a", &json!({"type": "object"})));
        assert_ne!(plain, hash("b", &json!({"type": "object"})));
        assert_ne!(plain, hash("a", &json!({"type": "object", "title": "x"})));
    }
}

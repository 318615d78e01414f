//! A tool as a server lists it, once it was found fit to be offered.
//!
//! A server's own hints about what a tool does (its annotations) are not read at all: they are the word of whom they
//! would loosen the rules for.

use arki_domain::{Error, canonical_json, is_hidden, portable_schema, sha256_hex};
use arki_tools::{MAX_SCHEMA_BYTES, check_arguments, check_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    /// Parses one entry of `tools/list`.
    pub(crate) fn parse(entry: &Value) -> Result<Self, Refused> {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let shown_name = crate::fault::quoted(name);
        let is_nameless = shown_name.is_empty();
        let refuse = |reason: &str| Err(Refused { name: shown_name.clone(), reason: reason.to_owned() });
        if is_nameless || name.chars().count() > MAX_NAME_CHARS {
            return refuse("it has no name, or one that is too long");
        }
        let described = match entry.get("description") {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text.as_str(),
            Some(_) => return refuse("its description is not text"),
        };
        let sent = entry.get("inputSchema").unwrap_or(&Value::Null);
        let schema = match checked(sent) {
            Ok(schema) => schema,
            Err(reason) => return refuse(reason),
        };
        let identity = json!({ "name": name, "description": described, "inputSchema": sent });
        let Ok(identity) = canonical_json(&identity) else { return refuse("its schema is not valid JSON") };
        Ok(Self { name: name.to_owned(), description: shown(described), schema, hash: sha256_hex(identity.as_bytes()) })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.name.len() + self.description.len() + self.schema.to_string().len()
    }

    /// Checks arguments against the schema.
    pub(crate) fn check(&self, arguments: &Value) -> Result<(), Error> {
        check_arguments(&self.name, &self.schema, arguments)
    }
}

/// The schema as it is offered, or what is wrong with it.
fn checked(sent: &Value) -> Result<Value, &'static str> {
    if !sent.is_object() && !sent.is_null() {
        return Err("its schema is not an object");
    }
    if sent.to_string().len() > MAX_SCHEMA_BYTES {
        return Err("its schema is larger than 64 KiB");
    }
    if depth(sent) > MAX_SCHEMA_DEPTH {
        return Err("its schema is nested too deeply");
    }
    if leads_elsewhere(sent) {
        return Err("its schema refers to something outside itself");
    }
    let Some(plain) = portable_schema(sent) else { return Err("its schema does not describe an object") };
    // As it was sent, where it is one that arguments can be checked against.
    let mut schema = sent.clone();
    if let Value::Object(schema) = &mut schema {
        // Words about the schema, which vendors stumble over.
        schema.remove("$schema");
        schema.remove("$id");
        schema.insert("type".to_owned(), json!("object"));
    }
    let usable = [schema, plain].into_iter().find(|schema| schema.is_object() && check_schema(schema).is_ok());
    usable.ok_or("its schema is not a JSON Schema")
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

/// Returns the description without what people would not see and a model would: such characters carry orders past
/// whoever approves the tool.
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
    fn a_name_of_which_nothing_can_be_seen_is_none() {
        for name in ["", " ", "\u{200b}\n"] {
            let refused = ListedTool::parse(&json!({"name": name, "inputSchema": {}})).unwrap_err();
            assert_eq!((&*refused.name, refused.reason.contains("no name")), ("", true), "{name:?}");
        }
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
            (json!({"type": "object", "properties": {"a": {"$ref": "http://evil.example/s.json"}}}), "outside itself"),
            (json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}), "outside itself"),
            (json!({"type": "object", "description": "x".repeat(MAX_SCHEMA_BYTES)}), "larger"),
            ((0..50).fold(json!({"type": "object"}), |inner, _| json!({"properties": {"a": inner}})), "deeply"),
        ] {
            assert!(reason(&schema).is_some_and(|reason| reason.contains(word)), "{schema} {word}");
        }
        let nameless = ListedTool::parse(&json!({"inputSchema": {"type": "object"}})).unwrap_err();
        assert!(nameless.reason.contains("no name"));
    }

    #[test]
    fn odd_schemas_are_mended_and_sound_ones_stay_as_they_were_sent() {
        let schema = |entry: Value| ListedTool::parse(&entry).unwrap().schema;
        let mended = |sent: Value| schema(json!({"name": "t", "inputSchema": sent}));
        let empty = json!({"type": "object", "properties": {}});
        assert_eq!((schema(json!({"name": "t"})), mended(json!(null))), (empty.clone(), empty.clone()));
        assert_eq!(mended(json!({"type": "object", "properties": 3})), empty);
        assert_eq!(mended(json!({"properties": {"a": {"$ref": "#/nowhere"}}}))["properties"], json!({"a": {}}));
        assert_eq!(mended(json!({"properties": [{"name": "a"}]}))["properties"], json!({"a": {"name": "a"}}));
        let choice = json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        assert_eq!(mended(choice.clone()), choice, "arguments are checked against what the maker wrote");
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

//! Schemas of tools in a form that every vendor takes. What is well-formed stays as it is; one odd keyword would make a
//! vendor refuse the whole request. Arguments are checked against the schema as its maker wrote it, not against this.

use serde_json::{Map, Value, json};

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
const COMBINED: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// The limit for schemas nested in schemas; deeper ones are replaced by one that allows anything.
const MAX_DEPTH: usize = 24;
/// Parts of the top that are made one: they may refer to each other in circles.
const MAX_MERGED: usize = 256;
/// The limit for a choice that is described in words.
const MAX_CHOICE_CHARS: usize = 2000;

/// Returns the schema of a tool's arguments as an object without choices at its top, or `None` where it describes none.
#[must_use]
pub fn portable_schema(schema: &Value) -> Option<Value> {
    let mut top = match schema {
        Value::Null | Value::Bool(true) => Map::new(),
        Value::Object(_) => normal(schema, 0),
        _ => return None,
    };
    let root = Value::Object(top.clone());
    let mut left = MAX_MERGED;
    flatten(&mut top, &root, &mut left);
    if !is_object(&top) {
        return None;
    }
    top.insert("type".to_owned(), json!("object"));
    top.entry("properties").or_insert_with(|| json!({}));
    declare_required(&mut top);
    let mut schema = Value::Object(top);
    let root = schema.clone();
    remove_dangling(&mut schema, &root);
    Some(schema)
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema
        .get("type")
        .is_none_or(|kind| kind == "object" || kind.as_array().is_some_and(|of| of.contains(&json!("object"))))
}

fn normal(schema: &Value, depth: usize) -> Map<String, Value> {
    let Some(members) = schema.as_object().filter(|_| depth < MAX_DEPTH) else { return Map::new() };
    let below = |schema: &Value| Value::Object(normal(schema, depth + 1));
    let list =
        |value: &Value| Some(value.as_array()?.iter().map(below).collect::<Vec<_>>()).filter(|of| !of.is_empty());
    let kept = |(key, value): (&String, &Value)| {
        let value = match key.as_str() {
            "$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$recursiveRef" => return None,
            "properties" | "$defs" | "definitions" | "patternProperties" => named(value, &below)?,
            "items" => list(value).map_or_else(|| below(value), |tuple| json!({ "anyOf": tuple })),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => Value::Array(list(value)?),
            "additionalProperties" if value.is_boolean() => value.clone(),
            "additionalProperties" | "not" | "if" | "then" | "else" | "contains" | "propertyNames" => {
                value.is_object().then(|| below(value))?
            }
            "type" => known_types(value)?,
            "required" => value.as_array()?.iter().filter(|name| name.is_string()).cloned().collect(),
            "enum" => value.as_array().is_some_and(|of| !of.is_empty()).then(|| value.clone())?,
            "description" | "title" | "format" | "pattern" | "$ref" => value.is_string().then(|| value.clone())?,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                value.is_number().then(|| value.clone())?
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                value.is_u64().then(|| value.clone())?
            }
            _ => value.clone(),
        };
        Some((key.clone(), value))
    };
    let mut schema: Map<String, Value> = members.iter().filter_map(kept).collect();
    let holds = |kind: &str| {
        schema.get("type").is_some_and(|of| of == kind || of.as_array().is_some_and(|of| of.contains(&json!(kind))))
    };
    if holds("array") && !schema.contains_key("items") {
        schema.insert("items".to_owned(), json!({}));
    }
    if schema.contains_key("properties") {
        declare_required(&mut schema);
    }
    schema
}

/// Schemas by name; also of a list of them that say their names themselves.
fn named(value: &Value, below: &impl Fn(&Value) -> Value) -> Option<Value> {
    let name = |item: &Value| Some((item.get("name")?.as_str()?.to_owned(), below(item)));
    match value {
        Value::Object(schemas) => Some(schemas.iter().map(|(name, schema)| (name.clone(), below(schema))).collect()),
        Value::Array(schemas) => Some(schemas.iter().filter_map(name).collect::<Map<_, _>>().into()),
        _ => None,
    }
}

fn known_types(value: &Value) -> Option<Value> {
    let is_known = |kind: &&Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    match value {
        Value::Array(kinds) => {
            let kinds: Vec<&Value> = kinds.iter().filter(is_known).collect();
            if kinds.len() < 2 { kinds.first().map(|kind| (*kind).clone()) } else { Some(json!(kinds)) }
        }
        kind => Some(kind).filter(is_known).cloned(),
    }
}

/// Vendors refuse to require what isn't among the properties.
fn declare_required(schema: &mut Map<String, Value>) {
    let required: Vec<String> =
        serde_json::from_value(schema.get("required").cloned().unwrap_or_default()).unwrap_or_default();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for name in required {
            properties.entry(name).or_insert_with(|| json!({}));
        }
    }
}

/// Makes one object of the choices at the top, which no vendor takes there: with all of their properties, and only what
/// each of them requires. The choice itself is told in words.
fn flatten(top: &mut Map<String, Value>, root: &Value, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    if let Some(target) = top.remove("$ref") {
        let referred = target.as_str().and_then(|target| referred(root, target)).cloned();
        merge(top, referred.into_iter().collect(), &Merged::All, root, left);
    }
    for (keyword, how) in COMBINED.iter().zip([Merged::All, Merged::Any, Merged::Any]) {
        let Some(Value::Array(branches)) = top.remove(*keyword) else { continue };
        if matches!(how, Merged::Any) {
            let choice: String = json!(branches).to_string().chars().take(MAX_CHOICE_CHARS).collect();
            let told = top.get("description").and_then(Value::as_str).unwrap_or_default();
            let told = format!("{told} The arguments must match {keyword} {choice}");
            top.insert("description".to_owned(), json!(told.trim_start()));
        }
        merge(top, branches, &how, root, left);
    }
    for keyword in ["not", "enum", "const", "if", "then", "else"] {
        top.remove(keyword);
    }
}

enum Merged {
    All,
    Any,
}

fn merge(top: &mut Map<String, Value>, branches: Vec<Value>, how: &Merged, root: &Value, left: &mut usize) {
    let branches: Vec<_> = branches
        .into_iter()
        .filter_map(|branch| match branch {
            Value::Object(mut branch) => {
                flatten(&mut branch, root, left);
                Some(branch).filter(is_object)
            }
            _ => None,
        })
        .collect();
    let mut required: Option<Vec<Value>> = None;
    for mut branch in branches {
        let own = branch.remove("required").and_then(|own| own.as_array().cloned()).unwrap_or_default();
        required = Some(match (required, how) {
            (None, _) => own,
            (Some(known), Merged::All) => known.into_iter().chain(own).collect(),
            (Some(known), Merged::Any) => known.into_iter().filter(|name| own.contains(name)).collect(),
        });
        let Some(Value::Object(own)) = branch.remove("properties") else { continue };
        let Some(properties) = top.entry("properties").or_insert_with(|| json!({})).as_object_mut() else { continue };
        for (name, schema) in own.into_iter().filter(|(_, schema)| schema.is_object()) {
            match properties.get_mut(&name) {
                None => drop(properties.insert(name, schema)),
                Some(known) if *known == schema => {}
                Some(known) => *known = json!({ "anyOf": [known.take(), schema] }),
            }
        }
    }
    let mut all = top.remove("required").and_then(|all| all.as_array().cloned()).unwrap_or_default();
    for name in required.into_iter().flatten() {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    if !all.is_empty() {
        top.insert("required".to_owned(), Value::Array(all));
    }
}

fn referred<'r>(root: &'r Value, target: &str) -> Option<&'r Value> {
    root.pointer(target.strip_prefix('#')?)
}

/// Removes references that lead nowhere, or elsewhere.
fn remove_dangling(schema: &mut Value, root: &Value) {
    match schema {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            if target.is_some_and(|target| referred(root, target).is_none()) {
                members.remove("$ref");
            }
            members.values_mut().for_each(|member| remove_dangling(member, root));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove_dangling(item, root)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;

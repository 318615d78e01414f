//! The JSON Schema of definitions, made from the types that read them, so that an editor knows what Arki knows.

use super::keys::{DefinitionFile, StepFile};
use crate::adapter;
use crate::key_schema::of as schema_of;
use crate::params::ParamFile;
use serde_json::{Map, Value, json};

/// The schema as it is shipped.
#[must_use]
pub fn definition_schema() -> Value {
    let mut root = schema_of::<DefinitionFile>();
    let (param, common) = (schema_of::<ParamFile>(), schema_of::<StepFile>());
    let mut definitions = Map::new();
    collect(&mut definitions, [&root, &param, &common]);
    let steps = adapter::ADAPTERS.iter().map(|adapter| {
        let own = adapter.settings();
        collect(&mut definitions, [&own]);
        let mut properties = common["properties"].as_object().cloned().unwrap_or_default();
        properties.extend(own["properties"].as_object().cloned().unwrap_or_default());
        properties.insert("adapter".to_owned(), json!({"const": adapter.name()}));
        let required =
            [&common, &own].into_iter().filter_map(|schema| schema["required"].as_array()).flatten().cloned();
        let required: Vec<Value> = required.chain([json!("adapter")]).collect();
        json!({
            "type": "object",
            "description": adapter.about(),
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    });
    let steps: Vec<Value> = steps.collect();
    root["properties"]["params"] = json!({"type": "object", "additionalProperties": without_definitions(param)});
    root["properties"]["steps"] = json!({"type": "array", "minItems": 1, "items": {"oneOf": steps}});
    root["required"] = json!(["name", "steps"]);
    root["title"] = json!("A pipeline of Arki");
    root["$defs"] = Value::Object(definitions);
    root
}

fn collect<'a>(definitions: &mut Map<String, Value>, schemas: impl IntoIterator<Item = &'a Value>) {
    for schema in schemas {
        definitions.extend(schema["$defs"].as_object().cloned().unwrap_or_default());
    }
}

fn without_definitions(mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$defs");
        schema.remove("$schema");
        schema.remove("title");
    }
    schema
}

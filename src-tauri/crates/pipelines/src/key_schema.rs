//! The JSON Schema of a type that reads keys of a definition.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

pub(crate) fn of<T: JsonSchema>() -> Value {
    SchemaGenerator::default().into_root_schema_for::<T>().into()
}

/// The names of a schema's properties.
pub(crate) fn properties(schema: &Value) -> Vec<String> {
    schema["properties"].as_object().map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

//! Asks for a form of the answer in words, where an API cannot be told it, or not together with tools.

use serde_json::Value;

/// The system text with the request at its end.
pub(crate) fn schema_in_words(system: &str, schema: &Value) -> String {
    let gap = if system.is_empty() { "" } else { "\n\n" };
    format!(
        "{system}{gap}Your final answer must be JSON that follows this JSON Schema, with nothing before or after \
        it:\n{schema}"
    )
}

//! Facts of a tool's specification beside what a model is sent (seeds 002 and 004): its version, its capabilities,
//! examples of arguments, the form of its results, and how often the executor retries. The table is `facts.json`.

use crate::executor::READ_PAUSES;
use arki_domain::{Category, ToolDefinition};
use serde_json::{Value, json};

const FACTS: &str = include_str!("facts.json");

/// The specification of a tool as JSON: what the model is sent, and the rest.
#[must_use]
pub fn tool_specification(tool: &ToolDefinition) -> Value {
    let known: Value = serde_json::from_str(FACTS).unwrap_or_default();
    let known = known.get(&*tool.name);
    // One from outside is known by its category alone.
    let capability = match tool.category {
        Category::Read => "fs.read",
        Category::Write => "fs.write",
        Category::Exec => "process.run",
        Category::Network => "network",
    };
    let pauses = READ_PAUSES.map(|pause| pause.as_millis() as u64);
    let retry = json!({ "on": "transient", "attempts": pauses.len() + 1, "pausesMs": pauses });
    json!({
        "name": tool.name,
        "version": known.map(|_| env!("CARGO_PKG_VERSION")),
        "category": tool.category,
        "capabilities": known.map_or_else(|| json!([capability]), |known| known["capabilities"].clone()),
        "description": tool.description,
        "parameters": tool.parameters,
        "outputSchema": { "type": "string" },
        "examples": known.map_or_else(|| json!([]), |known| known["examples"].clone()),
        "retry": (known.is_some() && tool.category == Category::Read).then_some(retry),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::BUILT_IN_TOOLS;

    #[test]
    fn every_built_in_tool_has_capabilities_and_an_example_that_its_schema_takes() {
        let facts: Value = serde_json::from_str(FACTS).unwrap();
        let known: Vec<&str> = facts.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(known, BUILT_IN_TOOLS);
        for tool in crate::builtin::all() {
            let told = tool_specification(&tool.definition);
            let examples = told["examples"].as_array().unwrap();
            assert!(!examples.is_empty() && told["version"].is_string(), "{told}");
            examples.iter().for_each(|example| tool.validate(example).unwrap());
        }
    }
}

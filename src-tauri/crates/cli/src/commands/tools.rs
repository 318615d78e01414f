//! `arki tools`: what the agent would be offered in this project.

use crate::exit::Exit;
use crate::output::Output;
use arki_domain::{Category, Fault, ToolDefinition};
use arki_engine::Engine;
use serde_json::json;
use std::path::Path;

pub(crate) fn run(engine: &Engine, dir: &Path, output: &Output) -> Result<Exit, Fault> {
    for tool in engine.tools(dir)?.iter() {
        let ToolDefinition { name, description, category, parameters } = tool;
        if output.json {
            let (name, description) = (&**name, &**description);
            output.object(&json!({
                "name": name, "category": category, "description": description, "parameters": parameters,
            }));
        } else {
            output.line(format!("{name:<20} {:<8} {description}", word(*category)));
        }
    }
    Ok(Exit::Done)
}

fn word(category: Category) -> &'static str {
    match category {
        Category::Read => "read",
        Category::Write => "write",
        Category::Exec => "exec",
        Category::Network => "network",
    }
}

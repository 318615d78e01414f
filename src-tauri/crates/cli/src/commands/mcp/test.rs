//! `arki mcp test`: a server's start, step by step.

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::{McpTestStep, McpTestStepName};
use arki_domain::Fault;
use arki_engine::{Engine, one_line};
use serde_json::json;
use std::path::Path;

pub(super) async fn run(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Fault> {
    let mut listed = None;
    let mut on_step = |step: McpTestStep| match output.json {
        // Told with the tools.
        true if step.ok && step.step == McpTestStepName::Tools => listed = Some(step),
        true => output.object(&step),
        false => told(&step).into_iter().for_each(|line| output.line(line)),
    };
    if !engine.mcp().mcp_test(dir, name, &mut on_step).await? {
        return Ok(Exit::Failed);
    }
    let (tools, left_out) = engine.mcp().mcp_tools_listed(dir, name)?;
    if let Some(mut step) = listed.and_then(|step| serde_json::to_value(step).ok()) {
        let told = tools.iter().map(|tool| json!({ "name": tool.name, "description": tool.description }));
        step["tools"] = told.collect();
        step["leftOut"] = json!(left_out);
        output.object(&step);
        return Ok(Exit::Done);
    }
    for tool in &tools {
        output.line(format!("  {:<24} {}", one_line(&tool.name), first_line(&tool.description)));
    }
    for tool in &left_out {
        output.line(format!("  {:<24} left out: {}", one_line(&tool.name), tool.reason));
    }
    Ok(Exit::Done)
}

fn first_line(description: &str) -> String {
    one_line(description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

fn told(step: &McpTestStep) -> Vec<String> {
    let mark = if step.ok { "\x1b[32m✓\x1b[0m" } else { "\x1b[31m✕\x1b[0m" };
    let name = match step.step {
        McpTestStepName::Start => "start",
        McpTestStepName::Initialize => "initialize",
        McpTestStepName::Tools => "tools",
    };
    let mut lines = vec![format!("{mark} {name:<10} {:>6} ms  {}", step.duration_ms, one_line(&step.message))];
    lines.extend(step.hint.iter().filter(|hint| !hint.is_empty()).map(|hint| format!("  hint: {hint}")));
    if let Some(trail) = &step.trail {
        lines.push("  last output:".to_owned());
        lines.extend(trail.lines().map(|line| format!("  | {}", one_line(line))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_shows_what_the_server_printed() {
        let step = McpTestStep {
            step: McpTestStepName::Initialize,
            ok: false,
            duration_ms: 5,
            message: "It ended.".into(),
            code: Some("MCP_SERVER_FAILED".into()),
            hint: Some("Look.".into()),
            trail: Some("Traceback\nno module".into()),
        };
        let lines = told(&step);
        assert!(lines[0].ends_with("initialize      5 ms  It ended."), "{}", lines[0]);
        assert_eq!(lines[1..], ["  hint: Look.", "  last output:", "  | Traceback", "  | no module"]);
    }
}

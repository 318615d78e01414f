//! `arki mcp test`: a server's start, step by step.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, word_of};
use arki_api::{ListedMcpTools, McpTestStep, McpTestStepName, PrintedMcpTool};
use arki_domain::plural;
use arki_engine::{Engine, one_line};
use std::path::Path;

pub(super) async fn run(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> CommandExit {
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
    if let Some(step) = listed {
        let tools = tools.into_iter();
        let tools = tools.map(|tool| PrintedMcpTool { name: tool.name, description: tool.description }).collect();
        output.object(&ListedMcpTools { step, tools, left_out });
        return Ok(Exit::Done);
    }
    for tool in &tools {
        output.line(format!("  {:<24} {}", shown_name(&tool.name), first_line(&tool.description)));
    }
    let (named, nameless): (Vec<_>, Vec<_>) = left_out.iter().partition(|tool| !tool.name.trim().is_empty());
    for tool in named {
        output.line(format!("  {:<24} left out: {}", shown_name(&tool.name), tool.reason));
    }
    if !nameless.is_empty() {
        output.line(format!("  Left out because they have no name: {}.", plural(nameless.len() as u64, "tool")));
    }
    Ok(Exit::Done)
}

const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 200;

fn shown_name(name: &str) -> String {
    shortened(&one_line(name), MAX_NAME_CHARS)
}

fn first_line(description: &str) -> String {
    let line = description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    shortened(&one_line(line), MAX_DESCRIPTION_CHARS)
}

/// Returns the text, or its beginning and how much of it was left out.
fn shortened(text: &str, max_chars: usize) -> String {
    match text.chars().count().checked_sub(max_chars) {
        None | Some(0) => text.to_owned(),
        Some(more) => format!(
            "{}… (cut: {})",
            text.chars().take(max_chars).collect::<String>(),
            plural(more as u64, "more character")
        ),
    }
}

fn told(step: &McpTestStep) -> Vec<String> {
    let mark = if step.ok { "\x1b[32m✓\x1b[0m" } else { "\x1b[31m✕\x1b[0m" };
    let name = word_of(step.step);
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
    fn a_long_description_is_cut_and_says_so() {
        assert_eq!(first_line("\n Reads\ta file. \nMore."), "Reads a file.");
        assert_eq!(first_line(&"ü".repeat(200)), "ü".repeat(200));
        assert_eq!(first_line(&"ü".repeat(50_000)), format!("{}… (cut: 49800 more characters)", "ü".repeat(200)));
        assert!(shown_name(&"n".repeat(65)).ends_with("n… (cut: 1 more character)"));
    }

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

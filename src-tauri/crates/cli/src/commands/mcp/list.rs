//! `arki mcp list`.

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::{McpServerEntry, McpServerState};
use arki_domain::Error;
use arki_engine::{Engine, one_line};
use std::path::Path;

pub(super) fn run(engine: &Engine, dir: &Path, output: &Printer) -> Result<Exit, Error> {
    let servers = engine.mcp().mcp_listed(dir)?;
    output.aside_if_empty(&servers, "No MCP servers. Add one with `arki mcp add`.");
    for server in servers {
        if output.json {
            output.object(&server);
            continue;
        }
        let (name, transport, state) = (&server.name, &server.transport, state(server.state));
        output.line(format!(
            "{name:<20} {transport:<6} {state:<10} {:<10} {}",
            tools(&server),
            one_line(&server.place)
        ));
        if !server.changed.is_empty() {
            let count = server.changed.len();
            output.line(format!("  {count} tools changed and are off; review them with `arki mcp agree {name}`"));
        }
        for tool in &server.refused {
            output.line(format!("  {} is off: {}", one_line(&tool.name), tool.reason));
        }
    }
    engine.mcp().mcp_left_out(dir).iter().for_each(|words| output.aside(one_line(words)));
    Ok(Exit::Done)
}

fn state(state: McpServerState) -> &'static str {
    match state {
        McpServerState::Disabled => "disabled",
        McpServerState::Untrusted => "untrusted",
        McpServerState::Idle => "idle",
        McpServerState::Starting => "starting",
        McpServerState::Running => "running",
        McpServerState::Failed => "failed",
    }
}

fn tools(server: &McpServerEntry) -> String {
    match &server.tools {
        None => "? tools".to_owned(),
        Some(tools) if server.is_searched => format!("{} tools, searched", tools.len()),
        Some(tools) => format!("{} tools", tools.len()),
    }
}

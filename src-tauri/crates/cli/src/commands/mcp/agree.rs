//! `arki mcp agree`: what changed of a server's tools, and accepting it.

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::{McpChangedTool, PinChange};
use arki_domain::Error;
use arki_engine::{Engine, one_line};
use std::path::Path;

pub(super) async fn run(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Error> {
    let before = engine.mcp().mcp_look(dir, name).await?;
    if !output.json {
        before.changed.iter().flat_map(difference).for_each(|line| output.line(line));
    }
    engine.mcp().mcp_agree(dir, name, &before.digest).await?;
    if output.json {
        before.changed.iter().for_each(|change| output.object(change));
    } else {
        output.line(format!("Accepted the current tools of {name}."));
    }
    Ok(Exit::Done)
}

fn difference(tool: &McpChangedTool) -> Vec<String> {
    let (mark, word) = match tool.change {
        PinChange::Added => ("+", "new"),
        PinChange::Changed => ("~", "changed"),
        PinChange::Removed => ("-", "gone"),
    };
    let mut lines = vec![format!("{mark} {} ({word})", one_line(&tool.name))];
    for (sign, text) in [("-", &tool.before), ("+", &tool.now)] {
        let text = text.as_deref().unwrap_or_default();
        lines.extend(text.lines().map(|line| format!("    {sign} {}", one_line(line))));
    }
    lines
}

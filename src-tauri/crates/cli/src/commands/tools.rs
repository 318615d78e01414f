//! `arki tools`: what the agent would be offered in this project, and what of it a session goes without.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, word_of};
use arki_domain::ToolDefinition;
use arki_engine::{Engine, SessionTool, tool_specification};
use clap::Args;
use std::path::Path;

/// List the tools the agent gets in this project, with category and description; --json adds the argument schemas
#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    /// List the tools of this session, including those switched off
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Switch a tool off, starting with the session's next run; repeatable
    #[arg(long, value_name = "NAME", requires = "session")]
    pub(crate) off: Vec<String>,
    /// Switch a tool on again; repeatable
    #[arg(long, value_name = "NAME", requires = "session", conflicts_with = "off")]
    pub(crate) on: Vec<String>,
}

pub(crate) async fn run(engine: &Engine, dir: &Path, arguments: &ToolsArguments, output: &Printer) -> CommandExit {
    let Some(session) = &arguments.session else {
        engine.session_tools().tools(dir)?.iter().for_each(|tool| show(tool, None, output));
        return Ok(Exit::Done);
    };
    let session = engine.session_names().find_session(session)?.session_id;
    engine.session_tools().switch_session_tools(&session, &arguments.on, &arguments.off).await?;
    for SessionTool { definition, enabled } in engine.session_tools().session_tools(&session)? {
        show(&definition, Some(enabled), output);
    }
    Ok(Exit::Done)
}

/// `enabled` where it is about a session.
fn show(tool: &ToolDefinition, enabled: Option<bool>, output: &Printer) {
    let ToolDefinition { name, description, category, .. } = tool;
    if output.json {
        let mut shown = tool_specification(tool);
        if let Some(enabled) = enabled {
            shown["enabled"] = enabled.into();
        }
        output.object(&shown);
        return;
    }
    let state = match enabled {
        Some(true) => "on  ",
        Some(false) => "off ",
        None => "",
    };
    // The rest is a manual.
    let said = description
        .lines()
        .next()
        .and_then(|line| line.split_inclusive(". ").next())
        .unwrap_or_default()
        .trim_end_matches([' ', ':']);
    output.line(format!("{state}{name:<20} {:<8} {said}", word_of(category)));
}

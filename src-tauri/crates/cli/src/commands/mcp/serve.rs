//! `arki mcp serve`: Arki as an MCP server of another agent's.

use crate::exit::Exit;
use arki_domain::Error;
use arki_engine::Engine;
use arki_mcp_server::{Scope, serve_standard_streams};
use clap::Args;
use std::path::Path;
use std::sync::Arc;

/// Offer this folder's sessions, pipeline runs and open questions to another agent, on standard input and output. It can
/// read them, and nothing else
#[derive(Debug, Args)]
pub(crate) struct McpServeArguments {
    /// Offer those of all folders
    #[arg(long)]
    all: bool,
}

pub(super) async fn run(engine: &Arc<Engine>, dir: &Path, arguments: &McpServeArguments) -> Result<Exit, Error> {
    let scope = match arguments.all {
        true => Scope::All,
        false => Scope::Folder(engine.projects().project(dir)?.path),
    };
    serve_standard_streams(engine.clone(), scope).await?;
    Ok(Exit::Done)
}

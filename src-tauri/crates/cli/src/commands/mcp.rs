//! `arki mcp`: servers that bring tools of their own, and Arki as one for others.

mod add;
mod agree;
mod list;
mod login;
mod prompts;
mod serve;
mod test;

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::NamedChange;
use arki_domain::Error;
use arki_engine::Engine;
use clap::Subcommand;
use std::path::Path;
use std::sync::Arc;

/// List, test, add, remove or sign in to MCP servers; or be one for another agent
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the configured servers with their state and number of tools, without starting any
    List,
    /// Start a server and list its tools; if a step fails, show which one and what the server printed
    Test {
        /// The server's name
        name: String,
    },
    /// Show how a server's tools changed, and accept the changes; changed tools are off until you do
    Agree {
        /// The server's name
        name: String,
    },
    Add(add::AddMcpServerArguments),
    /// Remove a server from your configuration
    Rm {
        /// The server's name
        name: String,
    },
    /// Sign in to a server with your browser; the tokens are stored in the keychain
    Login {
        /// The server's name
        name: String,
    },
    Prompts(prompts::McpPromptsArguments),
    Serve(serve::McpServeArguments),
}

pub(crate) async fn run(
    engine: &Arc<Engine>,
    dir: &Path,
    command: McpCommand,
    output: &Printer,
) -> Result<Exit, Error> {
    match command {
        McpCommand::List => list::run(engine, dir, output),
        McpCommand::Add(arguments) => add::run(engine, &arguments, output),
        McpCommand::Rm { name } => {
            engine.mcp().remove_mcp_server(&name)?;
            output.tell(&NamedChange::removed(&name), || format!("Removed {name}."));
            Ok(Exit::Done)
        }
        McpCommand::Test { name } => test::run(engine, dir, &name, output).await,
        McpCommand::Agree { name } => agree::run(engine, dir, &name, output).await,
        McpCommand::Login { name } => login::run(engine, dir, &name, output).await,
        McpCommand::Prompts(arguments) => prompts::run(engine, dir, &arguments, output).await,
        McpCommand::Serve(arguments) => serve::run(engine, dir, &arguments).await,
    }
}

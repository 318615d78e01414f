//! `arki mcp`: servers that bring tools of their own, and Arki as one for others.

mod test;

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, word_of};
use arki_api::{FilledPrompt, McpChangedTool, McpServerEntry, McpServerSettings, McpVariable, NamedChange, PinChange};
use arki_domain::Error;
use arki_engine::{Engine, EnvironmentKeys, one_line};
use arki_mcp_server::{Scope, serve_standard_streams};
use clap::{Args, Subcommand};
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
    Add(AddMcpServerArguments),
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
    /// List a server's prompts, or print one to pipe into `arki exec -`
    Prompts {
        /// The server's name
        name: String,
        /// The prompt to print; default: list them
        prompt: Option<String>,
        /// The prompt's arguments
        #[arg(value_name = "NAME=VALUE")]
        arguments: Vec<String>,
    },
    /// Offer this folder's sessions, pipeline runs and open questions to another agent, on standard input and output. It
    /// can read them, and nothing else
    Serve {
        /// Offer those of all folders
        #[arg(long)]
        all: bool,
    },
}

pub(crate) async fn run(engine: &Arc<Engine>, dir: &Path, command: McpCommand, output: &Printer) -> CommandExit {
    match command {
        McpCommand::List => list(engine, dir, output),
        McpCommand::Add(arguments) => add(engine, &arguments, output),
        McpCommand::Rm { name } => {
            engine.mcp().remove_mcp_server(&name)?;
            output.tell(&NamedChange::removed(&name), || format!("Removed {name}."));
            Ok(Exit::Done)
        }
        McpCommand::Test { name } => test::run(engine, dir, &name, output).await,
        McpCommand::Agree { name } => agree(engine, dir, &name, output).await,
        McpCommand::Login { name } => login(engine, dir, &name, output).await,
        McpCommand::Prompts { name, prompt: None, .. } => list_prompts(engine, dir, &name, output).await,
        McpCommand::Prompts { name, prompt: Some(prompt), arguments } => {
            let arguments = arguments.iter().map(|argument| named_value(argument)).collect::<Result<_, _>>()?;
            let text = engine.mcp().mcp_prompt(dir, &name, &prompt, &arguments).await?;
            output.tell(&FilledPrompt { name: prompt, text: text.clone() }, || text);
            Ok(Exit::Done)
        }
        McpCommand::Serve { all } => {
            let scope = if all { Scope::All } else { Scope::Folder(engine.projects().project(dir)?.path) };
            serve_standard_streams(engine.clone(), scope).await?;
            Ok(Exit::Done)
        }
    }
}

fn list(engine: &Engine, dir: &Path, output: &Printer) -> CommandExit {
    let servers = engine.mcp().mcp_listed(dir)?;
    output.aside_if_empty(&servers, "No MCP servers. Add one with `arki mcp add`.");
    for server in servers {
        if output.json {
            output.object(&server);
            continue;
        }
        let (name, transport, state) = (&server.name, &server.transport, word_of(server.state));
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

fn tools(server: &McpServerEntry) -> String {
    match &server.tools {
        None => "? tools".to_owned(),
        Some(tools) if server.is_searched => format!("{} tools, searched", tools.len()),
        Some(tools) => format!("{} tools", tools.len()),
    }
}

/// Add a server to your configuration: a command after `--`, or a URL
#[derive(Debug, Args)]
pub(crate) struct AddMcpServerArguments {
    /// The server's name: it becomes a part of its tools' names
    name: String,
    /// Set an environment variable for the program; `K='${V}'` passes on your variable V. Repeatable
    #[arg(long, value_name = "K=V", conflicts_with = "url")]
    env: Vec<String>,
    /// Allow the program to use the network
    #[arg(long, conflicts_with = "url")]
    network: bool,
    /// The URL of an HTTP server
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,
    /// Send this header with each request; repeatable
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
    /// The program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl AddMcpServerArguments {
    fn settings(&self) -> Result<McpServerSettings, Error> {
        Ok(McpServerSettings {
            command: self.command.first().cloned(),
            args: self.command.iter().skip(1).cloned().collect(),
            env: self.env.iter().map(|given| variable(given, '=')).collect::<Result<_, _>>()?,
            network: self.network,
            url: self.url.clone(),
            headers: self.header.iter().map(|given| variable(given, ':')).collect::<Result<_, _>>()?,
        })
    }
}

fn add(engine: &Engine, arguments: &AddMcpServerArguments, output: &Printer) -> CommandExit {
    let (name, settings) = (arguments.name.trim(), arguments.settings()?);
    if settings.command.is_none() && settings.url.is_none() {
        return Err(wrong_use(
            "An MCP server needs a program or an address.",
            format!("Use `arki mcp add {name} -- COMMAND` or `arki mcp add {name} --url URL`."),
        ));
    }
    engine.mcp().add_mcp_server(name, &settings)?;
    let is_secret = |one: &&McpVariable| {
        let value = one.value.as_deref().unwrap_or_default();
        EnvironmentKeys::looks_like_a_key(&one.name) && !value.contains("${")
    };
    for one in settings.env.iter().chain(&settings.headers).filter(is_secret) {
        output.aside(format!(
            "{} is stored in config.json in plain text. To keep it out, run `arki mcp rm {name}`, add the server \
            again with '${{{}}}', and set that variable.",
            one.name, one.name
        ));
    }
    output.tell(&NamedChange::added(name), || {
        let network =
            if settings.command.is_some() && !settings.network { " Its program has no network access." } else { "" };
        format!("Added {name}.{network} Run `arki mcp test {name}` to try it.")
    });
    Ok(Exit::Done)
}

/// `NAME=VALUE`, or `NAME: VALUE`.
fn variable(given: &str, between: char) -> Result<McpVariable, Error> {
    let (name, value) = given.split_once(between).ok_or_else(|| {
        let hint = format!("Write it as NAME{between}VALUE.");
        wrong_use("A variable or header has no name or no value.", hint)
    })?;
    let value = if between == ':' { value.trim() } else { value };
    Ok(McpVariable { name: name.trim().to_owned(), value: Some(value.to_owned()) })
}

async fn agree(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> CommandExit {
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

async fn login(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> CommandExit {
    // Beside the answer, so that `--json` stays JSON.
    let show = |url: &str| {
        let words = format!("Open this page in a browser on this computer to sign in:\n{}", one_line(url));
        Printer::new(false).aside(words);
    };
    engine.mcp().mcp_sign_in(dir, name, show).await?;
    output.tell(&NamedChange::signed_in(name), || format!("Signed in to {name}."));
    Ok(Exit::Done)
}

async fn list_prompts(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> CommandExit {
    for prompt in engine.mcp().mcp_prompts(dir, name).await? {
        output.tell(&prompt, || {
            let arguments: Vec<String> =
                prompt.arguments.iter().map(|argument| format!(" {{{}}}", argument.name)).collect();
            format!("{}{}  {}", prompt.name, arguments.concat(), one_line(&prompt.description))
        });
    }
    Ok(Exit::Done)
}

fn named_value(argument: &str) -> Result<(String, serde_json::Value), Error> {
    let (name, value) = argument.split_once('=').ok_or_else(|| {
        let message = format!("\"{argument}\" has no argument name.");
        wrong_use(message, "Write it as NAME=VALUE.")
    })?;
    Ok((name.to_owned(), value.into()))
}

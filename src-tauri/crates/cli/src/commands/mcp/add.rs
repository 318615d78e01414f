//! `arki mcp add`.

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::{McpServerSettings, McpVariable, NamedChange};
use arki_domain::{Code, Error};
use arki_engine::{Engine, EnvironmentKeys};
use clap::Args;

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

pub(super) fn run(engine: &Engine, arguments: &AddMcpServerArguments, output: &Printer) -> Result<Exit, Error> {
    let (name, settings) = (arguments.name.trim(), arguments.settings()?);
    if settings.command.is_none() && settings.url.is_none() {
        return Err(Error::new(
            Code::USAGE,
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
        Error::new(Code::USAGE, "A variable or header has no name or no value.", hint)
    })?;
    let value = if between == ':' { value.trim() } else { value };
    Ok(McpVariable { name: name.trim().to_owned(), value: Some(value.to_owned()) })
}

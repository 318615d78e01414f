//! `arki mcp prompts`: a server's prompts, or one of them.

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::FilledPrompt;
use arki_domain::{Code, Error};
use arki_engine::{Engine, one_line};
use clap::Args;
use std::path::Path;

/// List a server's prompts, or print one to pipe into `arki exec -`
#[derive(Debug, Args)]
pub(crate) struct McpPromptsArguments {
    /// The server's name
    name: String,
    /// The prompt to print; default: list them
    prompt: Option<String>,
    /// The prompt's arguments
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<String>,
}

pub(super) async fn run(
    engine: &Engine,
    dir: &Path,
    McpPromptsArguments { name, prompt, arguments }: &McpPromptsArguments,
    output: &Printer,
) -> Result<Exit, Error> {
    let Some(prompt) = prompt else { return list(engine, dir, name, output).await };
    let arguments = arguments.iter().map(|argument| named_value(argument)).collect::<Result<_, _>>()?;
    let text = engine.mcp().mcp_prompt(dir, name, prompt, &arguments).await?;
    output.tell(&FilledPrompt { name: prompt.clone(), text: text.clone() }, || text);
    Ok(Exit::Done)
}

async fn list(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Error> {
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
        Error::new(Code::USAGE, message, "Write it as NAME=VALUE.")
    })?;
    Ok((name.to_owned(), value.into()))
}

//! `arki policy check`: the decision and the rule that made it. Executes nothing.

use crate::arguments::PolicyCommand;
use crate::exit::Exit;
use crate::output::Output;
use arki_domain::{Code, Fault};
use arki_engine::Engine;
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn run(engine: &Engine, dir: &Path, command: PolicyCommand, output: &Output) -> Result<Exit, Fault> {
    let PolicyCommand::Check { tool, args, command } = command;
    let args = match (args, command.as_slice()) {
        (Some(args), _) => parse(&args)?,
        (None, []) => return Err(usage("There is nothing to check.")),
        (None, [line]) => json!({"command": line}),
        (None, argv) => json!({"command": shell_line(argv)?}),
    };
    output.object(&engine.judge(dir, &tool, &args)?);
    Ok(Exit::Done)
}

fn parse(args: &str) -> Result<Value, Fault> {
    serde_json::from_str(args).map_err(|error| usage(&format!("--args is not JSON: {error}.")))
}

/// An argv as the shell line that means just that.
fn shell_line(argv: &[String]) -> Result<String, Fault> {
    shlex::try_join(argv.iter().map(String::as_str)).map_err(|_| usage("An argument has a NUL character."))
}

fn usage(message: &str) -> Fault {
    Fault::new(
        Code::USAGE,
        message,
        "Try `arki policy check 'ls -la'` or `--tool edit_file --args '{\"path\": \"a\"}'`.",
    )
}

//! `run_command`: what the model says of a command; the kernel runs it.

use crate::error::ToolError;
use crate::tool::{Action, Tool, arguments};
use arki_domain::{Code, Fault};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The shell line; it runs in the project's folder.
    pub(crate) command: String,
    /// The command is ended after this many seconds.
    #[schemars(range(min = 1, max = 3600))]
    pub(crate) timeout_seconds: Option<u64>,
    /// Whether the command needs the network. Without it no machine can be reached, nor this one's own services.
    #[serde(default)]
    pub(crate) network: bool,
    /// Answer at once and let the command go on, such as a server; its result comes as a message when it has ended.
    pub(crate) background: Option<bool>,
    /// Run it at a terminal of its own, for a program that refuses to run or does less without. Nobody types there.
    #[serde(default)]
    pub(crate) terminal: bool,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("run_command", include_str!("run_command/manual.md"), Action::Command)
}

/// Of a command line. Linux gives a program no single argument of 128 KiB.
pub(crate) const MAX_COMMAND_BYTES: usize = 100_000;

pub(crate) fn parse(args: &Value) -> Result<Arguments, ToolError> {
    let arguments: Arguments = arguments(args)?;
    let length = arguments.command.len();
    if length > MAX_COMMAND_BYTES {
        let message = format!("The command is too long: {length} bytes, of at most {MAX_COMMAND_BYTES}.");
        let hint = "Write what is long into a file first, and run a short command that uses it.";
        return Err(Fault::new(Code::ARGUMENTS_INVALID, message, hint).into());
    }
    Ok(arguments)
}

//! `run_command`: what the model says of a command; the executor runs it.

use crate::error::ToolError;
use crate::tool::{Action, Tool, arguments};
use arki_domain::{Code, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    pub(crate) command: String,
    #[schemars(range(min = 1, max = 3600))]
    pub(crate) timeout_seconds: Option<u64>,
    /// Needed for localhost too.
    #[serde(default)]
    pub(crate) network: bool,
    /// Keep it running, such as a server; the result comes later as a message.
    pub(crate) background: Option<bool>,
    /// For programs that need one; the output is its final screen.
    #[serde(default)]
    pub(crate) terminal: bool,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("run_command", include_str!("run_command/manual.md"), Action::Command)
}

/// The limit for a command line. Linux gives a program no single argument of 128 KiB.
pub(crate) const MAX_COMMAND_BYTES: usize = 100_000;

pub(crate) fn parse(args: &Value) -> Result<Arguments, ToolError> {
    let arguments: Arguments = arguments(args)?;
    let length = arguments.command.len();
    if length > MAX_COMMAND_BYTES {
        let message = format!("The command is too long: {length} bytes, of at most {MAX_COMMAND_BYTES}.");
        let hint = "Write the long part to a file, and run a short command that uses it.";
        return Err(Error::new(Code::ARGUMENTS_INVALID, message, hint).into());
    }
    Ok(arguments)
}

//! `command`: a shell line in the sandbox, with the step's input on standard input and the parameters as environment
//! variables.

use super::{Adapter, AttemptResult, Grant, KeyProblem, StepFault, checked};
use crate::forbidden_paths::forbidden;
use crate::key_schema;
use crate::step_host::{CommandEnd, CommandEnding, CommandTask, StepHost, Task};
use arki_domain::{Code, Error};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const MAX_LINE_BYTES: usize = 64 << 10;
/// The longest part of a failed command's standard error that is shown, in characters.
const MAX_SAID_CHARS: usize = 1000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommandSettings {
    /// The shell line.
    run: String,
    /// Lets the command use the network.
    #[serde(default)]
    network: bool,
}

pub(super) struct CommandAdapter;

#[async_trait]
impl Adapter for CommandAdapter {
    fn name(&self) -> &'static str {
        "command"
    }

    fn about(&self) -> &'static str {
        "Runs a shell line in the sandbox, with the input on standard input; its standard output is the output."
    }

    fn settings(&self) -> Value {
        key_schema::of::<CommandSettings>()
    }

    fn check(&self, settings: &Value) -> Result<(), KeyProblem> {
        let settings: CommandSettings = checked(settings)?;
        if settings.run.trim().is_empty() || settings.run.contains('\0') {
            return Err(KeyProblem::of("run", "`run` isn't a command.", "Write the shell line to run."));
        }
        if settings.run.len() > MAX_LINE_BYTES {
            let words = format!("`run` is longer than {} KiB.", MAX_LINE_BYTES >> 10);
            return Err(KeyProblem::of("run", words, "Put the script into a file of the project."));
        }
        Ok(())
    }

    fn grants(&self, settings: &Value) -> Vec<Grant> {
        if settings["network"] == true { vec![Grant::Network] } else { Vec::new() }
    }

    async fn work(&self, task: &Task, world: &dyn StepHost) -> Result<AttemptResult, StepFault> {
        let CommandSettings { run, network } = task.read()?;
        let command = CommandTask { line: &run, network, home_files: &[] };
        run_command(task, &command, world).await
    }
}

/// Runs a line for a step, whatever the adapter.
pub(super) async fn run_command(
    task: &Task,
    command: &CommandTask<'_>,
    world: &dyn StepHost,
) -> Result<AttemptResult, StepFault> {
    let named = world.named_paths(command.line);
    if let Some((path, pattern)) = forbidden(&task.denylist, named.iter().map(String::as_str), world) {
        return Err(StepFault::final_(denylisted(path, pattern)));
    }
    let end = world.command(command, task).await.map_err(of_world)?;
    judged(task, end)
}

/// Returns the step's fault. A refusal is final, since it would be repeated; anything else may go better another time.
fn of_world(fault: Error) -> StepFault {
    let refusals = [Code::UNTRUSTED, Code::POLICY_DENIED, Code::SANDBOX_UNAVAILABLE, Code::CANCELLED];
    let is_retryable = !refusals.iter().any(|code| fault.is(*code));
    StepFault { fault, is_retryable }
}

fn judged(task: &Task, end: CommandEnd) -> Result<AttemptResult, StepFault> {
    let CommandEnd { ending, exit_code, stdout, is_text, is_cut, stderr, changed } = end;
    let limit = task.context.max_output_bytes;
    match ending {
        CommandEnding::Cancelled => return Err(StepFault::final_(cancelled())),
        CommandEnding::TimedOut => return Err(StepFault::retryable(timed_out(task.context.time_limit.as_secs()))),
        CommandEnding::Overran(_) if is_cut => return Err(StepFault::final_(too_long(limit))),
        CommandEnding::Overran(words) => {
            let message = format!("The command was ended: it {words}.");
            return Err(StepFault::final_(Error::new(Code::COMMAND_OVER_LIMIT, message, "Make it do less at once.")));
        }
        CommandEnding::Exited => {}
    }
    if exit_code != Some(0) {
        let ended = exit_code.map_or_else(|| "was killed".to_owned(), |code| format!("exited with {code}"));
        let told = match said_in_short(&stderr) {
            said if said.is_empty() => "and said nothing on standard error".to_owned(),
            said => format!("and said: {}", said.trim_end_matches('.')),
        };
        let hint = "Fix the step's command, or its input.";
        return Err(StepFault::retryable(Error::new(Code::STEP_FAILED, format!("The command {ended} {told}."), hint)));
    }
    if is_cut {
        return Err(StepFault::final_(too_long(limit)));
    }
    if !is_text {
        return Err(StepFault::final_(Error::new(
            Code::STEP_OUTPUT_INVALID,
            "The command's output is not text (UTF-8).",
            "Write it to a file, or encode it, for example with `base64`.",
        )));
    }
    if let Some((path, pattern)) = changed.iter().find_map(|path| Some((path, task.denylist.forbids(path)?))) {
        return Err(StepFault::final_(denylisted(path, pattern)));
    }
    Ok(AttemptResult::Output { output: stdout, changed })
}

/// Shortens a long text to its first line and its end: an error stands in either.
fn said_in_short(stderr: &str) -> String {
    let said = stderr.trim();
    if said.chars().count() <= MAX_SAID_CHARS {
        return said.to_owned();
    }
    let first: String = said.lines().next().unwrap_or_default().chars().take(MAX_SAID_CHARS / 2).collect();
    let end = said.char_indices().rev().nth(MAX_SAID_CHARS / 2 - 1).map_or(0, |(at, _)| at.max(first.len()));
    format!("{} … {}", first.trim_end(), said[end..].trim_start())
}

pub(crate) fn denylisted(path: &str, pattern: &str) -> Error {
    Error::new(
        Code::STEP_DENYLISTED,
        format!("The step touches {path}, which `denylist_patterns` forbid ({pattern})."),
        "Change the step, or the pipeline's `denylist_patterns`.",
    )
}

pub(crate) fn too_long(limit: u64) -> Error {
    Error::new(
        Code::STEP_OUTPUT_INVALID,
        format!("The step's output is longer than {limit} bytes."),
        "Raise `limits.max_output_bytes`, or write the output to a file.",
    )
}

pub(crate) fn timed_out(seconds: u64) -> Error {
    Error::new(
        Code::STEP_TIMEOUT,
        format!("The step took longer than {seconds} s."),
        "Raise `timeout_seconds` of the step, or `limits.step_timeout_seconds`.",
    )
}

pub(crate) fn cancelled() -> Error {
    Error::new(Code::CANCELLED, "The run was stopped.", "")
}

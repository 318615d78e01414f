//! `arki exec`: one headless run.

use crate::arguments::{Core, ExecArguments};
use crate::exit::Exit;
use crate::follow;
use crate::output::Output;
use arki_domain::{Code, Fault, RunOptions};
use arki_engine::{Engine, RunTarget, StartRun};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A longer prompt is a mistake.
const MAX_PROMPT_BYTES: u64 = 4 * 1024 * 1024;

pub(crate) async fn run(
    engine: &Arc<Engine>,
    dir: &Path,
    arguments: ExecArguments,
    output: &Output,
) -> Result<Exit, Fault> {
    let Core::ToolLoop = arguments.core;
    let target = target(engine, dir, &arguments)?;
    let prompt = match arguments.prompt.as_deref() {
        Some("-") | None => read_prompt()?,
        Some(prompt) => prompt.to_owned(),
    };
    let start = StartRun {
        target,
        prompt,
        model: arguments.model,
        options: RunOptions {
            approve: arguments.approve.into(),
            max_turns: arguments.max_turns,
            max_seconds: arguments.max_seconds,
            max_cost_usd: arguments.max_cost,
            system: arguments.system,
        },
        message_id: None,
    };
    let subscription = engine.subscribe();
    let running = engine.start_run(start).await?;
    follow::to_next_stop(engine, output, subscription, running).await
}

fn target(engine: &Engine, dir: &Path, arguments: &ExecArguments) -> Result<RunTarget, Fault> {
    if let Some(id) = &arguments.session {
        return Ok(RunTarget::Session(engine.find_session(id)?.session_id));
    }
    if arguments.continue_last {
        let folder = engine.project(dir)?.path;
        return match engine.latest_session(Path::new(&folder))? {
            Some(session) => Ok(RunTarget::Session(session.session_id)),
            None => Err(Fault::new(
                Code::SESSION_NOT_FOUND,
                format!("There is no session in {folder} to go on with."),
                "Leave out --continue to begin one.",
            )),
        };
    }
    Ok(RunTarget::NewSession(dir.to_owned()))
}

fn read_prompt() -> Result<String, Fault> {
    let mut prompt = Vec::new();
    let read = std::io::stdin().lock().take(MAX_PROMPT_BYTES + 1).read_to_end(&mut prompt);
    let usable = read.is_ok() && prompt.len() as u64 <= MAX_PROMPT_BYTES;
    usable.then(|| String::from_utf8(prompt).ok()).flatten().ok_or_else(|| {
        Fault::new(
            Code::USAGE,
            "The prompt on standard input is not UTF-8 text, or it is longer than 4 MiB.",
            "Pass the prompt as an argument, or name the file in the prompt instead of sending it.",
        )
    })
}

//! `arki doctor`: one line a check, with what to do about a failure.

use crate::exit::Exit;
use crate::output::Output;
use arki_domain::Fault;
use arki_engine::{CheckState, Engine};

pub(crate) async fn run(engine: &Engine, output: &Output) -> Result<Exit, Fault> {
    let mut exit = Exit::Done;
    for check in engine.doctor().await {
        if check.state == CheckState::Failed {
            exit = Exit::Failed;
        }
        if output.json {
            output.object(&check);
            continue;
        }
        let mark = match check.state {
            CheckState::Ok => "\x1b[32m✓\x1b[0m",
            CheckState::Warning => "\x1b[33m!\x1b[0m",
            CheckState::Failed => "\x1b[31m✕\x1b[0m",
        };
        let hint = if check.hint.is_empty() { String::new() } else { format!(" {}", check.hint) };
        output.line(format!("{mark} {:<14} {}{hint}", check.name, check.detail));
    }
    Ok(exit)
}

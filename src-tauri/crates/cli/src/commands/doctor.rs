//! `arki doctor`: one line a check, with what to do about a failure.

use crate::exit::{CommandExit, Exit};
use crate::output::Printer;
use arki_domain::Error;
use arki_engine::{Check, CheckState, Engine, EngineOptions};
use std::path::Path;

pub(crate) async fn run(engine: &Engine, folder: &Path, output: &Printer) -> Exit {
    print(engine.doctor().look(folder).await, output)
}

/// The database could not be opened: all the more does somebody want to know what works. `name` is the check that this is
/// told as.
pub(crate) async fn without_database(
    options: EngineOptions,
    folder: &Path,
    (name, reason): (&'static str, Error),
    output: &Printer,
) -> CommandExit {
    Ok(print(Engine::without_database(options)?.doctor().checks_without_database(folder, name, reason).await, output))
}

fn print(checks: Vec<Check>, output: &Printer) -> Exit {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
    let mut exit = Exit::Done;
    for check in checks {
        if check.state == CheckState::Failed {
            exit = Exit::Failed;
        }
        output.tell(&check, || {
            let mark = match check.state {
                CheckState::Ok => "\x1b[32m✓\x1b[0m",
                CheckState::Warning => "\x1b[33m!\x1b[0m",
                CheckState::Failed => "\x1b[31m✕\x1b[0m",
            };
            let hint = if check.hint.is_empty() { String::new() } else { format!(" {}", check.hint) };
            format!("{mark} {:<width$} {}{hint}", check.name, check.detail)
        });
    }
    exit
}

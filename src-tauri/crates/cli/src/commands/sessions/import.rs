//! `arki sessions import`.

use crate::arguments::in_dir;
use crate::exit::Exit;
use crate::output::{Printer, visible};
use arki_api::PrintedImport;
use arki_domain::{Code, Error};
use arki_engine::{Engine, ImportOutcome};
use clap::Args;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

/// Import sessions from an unmodified JSON Lines export, keeping their hashes
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file; `-` reads standard input
    file: PathBuf,
}

pub(super) async fn run(
    engine: &Engine,
    dir: &Path,
    ImportArguments { file }: &ImportArguments,
    output: &Printer,
) -> Result<Exit, Error> {
    let imported = match file == Path::new("-") {
        true => engine.retention().import(BufReader::new(std::io::stdin())).await?,
        false => match open(&in_dir(dir, file)) {
            Ok(opened) => engine.retention().import(BufReader::new(opened)).await?,
            // A file that is not there, or something else, is a wrong use.
            Err(fault) => {
                output.fault(&fault);
                return Ok(Exit::Usage);
            }
        },
    };
    for session in imported {
        let outcome = match session.outcome {
            ImportOutcome::Added => "added",
            ImportOutcome::Extended => "extended",
            ImportOutcome::Unchanged => "unchanged",
        };
        let (session_id, events) = (session.session_id, session.events);
        let state_keys = engine.sessions().agent_state(&session_id)?.values().keys().cloned().collect();
        let printed = PrintedImport { session_id, outcome, events, state_keys };
        output.tell(&printed, || {
            let state = match printed.state_keys.is_empty() {
                true => String::new(),
                false => format!("  state: {}", visible(&printed.state_keys.join(", ")).replace('\n', "\\n")),
            };
            format!("{}  {outcome}  {events} events{state}", printed.session_id)
        });
    }
    Ok(Exit::Done)
}

fn open(file: &Path) -> Result<File, Error> {
    let fault = |code, what: &str| {
        Error::new(code, format!("{} {what}.", file.display()), "Use a file written by `arki sessions export`.")
    };
    if file.is_dir() {
        return Err(fault(Code::EXPORT_INVALID, "is a folder"));
    }
    crate::regular_file::ensure(file)?;
    File::open(file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => fault(Code::FILE_NOT_FOUND, "does not exist"),
        ErrorKind::PermissionDenied => fault(Code::PERMISSION_DENIED, "may not be read"),
        _ => fault(Code::IO_FAILED, "can't be opened"),
    })
}

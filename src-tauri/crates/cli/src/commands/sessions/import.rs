//! `arki sessions import`: from an export, or from what another agent has kept.

use crate::arguments::{in_dir, one_of};
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::{HistoryOutcome, HistorySession, HistorySource, PrintedImport};
use arki_domain::{Code, Error, plural};
use arki_engine::{Engine, ImportOutcome};
use clap::Args;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

const AGENTS: [(&str, HistorySource); 3] = [
    ("claude-code", HistorySource::ClaudeCode),
    ("codex", HistorySource::Codex),
    ("opencode", HistorySource::Opencode),
];

/// Import sessions from an unmodified JSON Lines export, keeping their hashes, or from what another agent has kept
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file; `-` reads standard input
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    file: Option<PathBuf>,
    /// Take the sessions that this agent has kept of this folder. They can be read, searched and forked; its own files
    /// stay as they are
    #[arg(long, value_name = "AGENT", value_parser = one_of(AGENTS))]
    from: Option<HistorySource>,
    /// Take those of all folders
    #[arg(long, requires = "from")]
    all: bool,
}

pub(super) async fn run(engine: &Engine, dir: &Path, arguments: &ImportArguments, output: &Printer) -> CommandExit {
    match (arguments.from, &arguments.file) {
        (Some(agent), _) => {
            let folder = (!arguments.all).then(|| dir.to_owned());
            import_history(engine, agent, folder, output).await
        }
        (None, Some(file)) => import_export(engine, dir, file, output).await,
        (None, None) => Ok(Exit::Usage),
    }
}

async fn import_history(
    engine: &Engine,
    source: HistorySource,
    folder: Option<PathBuf>,
    output: &Printer,
) -> CommandExit {
    let none = match folder {
        Some(_) => "It has kept no sessions of this folder; `--all` takes those of others.",
        None => "It has kept no sessions.",
    };
    let imported = engine.histories().import_history(source, folder).await?;
    for fault in &imported.faults {
        output.aside(format!("Left out: {fault}"));
    }
    if imported.sessions.is_empty() && imported.faults.is_empty() {
        output.aside(none);
    }
    for session in &imported.sessions {
        output.tell(session, || in_words(session));
    }
    let is_failed = imported.sessions.is_empty() && !imported.faults.is_empty();
    Ok(if is_failed { Exit::Failed } else { Exit::Done })
}

fn in_words(session: &HistorySession) -> String {
    let outcome = match session.outcome {
        HistoryOutcome::Added => "added",
        HistoryOutcome::Replaced => "replaced",
        HistoryOutcome::Unchanged => "unchanged",
        HistoryOutcome::Kept => "kept as it is: it was changed here since",
    };
    let left_out = match session.left_out {
        0 => String::new(),
        count => format!(", {} left out", plural(u64::from(count), "damaged part")),
    };
    format!("{}  {outcome}{left_out}  {}", session.session_id, visible(&session.title))
}

async fn import_export(engine: &Engine, dir: &Path, file: &Path, output: &Printer) -> CommandExit {
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

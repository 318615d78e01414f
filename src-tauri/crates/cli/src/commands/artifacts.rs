//! `arki artifacts`: what runs and pipelines emitted.

use super::sessions::MAX_LISTED;
use crate::arguments::in_dir;
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, time, visible};
use arki_api::{PrintedArtifact, SavedArtifact};
use arki_domain::Error;
use arki_engine::{Engine, ListedArtifact};
use clap::Subcommand;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// List what runs and pipelines emitted, or get one
#[derive(Debug, Subcommand)]
pub(crate) enum ArtifactsCommand {
    /// List artifacts, newest first: id, time, size, type, name and session
    List {
        /// The id of a session or run; default: all sessions
        session: Option<String>,
    },
    /// Print an artifact's content, or write it to a file
    Get {
        /// The artifact's id, or its name if only one has it
        id: String,
        /// The file to write, relative to the folder of -C; default, or `-`: standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

pub(crate) fn run(engine: &Engine, dir: &Path, command: ArtifactsCommand, output: &Printer) -> CommandExit {
    match command {
        ArtifactsCommand::List { session } => {
            let session = session.map(|id| engine.session_names().find_session(&id)).transpose()?;
            let session = session.map(|session| session.session_id);
            let artifacts = engine.artifacts().artifacts(session.as_ref(), MAX_LISTED)?;
            artifacts.iter().for_each(|one| show(one, output));
            output.aside_if_empty(&artifacts, "No artifacts. Agents and pipelines emit them.");
        }
        ArtifactsCommand::Get { id, output: file } => {
            let (artifact, bytes) = engine.artifacts().artifact(&id, MAX_LISTED)?;
            match file.map(|file| in_dir(dir, &file)).filter(|file| file != Path::new("-")) {
                Some(file) => {
                    let mut opened = engine.exports().output_file(&file)?;
                    opened.write_all(&bytes).map_err(|error| unwritten(&file, &error))?;
                    opened.finish()?;
                    if output.json {
                        output.object(&SavedArtifact { artifact_id: artifact.emitted.artifact_id, file });
                    }
                }
                None => print(&bytes, output),
            }
        }
    }
    Ok(Exit::Done)
}

/// Prints the bytes unchanged, unless they go to a terminal, which would obey their control characters.
fn print(bytes: &[u8], output: &Printer) {
    match std::str::from_utf8(bytes) {
        Ok(text) if std::io::stdout().is_terminal() => output.line(visible(text.trim_end_matches('\n'))),
        _ => output.bytes(bytes),
    }
}

fn unwritten(file: &Path, error: &std::io::Error) -> Error {
    let what = format!("Can't write {}: {}.", file.display(), arki_domain::io_words(error.kind()));
    Error::new(arki_domain::Code::IO_FAILED, what, "Check the folder and the free space.")
}

fn show(listed: &ListedArtifact, output: &Printer) {
    let ListedArtifact { session_id, run_id, seq, ts, emitted } = listed;
    let object = PrintedArtifact {
        artifact_id: emitted.artifact_id.clone(),
        session_id: session_id.clone(),
        run_id: run_id.clone(),
        seq: *seq,
        ts: *ts,
        name: emitted.name.clone(),
        media_type: emitted.media_type.clone(),
        bytes: emitted.bytes,
    };
    output.tell(&object, || {
        format!(
            "{}  {}  {:>9}  {:<16}  {}  {session_id}",
            emitted.artifact_id,
            time(*ts),
            emitted.bytes,
            visible(&emitted.media_type),
            visible(&emitted.name).replace('\n', "\\n"),
        )
    });
}

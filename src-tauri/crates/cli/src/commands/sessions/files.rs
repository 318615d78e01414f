//! `arki sessions files`: a session's files as they were at one of its events.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::{ReplayedContent, ReviewChange};
use arki_domain::{Code, Error};
use arki_engine::{Engine, FileThen};
use clap::Args;

/// List the files that a session changes, as they were at one of its events, or print one
#[derive(Debug, Args)]
pub(crate) struct FilesArguments {
    /// The id of a session or run
    id: String,
    /// Print this file as it was then
    path: Option<String>,
    /// The number of the event; default: the last
    #[arg(long, value_name = "SEQ")]
    at: Option<u64>,
    /// Print what was changed in it from the session's beginning until then
    #[arg(long, requires = "path")]
    diff: bool,
}

pub(super) fn run(engine: &Engine, arguments: &FilesArguments, output: &Printer) -> CommandExit {
    let FilesArguments { id, path, at, diff } = arguments;
    let session_id = engine.session_names().find_session(id)?.session_id;
    let Some(path) = path else {
        for file in engine.past_files().files_then(&session_id, *at)? {
            output.tell(&file, || format!("{:<10}{}", word(file.change), visible(&file.path)));
        }
        return Ok(Exit::Done);
    };
    let file = engine.past_files().file_then(&session_id, *at, path)?;
    match (output.json, diff) {
        (true, _) => output.object(&ReplayedContent::from(file)),
        (false, true) => output.line(visible(file.diff.trim_end())),
        (false, false) => output.bytes(content(&file)?),
    }
    Ok(Exit::Done)
}

fn content(file: &FileThen) -> Result<&[u8], Error> {
    file.content.as_deref().ok_or_else(|| {
        let message = format!("There was no file {} at this event.", file.path);
        Error::new(Code::FILE_NOT_FOUND, message, "Choose another event with --at; `arki events ID` lists them.")
    })
}

fn word(change: Option<ReviewChange>) -> &'static str {
    match change {
        None => "as before",
        Some(ReviewChange::Added) => "added",
        Some(ReviewChange::Deleted) => "deleted",
        Some(_) => "changed",
    }
}

//! `arki sessions commit`: a session's changes as one commit, without the user's own.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::{ResultFile, ReviewChange};
use arki_domain::plural;
use arki_engine::Engine;
use clap::Args;

/// Commit what a session changed, without what you changed or staged besides; no hook runs
#[derive(Debug, Args)]
pub(crate) struct CommitArguments {
    /// The id of a session or run
    id: String,
    /// The message; default: the session's title
    #[arg(long, short, value_name = "TEXT")]
    message: Option<String>,
    /// Only list the files that the session changed
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(super) async fn run(engine: &Engine, arguments: &CommitArguments, output: &Printer) -> CommandExit {
    let session_id = engine.session_names().find_session(&arguments.id)?.session_id;
    let result = engine.results().result(&session_id)?;
    if arguments.dry_run {
        for file in &result.files {
            output.tell(file, || line(file));
        }
        return Ok(Exit::Done);
    }
    let message = arguments.message.as_deref().unwrap_or(&result.message);
    let committed = engine.results().commit(&session_id, message).await?;
    output.tell(&committed, || {
        let files = plural(u64::try_from(committed.files.len()).unwrap_or(u64::MAX), "file");
        format!("{}  {}  {files}", committed.commit, visible(message))
    });
    for path in &committed.mixed {
        output.aside(format!("Left out: {}. Your own changes touch the same lines.", visible(path)));
    }
    for path in &committed.left_out {
        output
            .aside(format!("Left out: {}. It is ignored, a link, in conflict, or written by a filter.", visible(path)));
    }
    if !committed.not_run.is_empty() {
        output.aside(format!("Not run: {}.", committed.not_run.join(", ")));
    }
    Ok(Exit::Done)
}

/// Such as `changed    +3 -1  src/app.rs  committed`.
fn line(file: &ResultFile) -> String {
    let word = match file.change {
        ReviewChange::Added => "added",
        ReviewChange::Deleted => "deleted",
        _ => "changed",
    };
    let lines = match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} -{removed}"),
        _ => String::new(),
    };
    let notes = [(file.is_committed, "  committed"), (file.is_changed_since, "  changed by you since")];
    let notes: String = notes.iter().filter(|(holds, _)| *holds).map(|(_, words)| *words).collect();
    format!("{word:<10}{lines:<10}{}{notes}", visible(&file.path))
}

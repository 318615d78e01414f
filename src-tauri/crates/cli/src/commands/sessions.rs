//! `arki sessions`: a file for each command below it, and one for short changes.

mod changes;
mod commit;
mod configure;
mod export;
mod files;
mod import;
mod list;
mod search;
mod show;
mod state;
mod story;

use crate::exit::CommandExit;
use crate::output::Printer;
use arki_engine::{Engine, SessionMarks};
use clap::Subcommand;
use std::path::Path;

/// More sessions than this are not listed at once.
pub(super) const MAX_LISTED: usize = 10_000;

/// List, show, search, fork, export, import or remove sessions
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    List(list::ListSessionsArguments),
    Show(show::ShowSessionArguments),
    Search(search::SearchArguments),
    /// Start a new session from a point in this one
    Fork {
        /// The id of a session or run
        id: String,
        /// Fork after this event number; default: the last
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
    },
    Import(import::ImportArguments),
    /// Give a session another title
    Rename {
        /// The id of a session or run
        id: String,
        /// The new title
        title: String,
    },
    /// Pin a session: the window lists it first
    Pin {
        /// The id of a session or run
        id: String,
    },
    /// Unpin a session
    Unpin {
        /// The id of a session or run
        id: String,
    },
    /// Archive a session: lists leave it out until its next run
    Archive {
        /// The id of a session or run
        id: String,
    },
    /// Bring a session back from the archive
    Unarchive {
        /// The id of a session or run
        id: String,
    },
    /// Make a session's conversation shorter for the model; the log keeps everything
    Compact {
        /// The id of a session or run
        id: String,
        /// Say what the summary must keep above all
        #[arg(long, value_name = "TEXT")]
        focus: Option<String>,
    },
    Configure(configure::ConfigureArguments),
    State(state::StateArguments),
    Files(files::FilesArguments),
    Commit(commit::CommitArguments),
    /// Permanently remove a session, its sub-agents' sessions and the data only they use
    Rm {
        /// The id of a session or run
        id: String,
    },
    Export(export::ExportArguments),
}

pub(crate) async fn run(engine: &Engine, dir: &Path, command: &SessionsCommand, output: &Printer) -> CommandExit {
    const UNCHANGED: SessionMarks = SessionMarks { pinned: None, archived: None };
    let pinned = |pinned| SessionMarks { pinned: Some(pinned), ..UNCHANGED };
    let archived = |archived| SessionMarks { archived: Some(archived), ..UNCHANGED };
    match command {
        SessionsCommand::List(arguments) => list::run(engine, dir, arguments, output),
        SessionsCommand::Show(arguments) => show::run(engine, arguments, output),
        SessionsCommand::Search(arguments) => search::run(engine, arguments, output).await,
        SessionsCommand::Fork { id, at } => changes::fork(engine, id, *at, output).await,
        SessionsCommand::Import(arguments) => import::run(engine, dir, arguments, output).await,
        SessionsCommand::Rename { id, title } => changes::rename(engine, id, title, output).await,
        SessionsCommand::Pin { id } => changes::mark(engine, id, pinned(true), output).await,
        SessionsCommand::Unpin { id } => changes::mark(engine, id, pinned(false), output).await,
        SessionsCommand::Archive { id } => changes::mark(engine, id, archived(true), output).await,
        SessionsCommand::Unarchive { id } => changes::mark(engine, id, archived(false), output).await,
        SessionsCommand::Compact { id, focus } => changes::compact(engine, id, focus.as_deref(), output).await,
        SessionsCommand::Configure(arguments) => configure::run(engine, arguments, output).await,
        SessionsCommand::State(arguments) => state::run(engine, arguments, output).await,
        SessionsCommand::Files(arguments) => files::run(engine, arguments, output),
        SessionsCommand::Commit(arguments) => commit::run(engine, arguments, output).await,
        SessionsCommand::Rm { id } => changes::remove(engine, id, output).await,
        SessionsCommand::Export(arguments) => export::run(engine, dir, arguments, output),
    }
}

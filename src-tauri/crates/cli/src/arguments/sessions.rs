//! The grammar of the commands about sessions: list, search, export, rewind, the queue.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions with their folders, newest first; archived ones are left out
    List {
        /// List only archived sessions
        #[arg(long)]
        archived: bool,
        /// List only sessions of this agent
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
        /// List only sessions of this folder
        #[arg(long)]
        here: bool,
    },
    /// Show the conversation and the tools' activity, or one request to the model as it was sent
    Show {
        /// The id of a session or run
        id: String,
        /// Print this request and its answer as JSON: the number of an engine.request event (see `arki events ID`)
        #[arg(long, value_name = "SEQ")]
        request: Option<u64>,
        /// Print the exact bytes that were sent; their SHA-256 is the event's requestHash
        #[arg(long, requires = "request", conflicts_with = "json")]
        body: bool,
        /// Show only the newest entries, this many
        #[arg(long, value_name = "N", conflicts_with = "request")]
        limit: Option<usize>,
        /// Show only entries since this time, in milliseconds since 1970
        #[arg(long, value_name = "MS", conflicts_with = "request", allow_negative_numbers = true)]
        since: Option<i64>,
        /// Show only entries before this time, in milliseconds since 1970
        #[arg(long, value_name = "MS", conflicts_with = "request", allow_negative_numbers = true)]
        until: Option<i64>,
    },
    /// Search messages, commands and changes, newest first
    Search(SearchArguments),
    /// Start a new session from a point in this one
    Fork {
        /// The id of a session or run
        id: String,
        /// Fork after this event number; default: the last
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
    },
    /// Import sessions from an unmodified JSON Lines export, keeping their hashes
    Import {
        /// The file; `-` reads standard input
        file: PathBuf,
    },
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
    /// Change a session's model, effort, core, prompt, tools and context, from its next run on
    Configure(ConfigureArguments),
    /// Print a session's state as JSON, or change it: what agent cores and tools keep across runs
    State(StateArguments),
    /// List the files that a session changes, as they were at one of its events, or print one
    Files(FilesArguments),
    /// Permanently remove a session, its sub-agents' sessions and the data only they use
    Rm {
        /// The id of a session or run
        id: String,
    },
    /// Export a session: all events (jsonl), or the conversation as a document (md, html)
    Export(ExportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ConfigureArguments {
    /// The id of a session or run
    pub(crate) id: String,
    /// Use this model; "" for the configured one
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub(crate) model: Option<String>,
    /// Set the reasoning effort: minimal, low, medium or high; "" for the configured one
    #[arg(long)]
    pub(crate) effort: Option<String>,
    /// Choose how the agent works: tool-loop or pes; "" for the configured core
    #[arg(long, value_name = "NAME")]
    pub(crate) core: Option<String>,
    /// Use this system prompt instead of the configured one; "" for the configured one
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// Switch off a part of the context, by its id in `arki context ID`, or a tool as tool:NAME; repeatable
    #[arg(long, value_name = "PART")]
    pub(crate) off: Vec<String>,
    /// Switch a part or tool on again; repeatable
    #[arg(long, value_name = "PART")]
    pub(crate) on: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct StateArguments {
    /// The id of a session or run
    pub(crate) id: String,
    /// Set a key to a JSON value, such as 'count=3' or 'name="Ada"'; repeatable
    #[arg(long, value_name = "KEY=JSON")]
    pub(crate) set: Vec<String>,
    /// Remove a key; repeatable
    #[arg(long, value_name = "KEY")]
    pub(crate) unset: Vec<String>,
}

impl StateArguments {
    pub(crate) fn changes(&self) -> bool {
        !self.set.is_empty() || !self.unset.is_empty()
    }
}

#[derive(Debug, Args)]
pub(crate) struct FilesArguments {
    /// The id of a session or run
    pub(crate) id: String,
    /// Print this file as it was then
    pub(crate) path: Option<String>,
    /// The number of the event; default: the last
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: Option<u64>,
    /// Print what was changed in it from the session's beginning until then
    #[arg(long, requires = "path")]
    pub(crate) diff: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// The words to find, all of them; "a phrase" in quotes, a prefix as prefix*
    pub(crate) query: Vec<String>,
    /// Search only sessions of this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Search only from this day on: YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    pub(crate) since: Option<String>,
    /// Search only before this day: YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    pub(crate) until: Option<String>,
    /// Search only calls of this tool
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Search only events that name this file
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Show at most this many results
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The id of a session or run
    pub(crate) id: String,
    /// Choose the format: `jsonl` is complete and verifiable; `md` and `html` shorten very long results, and say so
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: ExportForm,
    /// The file to write, replaced only once everything is written; default, or `-`: standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportForm {
    Jsonl,
    Md,
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct RewindArguments {
    /// The id of a session or run
    pub(crate) session: String,
    /// The number of the event to go back to; later events are rewound
    #[arg(long, value_name = "SEQ", allow_negative_numbers = true)]
    pub(crate) to: u64,
    /// Rewind only the files; default: files and conversation
    #[arg(long)]
    pub(crate) files: bool,
    /// Rewind only the conversation
    #[arg(long)]
    pub(crate) conversation: bool,
    /// Only list the files that would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// List the queued messages in the order they will be sent
    List {
        /// The id of a session or run
        session: String,
    },
    /// Add a message at the end
    Add {
        /// The id of a session or run
        session: String,
        /// The message
        text: String,
        /// Send it as the next prompt after this run (follow-up), or at the run's next turn (steer)
        #[arg(long, default_value = "follow-up")]
        mode: Queueing,
    },
    /// Edit a message's text
    Edit {
        /// The id of a session or run
        session: String,
        /// The message's id
        message: String,
        /// The new text
        text: String,
    },
    /// Move a message to a position, counted from 1; a number beyond the end means the end
    Move {
        /// The id of a session or run
        session: String,
        /// The message's id
        message: String,
        /// The position
        #[arg(value_parser = clap::value_parser!(u16).range(1..))]
        to: u16,
    },
    /// Remove a message
    Rm {
        /// The id of a session or run
        session: String,
        /// The message's id
        message: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Queueing {
    Steer,
    FollowUp,
}

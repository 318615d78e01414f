//! The grammar of what is about sessions: list, search, export, going back, the queue.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// The newest first
    List,
    /// The conversation, and what the tools did
    Show { id: String },
    /// Find what was said, run and changed, the newest first
    Search(SearchArguments),
    /// Begin a new session where this one stood
    Fork {
        /// A session's or run's id
        id: String,
        /// The number of the event after which the fork begins; the last one where left out
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
    },
    /// Bring in the sessions of a JSON Lines export, with the same hashes; it takes only the bytes that `export` wrote
    Import {
        /// The file; `-` is standard input
        file: PathBuf,
    },
    /// Remove a session, those of its sub-agents and everything that only they needed, for good
    Rm { id: String },
    /// Write a session for others: every event (jsonl), or the conversation to be read (md, html)
    Export(ExportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// Words that must all be there; "a phrase" in quotes, a beginning*
    pub(crate) query: Vec<String>,
    /// Only sessions of this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Only from this day on: YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    pub(crate) since: Option<String>,
    /// Only before this day: YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    pub(crate) until: Option<String>,
    /// Only what this tool did
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Only what names this file
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// A session's or run's id
    pub(crate) id: String,
    /// `jsonl` is complete and can be verified; `md` and `html` leave the rest of very long results out, and say so
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: ExportForm,
    /// The file, replaced only once all is written; standard output where left out or `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportForm {
    Jsonl,
    Md,
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventForm {
    Arkai,
}

#[derive(Debug, Args)]
pub(crate) struct RewindArguments {
    /// A session's or run's id
    pub(crate) session: String,
    /// The number of the event after which things stood as wanted
    #[arg(long, value_name = "SEQ", allow_negative_numbers = true)]
    pub(crate) to: u64,
    /// The files; with neither this nor --conversation, both
    #[arg(long)]
    pub(crate) files: bool,
    /// The conversation
    #[arg(long)]
    pub(crate) conversation: bool,
    /// Name every file that would be touched, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// In the order in which they reach the model
    List { session: String },
    /// Add one at the end
    Add {
        session: String,
        text: String,
        /// When it reaches the model: as a prompt of its own after this run, or at the run's next turn
        #[arg(long, default_value = "follow-up")]
        mode: Queueing,
    },
    /// Change a message's text
    Edit { session: String, message: String, text: String },
    /// Move a message to a place, counted from 1; beyond the last place is the last one
    Move {
        session: String,
        message: String,
        #[arg(value_parser = clap::value_parser!(u16).range(1..))]
        to: u16,
    },
    /// Remove a message
    Rm { session: String, message: String },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Queueing {
    Steer,
    FollowUp,
}

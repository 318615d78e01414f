//! A session's past and its queue: going back, forking, a line's author, searching, pending messages. A domain type
//! that has the right form already is used as it is.

use crate::ReviewChange;
use arki_domain::projection::QueuedMessage;
use arki_domain::{PlanUpdated, RestoredFile, Usage};

words! {
    /// A session's file: the log as it is, something to read, or OpenTelemetry's lines.
    ExportFormat { Jsonl, Markdown, Html, Otlp }
    /// The author of a line: it was there before the session, or the user or the agent wrote it.
    LineAuthor { Before, User, Arki }
}

wire! {
    /// The effect on each file of going back, or of reverting one change.
    RewindPreview {
        pub to_seq: u64,
        pub changes: Vec<RestoredFile>,
        /// The unified diff from what is on the disk to what will be.
        pub diff: String,
        /// The user's message right after `to_seq`, to be said differently.
        pub prompt: Option<String>,
    }
    /// A file that a session changes at some time, at one of its events.
    ReplayedFile {
        pub path: String,
        /// Since the session began; null: not changed yet, or changed back.
        pub change: Option<ReviewChange>,
    }
    ReplayedContent {
        pub path: String,
        /// The file's text; null if there was no file or it isn't text.
        pub text: Option<String>,
        /// The unified diff from the session's beginning to then; empty if nothing was changed.
        pub diff: String,
        /// True if the diff or the text is longer than what is sent.
        pub is_cut: bool,
    }
    RemovedSession {
        pub session_id: String,
        pub freed_bytes: u64,
        /// The sessions of its sub-agents, which went with it.
        pub subagents: Vec<String>,
    }
    SnippetPart {
        pub text: String,
        /// True if this event matches the search.
        pub hit: bool,
    }
    SearchHit {
        pub session_id: String,
        pub seq: u64,
        /// The event's type.
        pub r#type: String,
        pub ts: i64,
        /// The session's.
        pub title: String,
        pub project: String,
        pub snippet: Vec<SnippetPart>,
    }
    ChangedFile {
        /// Relative to the project.
        pub path: String,
        /// The number of times this session changed it.
        pub changes: u32,
        /// The last `file.changed` of it.
        pub last_seq: u64,
    }
    /// The session and event at which a fork begins.
    ForkOrigin {
        pub session_id: String,
        pub seq: u64,
        pub title: String,
    }
    /// The facts about a session as a whole, beside its events.
    SessionOverview {
        pub plan: Option<PlanUpdated>,
        pub usage: Usage,
        pub queue: Vec<QueuedMessage>,
        pub changed_files: Vec<ChangedFile>,
        pub memory: Vec<String>,
        pub origin: Option<ForkOrigin>,
        /// The session's own model; null where the configured one holds.
        pub model: Option<String>,
        /// Its own reasoning effort; null where the configured one holds.
        pub effort: Option<String>,
        /// The first event whose hash is not right: the session is read-only.
        pub broken_at: Option<u64>,
        /// The id of another process that runs it.
        pub run_by: Option<u32>,
    }
    /// A line of a file as it is now, and who wrote it. What is absent is not known, or was not the agent.
    LineOrigin {
        /// The number, from 1.
        pub number: u32,
        pub text: String,
        pub author: LineAuthor,
        pub session_id: Option<String>,
        /// The `file.changed` that brought it.
        pub seq: Option<u64>,
        pub run_id: Option<String>,
        pub turn: Option<u32>,
        pub call_id: Option<String>,
        pub tool_id: Option<String>,
        pub approval_id: Option<String>,
        /// The first line of that run's prompt.
        pub prompt: Option<String>,
        pub ts: Option<i64>,
    }
}

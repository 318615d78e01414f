//! Images of files, and what was put back from them.

use crate::{CallId, CheckpointId, Permissions, Remembered};

payload! {
    /// The action on a file when going back, done or planned.
    #[derive(Hash)]
    enum RestoreAction {
        /// Written as it was, the user's own later edits merged in.
        Restore,
        Delete,
        /// It is so already.
        Keep,
        /// The user's later edits touch the same lines: left alone.
        Conflict,
    }

    /// Why a checkpoint of a conversation was made.
    enum CheckpointReason {
        /// It was compacted by the strategy `checkpoint`.
        Compaction,
        /// Every step of the plan is done.
        Milestone,
        /// The user's message shares no word with those before it.
        Topic,
        /// A hundred messages.
        Messages,
    }

    /// The images of a project's files as they were at this moment, or where a conversation stands (`reason`).
    CheckpointCreated {
        pub checkpoint_id: CheckpointId,
        /// The event before.
        pub last_seq: u64,
        /// The command it was made for; absent before a rewind.
        pub call_id?: Option<CallId>,
        /// SHA-256 hex of the list of files, in the blob store; a command's is the project's last snapshot.
        pub manifest?: Option<String>,
        /// The number of files whose content is kept.
        pub files: u64,
        /// The number of files left out: too large, not text, over the budget.
        pub skipped: u64,
        /// The hook that may write from here on, until its `hook.ran`.
        pub hook?: Option<WritingHook>,
        /// The reason for a conversation's checkpoint.
        pub reason?: Option<CheckpointReason>,
        /// The state of the work at a conversation's checkpoint.
        pub summary?: Option<String>,
        /// The newest memories of the conversation at its checkpoint.
        pub memory_snapshot?: Option<MemorySnapshot>,
    }
    /// The working memory at a conversation's checkpoint, with more of it than the checkpoint has.
    WorkingMemorySnapshot {
        /// The checkpoint made with it.
        pub checkpoint_id: CheckpointId,
        /// The event before that checkpoint.
        pub last_seq: u64,
        #[serde(flatten)]
        pub memory: MemorySnapshot,
    }
    /// A conversation's working memory: its newest parts.
    MemorySnapshot {
        pub observations: Vec<Remembered>,
        pub reflections: Vec<Remembered>,
        /// The goals of the last reflection.
        pub goals: Vec<String>,
        pub blockers: Vec<String>,
    }
    /// A hook that may write the files of an edit.
    WritingHook {
        /// Its name.
        pub hook: String,
        pub command: String,
        /// The files of the edit, relative to the project.
        pub files: Vec<String>,
    }
    /// The folded state of the session was kept; whoever opens it starts from there.
    StateSnapshot {
        pub checkpoint_id: CheckpointId,
        pub last_seq: u64,
    }
    /// One change of the agent was taken back, later edits kept.
    ChangeTakenBack {
        /// The call whose change it was.
        pub call_id: CallId,
        /// The `file.changed` that was taken back.
        pub seq: u64,
        pub changes: Vec<RestoredFile>,
    }
    /// The user had the session's changes committed.
    ChangesCommitted {
        /// The beginning of the commit's hash.
        pub commit: String,
        pub message: String,
        /// Relative to the project, by path.
        pub files: Vec<String>,
    }
    /// A file before and after it was put back; `None` where there is no file. SHA-256 hex of the raw bytes.
    RestoredFile {
        pub path: String,
        pub action: RestoreAction,
        pub before_hash: Option<String>,
        pub after_hash: Option<String>,
        /// The permissions of the file as it was.
        #[serde(flatten)]
        pub before_permissions: Permissions,
        /// It was a symbolic link: what is told of its content is of where it leads.
        pub before_link?: bool,
        pub after_link?: bool,
    }
}

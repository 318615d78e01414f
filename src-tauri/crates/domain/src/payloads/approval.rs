//! Requests for approval before an effect, and their answers.

use super::{AnsweredRequest, ApprovalDecision};
use crate::{ApprovalId, ApprovalMode, CallId, ReasonCode, Risk, TranslatableText};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl WholeChange {
    /// The word for it, for users and models.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Binary => "binary file",
            Self::Mode => "mode change",
            Self::Link => "link",
            Self::Empty => "empty file",
            Self::Folder => "empty folder",
            Self::Move => "move",
        }
    }
}

impl EffectsLanding {
    /// Returns how they land in a run with this mode.
    #[must_use]
    pub fn of(mode: ApprovalMode) -> Self {
        match mode {
            ApprovalMode::Ask | ApprovalMode::Never => Self::Reviewed,
            ApprovalMode::Edits => Self::AsEdits,
            ApprovalMode::All => Self::Unasked,
        }
    }
}

payload! {
    /// The kind of thing that needs approval.
    #[derive(Default)]
    enum ApprovalKind {
        /// A call of a tool.
        #[default]
        Tool,
        /// A plan, before any of its calls.
        Plan,
        /// A step of a pipeline that is nothing but a question.
        Gate,
        /// The changes of a command in its view, when it has ended; nothing of them is in the project yet.
        Effects,
    }

    /// The kind of a change that shows no lines: it is accepted or rejected as a whole.
    enum WholeChange {
        /// Content that isn't text, or too much of it.
        Binary,
        /// The permissions of a file that is there before and after.
        Mode,
        /// A symbolic link that comes, goes or leads elsewhere.
        Link,
        /// An empty file that comes or goes.
        Empty,
        /// An empty folder that comes or goes.
        Folder,
        /// A file that gets another path. Its other hunks can't be accepted without this one.
        Move,
    }

    /// When the changes of a command that works in a view reach the project.
    enum EffectsLanding {
        /// The user reviews them first.
        Reviewed,
        /// Many, and those of an unusual kind, are reviewed; others land when the command has ended.
        AsEdits,
        /// When the command has ended, but for the sensitive ones.
        Unasked,
    }

    ApprovalRequested {
        pub approval_id: ApprovalId,
        pub kind?: ApprovalKind,
        /// Null for what is no call. The first of a group's.
        pub call_id: Option<CallId>,
        /// The tool's ID. For a plan it's `plan`, and `args` holds the plan's intent and steps.
        pub tool_id: String,
        #[ts(type = "unknown")]
        pub args: Value,
        pub risk: Risk,
        pub rule: String,
        pub reason: String,
        /// The same by codes, for clients that say it in their users' language; empty in logs of earlier versions.
        pub sentences?: Vec<TranslatableText>,
        pub preview?: Option<ChangePreview>,
        /// Consecutive edits of one answer that are reviewed together, in their order; empty where it is about one call.
        pub calls?: Vec<GroupedEdit>,
        pub command?: Option<CommandPreview>,
        /// The approval this one replaces, because the file changed after it was shown.
        pub supersedes?: Option<ApprovalId>,
        /// Unanswered for so long, it counts as rejected.
        pub timeout_seconds?: Option<u64>,
    }
    /// The part of an edit in a review of several.
    GroupedEdit {
        pub call_id: CallId,
        pub tool_id: String,
        #[ts(type = "unknown")]
        pub args: Value,
        pub risk: Risk,
        /// The number of files in its part of the diff.
        pub files: usize,
        pub lines_changed: usize,
        /// SHA-256 hex, as for a preview of this edit alone, made once those before it are.
        pub preview_hash: String,
    }
    /// A change as it is shown before it is made.
    ChangePreview {
        pub files_affected: Vec<String>,
        pub lines_changed: usize,
        /// Unified diff with 3 lines of context; empty where it is large and lies beside the log.
        pub diff?: String,
        /// SHA-256 hex of the diff that lies beside the log, in the form that the log has texts in: without secrets.
        pub diff_hash?: Option<String>,
        pub hunks: Vec<Hunk>,
        /// SHA-256 hex over the diff and every file's state before and after.
        pub preview_hash: String,
    }
    /// A hunk of the unified diff; `index` counts from 1 across all files of the preview.
    Hunk {
        pub index: usize,
        pub path: String,
        pub old_start: usize,
        pub old_lines: usize,
        pub new_start: usize,
        pub new_lines: usize,
        /// The kind of a change without lines, whose numbers are 0.
        pub what?: Option<WholeChange>,
        /// The edit that makes it, where several are reviewed together.
        pub call_id?: Option<CallId>,
    }
    /// A command as it is shown before it is run.
    CommandPreview {
        pub command: String,
        pub directory: String,
        /// Names of the variables the command will see.
        pub environment: Vec<String>,
        /// The sandbox that confines it, or `none`.
        pub sandbox: String,
        /// Tells what the command can do in it; absent where nothing confines it.
        pub confinement?: Option<CommandConfinement>,
        /// Tells how it ended with the project read-only; absent where that wasn't tried.
        pub tried?: Option<CommandTrial>,
        /// SHA-256 hex over the command, its directory, what confines it and its environment's names.
        pub preview_hash: String,
    }
    /// A command's end where it first ran with the project read-only.
    CommandTrial {
        /// Such as `exit code 1`.
        pub ending: String,
        /// The last part of what it printed.
        pub output?: String,
    }
    /// Tells what a command can do in its sandbox. Besides, it can write its own temporary folder.
    CommandConfinement {
        pub network: bool,
        /// The only hosts that it may reach, by its call and by rules (`*.example.org` is all below it); it can send them
        /// anything it can read.
        pub hosts?: Vec<String>,
        /// The files of the project, but none outside.
        pub writes_project: bool,
        /// Tells when what it changes reaches the project, generated folders aside; absent where it writes there directly.
        pub lands?: Option<EffectsLanding>,
        /// It can open secret files of the project, and the user's other files. No command can that wasn't shown so.
        pub reads_private?: bool,
        /// Sentences on what this sandbox can't keep it from.
        pub notes?: Vec<String>,
    }
    ApprovalResolved {
        pub approval_id: ApprovalId,
        pub decision: ApprovalDecision,
        /// The accepted hunks; absent = all.
        pub hunks?: Option<Vec<usize>>,
        /// The user's own text for the new side of single hunks, by hunk.
        pub edited?: BTreeMap<usize, String>,
        /// The user's own command in place of the one that was shown.
        pub command?: Option<String>,
        /// The plan's steps as the user changed them.
        pub plan?: Option<Vec<String>>,
        /// The user's note to the model.
        pub reason?: Option<String>,
        /// `window`, `cli`, `timeout` where nobody answered in time, or `approve:MODE` where the user had granted or
        /// refused it for the whole run.
        pub resolved_by: String,
        pub preview_hash: String,
        /// The request that decided it, if it may be sent again.
        pub request?: Option<AnsweredRequest>,
    }
}

impl ChangePreview {
    /// Returns the number of files that are changed; one that is moved is one, though both its paths are affected.
    #[must_use]
    pub fn file_count(&self) -> usize {
        let paths: BTreeSet<&String> = self.hunks.iter().map(|hunk| &hunk.path).collect();
        if paths.is_empty() { self.files_affected.len() } else { paths.len() }
    }
}

impl CommandConfinement {
    /// Says what the command can reach, where its changes go, and what its sandbox can't keep it from.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        if self.network {
            sentences.push("It has the network.".to_owned());
        }
        sentences.extend(self.hosts.iter().map(|host| format!("It can send anything it can read to {host}.")));
        sentences.push(self.writes().to_owned());
        if self.reads_private {
            sentences.push("It can open this project's secret files (such as .env) and your other files.".to_owned());
        }
        sentences.extend(self.notes.iter().cloned());
        sentences
    }

    fn writes(&self) -> &'static str {
        match self.lands {
            Some(EffectsLanding::Reviewed) => {
                "You review its changes before they land; only generated folders such as node_modules are written \
                 directly."
            }
            Some(EffectsLanding::AsEdits) => {
                "Its changes land when it ends. You review them first if they are many or unusual."
            }
            Some(EffectsLanding::Unasked) => "Its changes land when it ends, without a review.",
            None if self.writes_project => "It writes directly to this folder, and nowhere else.",
            None => "It only reads.",
        }
    }
}

const TIMED_OUT: &str = "timeout";

impl Hunk {
    /// Returns whether both are of one file's part of a diff.
    #[must_use]
    pub fn is_beside(&self, other: &Self) -> bool {
        self.path == other.path && self.call_id == other.call_id
    }
}

impl ApprovalRequested {
    /// The calls that wait for the answer.
    pub fn waiting_calls(&self) -> impl Iterator<Item = &CallId> {
        let alone = self.call_id.iter().filter(|_| self.calls.is_empty());
        alone.chain(self.calls.iter().map(|edit| &edit.call_id))
    }

    /// Returns whether the change was shown on text that isn't saved in an editor.
    #[must_use]
    pub fn is_on_unsaved_text(&self) -> bool {
        self.sentences.iter().any(|sentence| sentence.is(ReasonCode::UNSAVED_TEXT))
    }

    /// When it no longer waits for an answer, in milliseconds since 1970, where it was asked at `asked_ms`.
    #[must_use]
    pub fn expires_at_ms(&self, asked_ms: i64) -> Option<i64> {
        let seconds = i64::try_from(self.timeout_seconds?).unwrap_or(i64::MAX);
        Some(asked_ms.saturating_add(seconds.saturating_mul(1000)))
    }

    /// The hash of what the user is shown; empty where there is nothing but the arguments.
    #[must_use]
    pub fn shown_hash(&self) -> &str {
        let of_change = self.preview.as_ref().map(|preview| preview.preview_hash.as_str());
        of_change.or(self.command.as_ref().map(|command| command.preview_hash.as_str())).unwrap_or_default()
    }
}

impl ApprovalResolved {
    /// The decision on all of what was shown, as it was shown.
    #[must_use]
    pub fn of(requested: &ApprovalRequested, decision: ApprovalDecision, resolved_by: &str) -> Self {
        Self {
            approval_id: requested.approval_id.clone(),
            decision,
            hunks: None,
            edited: BTreeMap::new(),
            command: None,
            plan: None,
            reason: None,
            resolved_by: resolved_by.to_owned(),
            preview_hash: requested.shown_hash().to_owned(),
            request: None,
        }
    }

    /// The rejection of what nobody answered in time.
    #[must_use]
    pub fn timed_out(requested: &ApprovalRequested) -> Self {
        let seconds = requested.timeout_seconds.unwrap_or_default();
        let reason = Some(format!("Nobody answered within {seconds} s."));
        Self { reason, ..Self::of(requested, ApprovalDecision::Reject, TIMED_OUT) }
    }

    #[must_use]
    pub fn is_by_timeout(&self) -> bool {
        self.resolved_by == TIMED_OUT
    }

    /// Returns whether `--approve` answered it, so that nobody has looked at what was shown.
    #[must_use]
    pub fn is_by_mode(&self) -> bool {
        self.resolved_by.starts_with("approve:")
    }
}

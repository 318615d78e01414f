//! Pending approvals as the user reviews them, and the decisions.

use arki_domain::{ApprovalDecision, ApprovalKind, ChangePreview, CommandPreview, Risk, TranslatableText};
use std::collections::BTreeMap;

words! {
    /// The scope of an approval that holds more than once.
    KeepScope { Session, Always }

    /// The kind of change to a file.
    #[derive(Default)]
    ReviewChange { Added, Deleted, #[default] Modified, Renamed }
}

wire! {
    ApprovalSummary {
        pub approval_id: String,
        pub session_id: String,
        pub run_id: String,
        pub kind: ApprovalKind,
        /// Null for what is no call.
        pub call_id: Option<String>,
        pub tool_id: String,
        #[ts(type = "unknown")]
        pub args: serde_json::Value,
        pub risk: Risk,
        /// The rule that asks; see `PolicyDecided`.
        pub rule: String,
        pub reason: String,
        /// The reason by codes, as in `approval.requested`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub sentences: Vec<TranslatableText>,
        pub requested_at: i64,
        /// Unanswered for so long, it counts as rejected; null: it waits for ever.
        pub timeout_seconds: Option<u64>,
        /// The preview, without hunks if its diff is too large to be sent: they come in pages with it.
        pub preview: Option<ChangePreview>,
        pub command: Option<CommandPreview>,
    }
    /// A question of the model whose run waits for the answer.
    QuestionSummary {
        pub question_id: String,
        pub session_id: String,
        pub run_id: String,
        pub call_id: String,
        pub text: String,
        /// Answers to choose from; another may be given.
        pub options: Vec<String>,
        /// Milliseconds since 1970.
        pub asked_at: i64,
    }
    /// The user's answer to one approval.
    Resolution {
        pub decision: ApprovalDecision,
        /// The accepted hunks; null = all.
        pub hunks: Option<Vec<usize>>,
        /// The user's own text for the new side of single hunks, by hunk.
        pub edited: Option<BTreeMap<usize, String>>,
        /// The user's own command in place of the one that was shown.
        pub command: Option<String>,
        /// The plan's steps as the user wants them; null = as they were shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable)]
        pub plan: Option<Vec<String>>,
        /// The note for the model.
        pub note: Option<String>,
        /// The hash of the preview that the user was shown; null where the caller has just shown it itself.
        pub preview_hash: Option<String>,
        /// Null or absent: decided this once. A rejection can be kept always, as a rule that denies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable)]
        pub keep: Option<Keep>,
    }
    /// A decision that holds for longer.
    Keep {
        pub scope: KeepScope,
        /// The rules as `proposed_rule` gave them, one a line, and the user was shown them; for a rejection the one rule
        /// with the decision `deny`.
        pub rule: String,
    }

    /// A file of a change whose diff is too large to be sent at once.
    ReviewFile {
        pub path: String,
        pub change: ReviewChange,
        /// The number of its first hunk.
        pub first_hunk: usize,
        pub hunks: usize,
        pub added: usize,
        pub removed: usize,
        /// The size of its part of the diff.
        pub bytes: usize,
    }

    /// Lines around the hunks of a change, as they stand in the file now.
    #[derive(PartialEq, Eq)]
    ReviewContext {
        /// The lines without their endings, starting with the one that was asked for.
        pub lines: Vec<String>,
        /// The number of lines in the file.
        pub total: usize,
    }

    /// Whole lines of a file's part of a diff.
    ReviewPage {
        pub text: String,
        /// The start of the next page; null after the last.
        pub next: Option<usize>,
    }
}

impl Resolution {
    /// Makes a decision on everything that is shown, this once, without a note.
    #[must_use]
    pub fn of(decision: ApprovalDecision) -> Self {
        Self {
            decision,
            hunks: None,
            edited: None,
            command: None,
            plan: None,
            note: None,
            preview_hash: None,
            keep: None,
        }
    }
}

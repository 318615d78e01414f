//! One run, from its prompt to its end.

use super::{AnsweredRequest, PauseReason};
use crate::{
    ApprovalId, ApprovalMode, CallId, MessageId, NestedDefinition, QuestionId, RunId, RunOptions, SessionId,
    SessionSource, Usage,
};
use std::collections::BTreeMap;

payload! {
    RunStarted {
        pub prompt: String,
        pub agent: String,
        /// `provider/model`.
        pub model: String,
        pub core: String,
        /// SHA-256 hex of the system prompt; its text is in the blob store under the same hash.
        pub system_prompt_hash: String,
        pub options: RunOptions,
        /// The queued message that became the prompt.
        pub message_id?: Option<MessageId>,
        /// The call of another session's run that this run works for.
        pub parent?: Option<ParentCall>,
        /// The session is new, or this program has not worked on it before.
        pub session_start?: Option<SessionSource>,
        /// The request that started it, if it may be sent again.
        pub request?: Option<AnsweredRequest>,
    }
    /// The call `delegate` that a sub-agent works for.
    ParentCall {
        pub session_id: SessionId,
        pub run_id: RunId,
        pub call_id: CallId,
    }
    /// A call is handed to a sub-agent: appended before the session in which it works, and the run, are begun. The call
    /// has its result once that run has ended.
    SubagentStarted {
        pub call_id: CallId,
        pub agent: String,
        pub session_id: SessionId,
        pub run_id: RunId,
        /// The share of the run's cost limit that is set aside for it, in US dollars, where it works in the background.
        pub max_cost_usd?: Option<f64>,
        /// The git worktree in which the sub-agent works; the run's own folder where absent.
        pub tree?: Option<String>,
    }
    RunPaused {
        pub reason: PauseReason,
        pub approval_id?: Option<ApprovalId>,
        /// The model's question, if the reason is `user`.
        pub question_id?: Option<QuestionId>,
        /// The time that a pipeline has worked since it began or was tried again, in milliseconds, by a clock that
        /// doesn't jump.
        pub worked_ms?: Option<u64>,
    }
    RunResumed {
        pub reason: PauseReason,
        pub approval_id?: Option<ApprovalId>,
        pub question_id?: Option<QuestionId>,
        /// The approval mode from now on, if it changed.
        pub approve?: Option<ApprovalMode>,
        /// SHA-256 hex of the definition that a pipeline goes on with, if the user chose another one.
        pub definition_hash?: Option<String>,
        /// The pipelines that this other definition runs, as in the start.
        pub nested?: BTreeMap<String, NestedDefinition>,
        /// The parameters with the defaults of this other definition.
        pub params?: BTreeMap<String, String>,
    }
    RunCompleted {
        pub response: String,
        pub turns: u32,
        pub usage: Usage,
    }
    RunFailed {
        pub code: String,
        pub message: String,
        #[serde(default)]
        pub hint: String,
        pub retryable: bool,
        /// The error of a library or server behind it, in its own words.
        pub cause?: Option<String>,
    }
    RunCancelled {
        pub code: String,
        pub message: String,
        pub retryable: bool,
    }
}

impl RunResumed {
    #[must_use]
    pub fn because(reason: PauseReason) -> Self {
        Self {
            reason,
            approval_id: None,
            question_id: None,
            approve: None,
            definition_hash: None,
            nested: BTreeMap::new(),
            params: BTreeMap::new(),
        }
    }
}

impl RunPaused {
    #[must_use]
    pub fn because(reason: PauseReason) -> Self {
        Self { reason, approval_id: None, question_id: None, worked_ms: None }
    }

    /// Returns whether somebody has to decide or answer before the run goes on.
    #[must_use]
    pub fn waits_for_user(&self) -> bool {
        matches!(self.reason, PauseReason::Approval | PauseReason::Plan) || self.question_id.is_some()
    }
}

//! What each kind of event says: the payloads of the contract, typed.
//!
//! A payload's version is its field `v` (absent = 1). Stored payloads are never rewritten; `EventBody::parse` lifts an
//! older one to today's type. Kinds that this version does not know parse as `Unknown` and are skipped by readers.

use crate::{
    ApprovalId, ApprovalMode, CallId, Category, Decision, FinishReason, Risk, RunOptions, SessionId, TokenType, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

macro_rules! event_bodies {
    ($($kind:literal => $name:ident),* $(,)?) => {
        /// The payload of an event, by its kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventBody {
            $($name($name),)*
            /// A kind, or a form of a known kind, that this version cannot read.
            Unknown,
        }

        impl EventBody {
            /// The contract's name of this kind.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $kind,)*
                    Self::Unknown => "unknown",
                }
            }

            /// Never fails: what cannot be read is `Unknown`.
            #[must_use]
            pub fn parse(kind: &str, payload: &str) -> Self {
                match kind {
                    $($kind => serde_json::from_str(payload).map_or(Self::Unknown, Self::$name),)*
                    _ => Self::Unknown,
                }
            }

            /// The payload as JSON.
            ///
            /// # Errors
            /// When the payload has no JSON form.
            pub fn payload(&self) -> Result<Value, serde_json::Error> {
                match self {
                    $(Self::$name(payload) => serde_json::to_value(payload),)*
                    Self::Unknown => Ok(Value::Null),
                }
            }
        }

        $(impl From<$name> for EventBody {
            fn from(payload: $name) -> Self {
                Self::$name(payload)
            }
        })*
    };
}

event_bodies! {
    "session.created" => SessionCreated,
    "session.configured" => SessionConfigured,
    "trust.changed" => TrustChanged,
    "run.started" => RunStarted,
    "run.paused" => RunPaused,
    "run.resumed" => RunResumed,
    "run.completed" => RunCompleted,
    "run.failed" => RunFailed,
    "run.cancelled" => RunCancelled,
    "engine.request" => EngineRequest,
    "engine.response" => EngineResponse,
    "output.message" => OutputMessage,
    "tool.call" => ToolCall,
    "policy.decided" => PolicyDecided,
    "approval.requested" => ApprovalRequested,
    "approval.resolved" => ApprovalResolved,
    "tool.result" => ToolResult,
    "file.changed" => FileChanged,
}

impl EventBody {
    /// Whether the event must be on the disk before anything follows from it. A decision is one too, unless its result
    /// comes with it: see [`crate::EventDraft::hold_intent`].
    #[must_use]
    pub fn is_intent(&self) -> bool {
        matches!(
            self,
            Self::ToolCall(_) | Self::ApprovalRequested(_) | Self::ApprovalResolved(_) | Self::FileChanged(_)
        )
    }
}

macro_rules! payload {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $($body)* })*
    };
}

payload! {
    SessionCreated {
        pub title: String,
        /// Canonical path of the folder.
        pub project: String,
        pub agent: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parent_session: Option<SessionId>,
    }
    /// Only what changed is present.
    SessionConfigured {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub model: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub approve: Option<ApprovalMode>,
    }
    TrustChanged {
        pub project: String,
        pub trusted: bool,
        pub pins: Vec<TrustPin>,
    }
    /// A piece of the folder that is executable or instructs the model, as it was when the user agreed to it.
    TrustPin {
        pub kind: String,
        /// Relative to the project.
        pub path: String,
        /// SHA-256 hex.
        pub hash: String,
    }
    RunStarted {
        pub prompt: String,
        pub agent: String,
        /// `provider/model`.
        pub model: String,
        pub core: String,
        /// SHA-256 hex of the system prompt; its text is in the blob store under the same hash.
        pub system_prompt_hash: String,
        pub options: RunOptions,
    }
    RunPaused {
        pub reason: PauseReason,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub approval_id: Option<ApprovalId>,
    }
    RunResumed {
        pub reason: PauseReason,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub approval_id: Option<ApprovalId>,
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
    }
    RunCancelled {
        pub code: String,
        pub message: String,
        pub retryable: bool,
    }
    EngineRequest {
        pub turn: u32,
        pub provider: String,
        pub model: String,
        pub request_hash: String,
        pub message_count: usize,
    }
    EngineResponse {
        pub turn: u32,
        pub finish_reason: FinishReason,
        pub usage: Usage,
        /// Milliseconds from sending the request to the first token; null where none came.
        pub ttft_ms: Option<u64>,
        pub duration_ms: u64,
    }
    OutputMessage {
        pub turn: u32,
        pub role: Role,
        pub content: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub thoughts: Option<String>,
        /// Cut off: by the user, by a fault or by a crash.
        pub interrupted: bool,
    }
    ToolCall {
        pub turn: u32,
        pub call_id: CallId,
        pub tool_id: String,
        /// The arguments; a string with the raw text where the model did not send JSON.
        pub args: Value,
        /// `None` for a tool that does not exist.
        pub category: Option<Category>,
    }
    /// Appended before anything happens. With `allow` it is also the mark that execution began: such a call without a
    /// `tool.result` was interrupted.
    PolicyDecided {
        pub call_id: CallId,
        pub decision: Decision,
        /// Which rule decided: `builtin:…`, `config:…`, `category:…`, `approve:…` or `approval:ID`.
        pub rule: String,
        pub reason: String,
        pub risk: Risk,
        /// For an allowed write: what the files will be, so that a crash can be reconciled.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub files: Vec<FileEffect>,
    }
    /// A file before and after; `None` where there is no file. SHA-256 hex of the raw bytes.
    FileEffect {
        pub path: String,
        pub before_hash: Option<String>,
        pub after_hash: Option<String>,
    }
    ApprovalRequested {
        pub approval_id: ApprovalId,
        pub call_id: CallId,
        pub tool_id: String,
        pub args: Value,
        pub risk: Risk,
        pub rule: String,
        pub reason: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub preview: Option<ChangePreview>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub command: Option<CommandPreview>,
        /// The approval this one replaces, because the file changed after it was shown.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub supersedes: Option<ApprovalId>,
    }
    /// A change as it is shown before it is made.
    ChangePreview {
        pub files_affected: Vec<String>,
        pub lines_changed: usize,
        /// Unified diff with 3 lines of context.
        pub diff: String,
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
    }
    /// A command as it is shown before it is run.
    CommandPreview {
        pub command: String,
        pub directory: String,
        /// Names of the variables the command will see.
        pub environment: Vec<String>,
        /// What confines it, or `none`.
        pub sandbox: String,
        /// SHA-256 hex over the command, its directory and its environment's names.
        pub preview_hash: String,
    }
    ApprovalResolved {
        pub approval_id: ApprovalId,
        pub decision: ApprovalDecision,
        /// The accepted hunks; absent = all.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hunks: Option<Vec<usize>>,
        /// By hunk: the user's own text for its new side.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub edited: BTreeMap<usize, String>,
        /// The user's note to the model.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
        pub resolved_by: String,
        pub preview_hash: String,
    }
    ToolResult {
        pub call_id: CallId,
        pub tool_id: String,
        pub result: String,
        pub is_error: bool,
        pub duration_ms: u64,
        /// Whether the result was cut to its limit.
        pub truncated: bool,
        /// The fault's code, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub code: Option<String>,
    }
    FileChanged {
        pub path: String,
        pub before_hash: Option<String>,
        pub after_hash: Option<String>,
        pub call_id: CallId,
        /// The hunks of the preview that were written.
        pub hunks: Vec<usize>,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    Approval,
    Budget,
    Plan,
    User,
    /// The program ended in the middle; the run went on later.
    Interrupted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Assistant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    Approve,
    Reject,
}

/// Streamed text that is not thinking belongs to the answer.
#[must_use]
pub fn is_thinking(token_type: TokenType) -> bool {
    matches!(token_type, TokenType::LlmThinking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_or_form_is_skipped_not_an_error() {
        assert_eq!(EventBody::parse("plan.imagined", "{}"), EventBody::Unknown);
        assert_eq!(EventBody::parse("run.failed", r#"{"other":1}"#), EventBody::Unknown);
    }

    #[test]
    fn a_payload_survives_the_round_trip() {
        let body = EventBody::from(FileChanged {
            path: "a.txt".into(),
            before_hash: None,
            after_hash: Some("ab".into()),
            call_id: CallId::from("c1"),
            hunks: vec![2],
        });
        let payload = body.payload().unwrap().to_string();
        assert_eq!(EventBody::parse(body.kind(), &payload), body);
    }

    #[test]
    fn a_payload_with_fields_from_a_later_version_still_reads() {
        let payload = r#"{"reason":"approval","approvalId":"a","futureField":true}"#;
        assert!(matches!(EventBody::parse("run.paused", payload), EventBody::RunPaused(_)));
    }
}

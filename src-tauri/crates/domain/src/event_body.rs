//! The payload of an event as a type, by the event's kind.
//!
//! A payload's version is its field `v` (absent = 1). Stored payloads are never rewritten: [`EventBody::parse`] lifts
//! an older one to today's form first (`upcast`). Kinds that this version does not know, and versions from the future,
//! parse as `Unknown` and are skipped by readers.

use crate::payloads::*;
use crate::upcast;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;
use ts_rs::TS;

macro_rules! event_bodies {
    ($($kind:literal => $name:ident),* $(,)?) => {
        /// The payload of an event, by its kind.
        #[derive(Debug, Clone, PartialEq, TS, JsonSchema)]
        #[ts(tag = "type", content = "payload")]
        #[schemars(tag = "type", content = "payload")]
        pub enum EventBody {
            $(#[ts(rename = $kind)] #[schemars(rename = $kind)] $name($name),)*
            /// A kind, or a form of a known kind, that this version cannot read.
            #[ts(untagged, type = "{ type: \"unknown\"; kind: string; payload: unknown }")]
            #[schemars(untagged, with = "UnknownBody")]
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
                let Some(payload) = upcast::to_current(kind, payload) else { return Self::Unknown };
                match kind {
                    $($kind => serde_json::from_str(&payload).map_or(Self::Unknown, Self::$name),)*
                    _ => Self::Unknown,
                }
            }

            /// The payload alone, without its kind.
            ///
            /// # Errors
            /// When the payload has no such form.
            pub fn serialize_payload<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(payload) => payload.serialize(serializer),)*
                    Self::Unknown => serializer.serialize_unit(),
                }
            }
        }

        $(impl From<$name> for EventBody {
            fn from(payload: $name) -> Self {
                Self::$name(payload)
            }
        })*

        /// Every kind this version knows.
        pub const EVENT_KINDS: &[&str] = &[$($kind),*];
    };
}

event_bodies! {
    "session.created" => SessionCreated,
    "session.forked" => SessionForked,
    "session.configured" => SessionConfigured,
    "session.granted" => SessionGranted,
    "session.rewound" => SessionRewound,
    "trust.changed" => TrustChanged,
    "message.queued" => MessageQueued,
    "queue.changed" => QueueChanged,
    "question.asked" => QuestionAsked,
    "question.answered" => QuestionAnswered,
    "run.started" => RunStarted,
    "subagent.started" => SubagentStarted,
    "run.paused" => RunPaused,
    "run.resumed" => RunResumed,
    "run.completed" => RunCompleted,
    "run.failed" => RunFailed,
    "run.cancelled" => RunCancelled,
    "engine.request" => EngineRequest,
    "engine.response" => EngineResponse,
    "engine.retry" => EngineRetry,
    "output.message" => OutputMessage,
    "tool.call" => ToolCall,
    "policy.decided" => PolicyDecided,
    "approval.requested" => ApprovalRequested,
    "approval.resolved" => ApprovalResolved,
    "command.ended" => CommandEnded,
    "tool.result" => ToolResult,
    "tool.async_result" => ToolAsyncResult,
    "file.changed" => FileChanged,
    "change.taken_back" => ChangeTakenBack,
    "changes.committed" => ChangesCommitted,
    "sandbox.cleaned_up" => SandboxCleanedUp,
    "plan.proposed" => PlanProposed,
    "plan.updated" => PlanUpdated,
    "checkpoint.created" => CheckpointCreated,
    "state.snapshot" => StateSnapshot,
    "state.changed" => StateChanged,
    "context.added" => ContextAdded,
    "context.compacted" => ContextCompacted,
    "context.dropped" => ContextDropped,
    "working_memory.snapshot" => WorkingMemorySnapshot,
    "memory.observed" => MemoryObserved,
    "memory.reflected" => MemoryReflected,
    "memory.reviewed" => MemoryReviewed,
    "hook.ran" => HookRan,
    "artifact.emitted" => ArtifactEmitted,
    "step.started" => StepStarted,
    "step.completed" => StepCompleted,
    "step.failed" => StepFailed,
    "step.skipped" => StepSkipped,
}

/// The form in which clients get an `EventBody::Unknown`.
#[derive(JsonSchema)]
#[schemars(inline)]
#[allow(dead_code, reason = "only its schema is used")]
struct UnknownBody {
    r#type: UnknownType,
    /// The type it is stored with.
    kind: String,
    payload: Value,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum UnknownType {
    Unknown,
}

impl EventBody {
    /// The request over HTTP that this answers, if it may be sent again.
    #[must_use]
    pub fn answered_request(&self) -> Option<&AnsweredRequest> {
        match self {
            Self::RunStarted(started) => started.request.as_ref(),
            Self::ApprovalResolved(resolved) => resolved.request.as_ref(),
            _ => None,
        }
    }

    /// The payload as JSON.
    ///
    /// # Errors
    /// When the payload has no JSON form.
    pub fn payload(&self) -> Result<Value, serde_json::Error> {
        self.serialize_payload(serde_json::value::Serializer)
    }

    /// Returns whether the event must be on the disk before anything follows from it. A decision is one too, unless its
    /// result comes with it: see [`crate::EventDraft::hold_intent`].
    #[must_use]
    pub fn is_intent(&self) -> bool {
        matches!(
            self,
            Self::ToolCall(_)
                | Self::ApprovalRequested(_)
                | Self::ApprovalResolved(_)
                | Self::QuestionAsked(_)
                | Self::QuestionAnswered(_)
                | Self::CommandEnded(_)
                | Self::FileChanged(_)
                | Self::ChangeTakenBack(_)
                | Self::SessionRewound(_)
                | Self::CheckpointCreated(_)
                | Self::MessageQueued(_)
                | Self::SessionGranted(_)
                | Self::TrustChanged(_)
                | Self::StepStarted(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallId;

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
            before_unknown: false,
            after_unknown: false,
            before_permissions: crate::Permissions::of_mode(0o600),
            before_link: false,
            after_link: false,
            call_id: CallId::from("c1"),
            hunks: vec![2],
            by_session: None,
            by_hook: Some("cargo fmt".into()),
        });
        let payload = body.payload().unwrap().to_string();
        assert_eq!(EventBody::parse(body.kind(), &payload), body);
    }

    #[test]
    fn a_payload_with_fields_from_a_later_version_still_reads() {
        let payload = r#"{"reason":"approval","approvalId":"a","futureField":true}"#;
        assert!(matches!(EventBody::parse("run.paused", payload), EventBody::RunPaused(_)));
    }

    #[test]
    fn a_payload_of_a_later_version_is_skipped() {
        let payload = r#"{"reason":"approval","v":99}"#;
        assert_eq!(EventBody::parse("run.paused", payload), EventBody::Unknown);
    }
}

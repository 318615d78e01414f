//! One event of the append-only log, and how it is chained to the one before it.

use crate::{CallId, CanonicalError, EventBody, EventId, RunId, SessionId, TokenType, canonical_json, sha256_hex};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The `prevHash` of a session's first event.
pub const GENESIS_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A stored event, in the form of the contract: the payload is kept byte for byte as it was stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    pub event_id: EventId,
    /// `None` outside a run.
    pub run_id: Option<RunId>,
    pub session_id: SessionId,
    /// The number of the event, from 1, without gaps within a session.
    pub seq: u64,
    /// Milliseconds since 1970, by the clock of the machine that wrote it.
    pub ts: i64,
    #[serde(rename = "type")]
    pub kind: String,
    /// Canonical JSON.
    pub payload: Box<RawValue>,
    pub prev_hash: String,
    pub hash: String,
}

impl Event {
    /// The payload as a type, older versions lifted to today's. Unknown kinds are `EventBody::Unknown`.
    #[must_use]
    pub fn body(&self) -> EventBody {
        EventBody::parse(&self.kind, self.payload.get())
    }

    /// The hash this event should have, recomputed from its fields.
    ///
    /// # Errors
    /// When the payload is not JSON.
    pub fn computed_hash(&self) -> Result<String, CanonicalError> {
        chain_hash(self)
    }
}

/// SHA-256 over the canonical JSON (RFC 8785) of the event without its `hash`.
///
/// # Errors
/// When the payload is not JSON.
pub fn chain_hash(event: &Event) -> Result<String, CanonicalError> {
    let mut unhashed = serde_json::to_value(event)?;
    if let Some(fields) = unhashed.as_object_mut() {
        fields.remove("hash");
    }
    Ok(sha256_hex(canonical_json(&unhashed)?.as_bytes()))
}

/// An event that is still to be stored: the log gives it its id, time, number and hashes.
#[derive(Debug, Clone)]
pub struct EventDraft {
    pub run_id: Option<RunId>,
    pub body: EventBody,
}

impl EventDraft {
    #[must_use]
    pub fn of_run(run_id: &RunId, body: impl Into<EventBody>) -> Self {
        Self { run_id: Some(run_id.clone()), body: body.into() }
    }

    #[must_use]
    pub fn of_session(body: impl Into<EventBody>) -> Self {
        Self { run_id: None, body: body.into() }
    }

    /// Returns whether the drafts, stored together, must be on the disk before anything follows from them. A decision
    /// that is stored together with its result permitted something without an effect: nothing follows from it.
    #[must_use]
    pub fn hold_intent(drafts: &[Self]) -> bool {
        let concludes = drafts.iter().any(|draft| matches!(draft.body, EventBody::ToolResult(_)));
        drafts
            .iter()
            .any(|draft| draft.body.is_intent() || (matches!(draft.body, EventBody::PolicyDecided(_)) && !concludes))
    }
}

/// An event as another program's history tells it: its id and time are told with it, its number and hashes are not.
#[derive(Debug, Clone)]
pub struct PastEvent {
    pub event_id: EventId,
    /// Milliseconds since 1970.
    pub ts: i64,
    pub draft: EventDraft,
}

/// A piece of streamed text: shown live, never stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputDelta {
    pub turn: u32,
    pub token_type: TokenType,
    pub text: String,
}

/// An event that subscribers of the live bus see.
#[derive(Debug, Clone)]
pub enum LiveEvent {
    /// Stored first, announced second.
    Stored(std::sync::Arc<Event>),
    Delta {
        session_id: SessionId,
        run_id: RunId,
        delta: OutputDelta,
    },
    /// A model is writing a call, of which nothing can be shown yet.
    CallGrows {
        session_id: SessionId,
        run_id: RunId,
    },
    /// A piece of a running command's output, sent as it is printed, or the files that it has changed in its view.
    CommandOutput {
        session_id: SessionId,
        run_id: RunId,
        call_id: CallId,
        text: String,
        /// All so far, at most a few; none in a piece of output.
        changed: Vec<String>,
    },
    /// The questions of MCP servers changed: clients list them again.
    ElicitationsChanged,
}

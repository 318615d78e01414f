//! From a draft to the bytes that are stored and hashed.
//!
//! Done by whoever appends, before the writer sees it: a large payload must not hold up other sessions.

use crate::StoreError;
use arki_domain::{Event, EventBody, EventDraft, Redactor, RunId, SAFE_INTEGER, canonical_json, with_safe_numbers};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// The longest payload, in bytes of canonical JSON.
pub const MAX_EVENT_BYTES: usize = 16 << 20;
/// The deepest nesting of a payload; below the limit of `serde_json`, so that what is stored can be read.
pub const MAX_EVENT_DEPTH: usize = 120;

/// A draft whose payload is final: safe numbers, no keys, canonical.
pub(crate) struct SealedDraft {
    pub(crate) run_id: Option<RunId>,
    pub(crate) body: EventBody,
    pub(crate) payload: String,
}

pub(crate) fn seal(draft: EventDraft, redactor: &Redactor) -> Result<SealedDraft, StoreError> {
    let EventDraft { run_id, body } = draft;
    let value = body.payload().map_err(StoreError::internal)?;
    if is_deeper_than(&value, MAX_EVENT_DEPTH) {
        return Err(StoreError::EventTooDeep { limit: MAX_EVENT_DEPTH });
    }
    let payload = if is_final(&value, redactor) {
        value.to_string()
    } else {
        let value = redactor.redact_json(with_safe_numbers(value));
        canonical_json(&value).map_err(StoreError::internal)?
    };
    if payload.len() > MAX_EVENT_BYTES {
        return Err(StoreError::EventTooLarge { bytes: payload.len(), limit: MAX_EVENT_BYTES });
    }
    Ok(SealedDraft { run_id, body: as_stored(body, &payload), payload })
}

/// Projections keep the words of these two, so that they must be the redacted ones.
fn as_stored(body: EventBody, payload: &str) -> EventBody {
    match body {
        EventBody::SessionCreated(_) | EventBody::RunStarted(_) => EventBody::parse(body.kind(), payload),
        other => other,
    }
}

fn is_deeper_than(value: &Value, limit: usize) -> bool {
    match value {
        Value::Array(items) => limit == 0 || items.iter().any(|item| is_deeper_than(item, limit - 1)),
        Value::Object(map) => limit == 0 || map.values().any(|item| is_deeper_than(item, limit - 1)),
        _ => false,
    }
}

/// Whether the plain form is already the canonical one, as it mostly is; to see that costs a fraction of rebuilding it.
fn is_final(value: &Value, redactor: &Redactor) -> bool {
    let is_public = |text: &str| matches!(redactor.redact(text), Cow::Borrowed(_));
    match value {
        Value::Null | Value::Bool(_) => true,
        // Only integers have the same digits in both forms.
        Value::Number(number) => number.as_i64().is_some_and(|integer| integer.unsigned_abs() <= SAFE_INTEGER),
        Value::String(text) => is_public(text),
        Value::Array(items) => items.iter().all(|item| is_final(item, redactor)),
        // RFC 8785 sorts by UTF-16, which for ASCII is the order of the bytes.
        Value::Object(map) => {
            map.keys().is_sorted()
                && map.iter().all(|(key, item)| key.is_ascii() && is_public(key) && is_final(item, redactor))
        }
    }
}

/// What an event's hash is over, besides its payload.
pub(crate) struct Unhashed<'a> {
    pub(crate) event_id: &'a str,
    pub(crate) run_id: Option<&'a str>,
    pub(crate) session_id: &'a str,
    pub(crate) seq: u64,
    pub(crate) ts: i64,
    pub(crate) kind: &'a str,
    pub(crate) prev_hash: &'a str,
}

impl<'a> Unhashed<'a> {
    pub(crate) fn of(event: &'a Event) -> Self {
        Self {
            event_id: event.event_id.as_str(),
            run_id: event.run_id.as_ref().map(RunId::as_str),
            session_id: event.session_id.as_str(),
            seq: event.seq,
            ts: event.ts,
            kind: &event.kind,
            prev_hash: &event.prev_hash,
        }
    }

    /// The same as `arki_domain::chain_hash`, without parsing a payload that is known to be canonical. `None` when a
    /// number has no exact place in JSON.
    pub(crate) fn hash(&self, payload: &str) -> Option<String> {
        if self.seq > SAFE_INTEGER || self.ts.unsigned_abs() > SAFE_INTEGER {
            return None;
        }
        let mut hasher = Sha256::new();
        hasher.update(format!(r#"{{"eventId":{},"payload":"#, quoted(self.event_id)));
        hasher.update(payload);
        hasher.update(format!(
            r#","prevHash":{},"runId":{},"seq":{},"sessionId":{},"ts":{},"type":{}}}"#,
            quoted(self.prev_hash),
            self.run_id.map_or_else(|| "null".to_owned(), quoted),
            self.seq,
            quoted(self.session_id),
            self.ts,
            quoted(self.kind),
        ));
        Some(hex::encode(hasher.finalize()))
    }
}

/// `serde_json` escapes exactly what RFC 8785 asks for.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

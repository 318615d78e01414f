//! Turns a draft into the bytes that are stored and hashed.
//!
//! Done by whoever appends, before the writer sees it: a large payload must not hold up other sessions.

use crate::StoreError;
use arki_domain::{
    Event, EventBody, EventDraft, RunId, SAFE_INTEGER, canonical_json, sha256_hex_of, with_safe_numbers,
};
use arki_redaction::Redactor;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::fmt::Write;

/// The longest payload, in bytes of canonical JSON.
pub const MAX_EVENT_BYTES: usize = 32 << 20;
/// The deepest nesting of a payload; below the limit of `serde_json`, so that what is stored can be read.
pub const MAX_EVENT_DEPTH: usize = 120;

/// Enough for what stands before and after the payload, with ids of the usual length.
const HEAD_BYTES: usize = 64;
const TAIL_BYTES: usize = 320;

/// A draft whose payload is final: safe numbers, no keys, canonical.
pub(crate) struct SealedDraft {
    pub(crate) run_id: Option<RunId>,
    pub(crate) body: EventBody,
    pub(crate) payload: Box<RawValue>,
}

pub(crate) fn seal(draft: EventDraft, redactor: &Redactor) -> Result<SealedDraft, StoreError> {
    let EventDraft { run_id, body } = draft;
    let value = body.payload().map_err(StoreError::internal)?;
    if is_deeper_than(&value, MAX_EVENT_DEPTH) {
        return Err(StoreError::EventTooDeep { limit: MAX_EVENT_DEPTH });
    }
    let is_final = is_canonical(&value) && redactor.is_public(&value);
    let payload = if is_final {
        to_raw_value(&value)
    } else {
        let value = with_safe_numbers(value);
        let redacted = redactor.redact_json(value.clone());
        let value = if redactor.has_rules() { readable(body.kind(), &value, redacted) } else { redacted };
        RawValue::from_string(canonical_json(&value).map_err(StoreError::internal)?)
    }
    .map_err(StoreError::internal)?;
    let bytes = payload.get().len();
    if bytes > MAX_EVENT_BYTES {
        return Err(StoreError::EventTooLarge { bytes, limit: MAX_EVENT_BYTES });
    }
    let body = if is_final { body } else { as_stored(body, payload.get()) };
    Ok(SealedDraft { run_id, body, payload })
}

/// The redacted payload with the words of its type's own, should a rule of the user's match one of them: such a word is
/// no secret, and without it nothing could read the event.
fn readable(kind: &str, plain: &Value, redacted: Value) -> Value {
    let is_read = |payload: &Value| !matches!(EventBody::parse(kind, &payload.to_string()), EventBody::Unknown);
    if is_read(&redacted) || !is_read(plain) {
        return redacted;
    }
    let (mut pointers, mut readable) = (Vec::new(), redacted);
    changed_texts(plain, &readable, String::new(), &mut pointers);
    for pointer in pointers {
        let mut tried = plain.clone();
        let (Some(text), Some(place), Some(own)) =
            (tried.pointer_mut(&pointer), readable.pointer_mut(&pointer), plain.pointer(&pointer))
        else {
            continue;
        };
        *text = place.take();
        *place = if is_read(&tried) { tried.pointer(&pointer).cloned().unwrap_or_default() } else { own.clone() };
    }
    readable
}

/// Collects where two payloads of the same form have different texts.
fn changed_texts(plain: &Value, redacted: &Value, pointer: String, changed: &mut Vec<String>) {
    match (plain, redacted) {
        (Value::Array(plain), Value::Array(redacted)) => {
            let items = plain.iter().zip(redacted).enumerate();
            items
                .for_each(|(at, (plain, redacted))| changed_texts(plain, redacted, format!("{pointer}/{at}"), changed));
        }
        (Value::Object(plain), Value::Object(redacted)) => plain.iter().for_each(|(key, plain)| {
            if let Some(redacted) = redacted.get(key) {
                let key = key.replace('~', "~0").replace('/', "~1");
                changed_texts(plain, redacted, format!("{pointer}/{key}"), changed);
            }
        }),
        _ if plain != redacted => changed.push(pointer),
        _ => {}
    }
}

/// Tables beside the log keep words of these, so that they must be the redacted ones.
fn as_stored(body: EventBody, payload: &str) -> EventBody {
    match body {
        EventBody::SessionCreated(_)
        | EventBody::RunStarted(_)
        | EventBody::FileChanged(_)
        | EventBody::SessionRewound(_)
        | EventBody::ChangeTakenBack(_) => EventBody::parse(body.kind(), payload),
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

/// Returns whether the plain form is already the canonical one, as it mostly is; to see that costs a fraction of
/// rebuilding it.
fn is_canonical(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        // Only integers have the same digits in both forms.
        Value::Number(number) => number.as_i64().is_some_and(|integer| integer.unsigned_abs() <= SAFE_INTEGER),
        Value::Array(items) => items.iter().all(is_canonical),
        // RFC 8785 sorts by UTF-16, which for ASCII is the order of the bytes.
        Value::Object(map) => {
            map.keys().is_sorted() && map.iter().all(|(key, item)| key.is_ascii() && is_canonical(item))
        }
    }
}

/// The part of an event that its hash covers, besides its payload.
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
        let mut head = String::with_capacity(HEAD_BYTES);
        head.push_str("{\"eventId\":");
        push_quoted(&mut head, self.event_id);
        head.push_str(",\"payload\":");
        let mut tail = String::with_capacity(TAIL_BYTES);
        tail.push_str(",\"prevHash\":");
        push_quoted(&mut tail, self.prev_hash);
        tail.push_str(",\"runId\":");
        match self.run_id {
            Some(run_id) => push_quoted(&mut tail, run_id),
            None => tail.push_str("null"),
        }
        write!(tail, ",\"seq\":{},\"sessionId\":", self.seq).ok()?;
        push_quoted(&mut tail, self.session_id);
        write!(tail, ",\"ts\":{},\"type\":", self.ts).ok()?;
        push_quoted(&mut tail, self.kind);
        tail.push('}');
        Some(sha256_hex_of(&[head.as_bytes(), payload.as_bytes(), tail.as_bytes()]))
    }
}

/// A payload in another form could carry a hash over that form, which no other reader would compute.
pub(crate) fn is_canonical_text(payload: &str) -> bool {
    let parsed: Result<Value, _> = serde_json::from_str(payload);
    parsed.is_ok_and(|value| canonical_json(&value).is_ok_and(|canonical| canonical == payload))
}

/// `serde_json` escapes exactly what RFC 8785 asks for; an id has nothing to escape.
fn push_quoted(json: &mut String, text: &str) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    // All of it at once: ids are short and plain, and a loop that may end early looks at one byte at a time.
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        json.push('"');
        json.push_str(text);
        json.push('"');
    } else {
        json.push_str(&Value::from(text).to_string());
    }
}

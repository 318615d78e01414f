//! A stored event as clients are told it: always in today's form, whichever version wrote it, and what is too large for
//! one message cut. A change's diff comes in pages, and long arguments are shortened.

use arki_domain::projection::Observation;
use arki_domain::{ApprovalRequested, EventBody, EventId, RunId, SessionId};
use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::sync::Arc;
use ts_rs::TS;

/// Payloads below this go as they are.
const WHOLE_BYTES: usize = 256 << 10;
/// The limit for a string inside a longer one.
const SHOWN_STRING_BYTES: usize = 16 << 10;

/// A stored event. Its payload is of the form that its `type` has today, with `unknown` for one that this version
/// cannot read: then `kind` is the type it is stored with, and the payload may be anything.
#[derive(Debug, Clone, TS, JsonSchema)]
#[ts(export, as = "EventForm")]
#[schemars(transparent)]
pub struct Event(#[schemars(with = "EventForm")] pub Arc<arki_domain::Event>);

/// The written form of an event.
#[derive(TS, JsonSchema)]
#[ts(rename_all = "camelCase")]
#[schemars(inline, rename_all = "camelCase")]
#[allow(dead_code, reason = "only its TypeScript is used")]
struct EventForm {
    event_id: EventId,
    run_id: Option<RunId>,
    session_id: SessionId,
    seq: u64,
    ts: i64,
    prev_hash: String,
    hash: String,
    #[ts(flatten)]
    #[schemars(flatten)]
    body: EventBody,
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let event = &*self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("eventId", &event.event_id)?;
        map.serialize_entry("runId", &event.run_id)?;
        map.serialize_entry("sessionId", &event.session_id)?;
        map.serialize_entry("seq", &event.seq)?;
        map.serialize_entry("ts", &event.ts)?;
        let is_large = event.payload.get().len() > WHOLE_BYTES;
        let body = event.body();
        map.serialize_entry("type", body.kind())?;
        match body {
            EventBody::Unknown => {
                map.serialize_entry("kind", &event.kind)?;
                map.serialize_entry("payload", &event.payload)?;
            }
            body if is_large => map.serialize_entry("payload", &Payload(&shortened_body(body)))?,
            body => map.serialize_entry("payload", &Payload(&body))?,
        }
        map.serialize_entry("prevHash", &event.prev_hash)?;
        map.serialize_entry("hash", &event.hash)?;
        map.end()
    }
}

struct Payload<'a>(&'a EventBody);

impl Serialize for Payload<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_payload(serializer)
    }
}

/// A call or question with only what is shown of it; the end of a run without the whole answer, which
/// clients take from its `output.message`.
fn shortened_body(mut body: EventBody) -> EventBody {
    match &mut body {
        EventBody::ToolCall(call) => shorten(&mut call.args),
        EventBody::ApprovalRequested(requested) => shorten_request(requested),
        EventBody::RunCompleted(completed) => shorten_text(&mut completed.response),
        _ => {}
    }
    body
}

/// Returns what is asked, with long arguments cut, and without the hunks of a change whose diff comes in pages.
#[must_use]
pub fn shortened_request(mut requested: ApprovalRequested) -> ApprovalRequested {
    shorten_request(&mut requested);
    requested
}

fn shorten_request(requested: &mut ApprovalRequested) {
    shorten(&mut requested.args);
    if let Some(preview) = &mut requested.preview
        && preview.diff_hash.is_some()
    {
        preview.hunks = Vec::new();
    }
}

/// Returns the observation, with long texts cut.
#[must_use]
pub fn shortened_observation(mut seen: Observation) -> Observation {
    shorten(&mut seen.content);
    shorten(&mut seen.metadata);
    seen
}

/// Long strings are cut, and say so.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => shorten_text(text),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

fn shorten_text(text: &mut String) {
    let bytes = text.len();
    if bytes > SHOWN_STRING_BYTES {
        text.truncate(text.floor_char_boundary(SHOWN_STRING_BYTES));
        text.push_str(&format!("… ({bytes} bytes in all)"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Usage;
    use arki_domain::projection::{ConversationItem, ConversationStanding};
    use serde_json::json;

    fn sent(kind: &str, payload: &Value) -> Value {
        let event = json!({
            "eventId": "e", "runId": null, "sessionId": "s", "seq": 1, "ts": 2, "type": kind, "payload": payload,
            "prevHash": "p", "hash": "h"
        });
        let event: arki_domain::Event = serde_json::from_value(event).unwrap();
        serde_json::to_value(Event(Arc::new(event))).unwrap()
    }

    /// Named as the exports of `ts-rs` are: the window's own fold has these forms.
    #[test]
    fn export_bindings_of_conversations() {
        let config = ts_rs::Config::from_env();
        ConversationItem::export_all(&config).unwrap();
        ConversationStanding::export_all(&config).unwrap();
    }

    #[test]
    fn a_large_call_and_the_answer_told_again_are_cut_and_everything_else_goes_whole() {
        let call = |bytes: usize| {
            let args = json!({"path": "a", "content": "é".repeat(bytes / 2)});
            json!({"turn": 1, "callId": "c", "toolId": "write_file", "args": args, "category": "write"})
        };
        assert_eq!(sent("tool.call", &call(1000))["payload"], call(1000));
        let cut = sent("tool.call", &call(20 << 20));
        assert_eq!((&cut["seq"], &cut["hash"], &cut["payload"]["args"]["path"]), (&json!(1), &json!("h"), &json!("a")));
        assert!(cut.to_string().len() < 2 * SHOWN_STRING_BYTES);
        assert!(cut["payload"]["args"]["content"].as_str().unwrap().ends_with("bytes in all)"));
        let said = json!({"turn": 1, "role": "assistant", "content": "x".repeat(1 << 20), "interrupted": false});
        assert_eq!(sent("output.message", &said)["payload"], said);
        let end = |response: String| json!({"response": response, "turns": 1, "usage": Usage::zero()});
        let cut = sent("run.completed", &end("x".repeat(1 << 20)));
        assert!(cut["payload"]["response"].as_str().unwrap().ends_with("(1048576 bytes in all)"));
        assert_eq!(sent("run.completed", &end("Done.".to_owned()))["payload"], end("Done.".to_owned()));
    }

    #[test]
    fn a_large_change_goes_without_its_hunks() {
        let hunk = json!({"index": 1, "path": "a", "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1});
        let preview = |hunks: Vec<Value>| json!({"filesAffected": ["a"], "linesChanged": 1, "diffHash": "d", "hunks": hunks, "previewHash": "p"});
        let requested = json!({
            "approvalId": "a", "callId": "c", "toolId": "edit_file", "args": {}, "risk": "low", "rule": "r",
            "reason": "", "preview": preview(vec![hunk; 10_000])
        });
        assert_eq!(sent("approval.requested", &requested)["payload"]["preview"], preview(Vec::new()));
    }

    #[test]
    fn a_long_text_of_an_observation_is_cut() {
        let seen = json!({
            "id": "e:ERROR", "threadId": "s", "traceId": null, "timestamp": 1, "type": "ERROR", "title": "t",
            "content": "x".repeat(1 << 20), "metadata": {"eventType": "run.failed", "seq": 1}
        });
        let cut = serde_json::to_value(shortened_observation(serde_json::from_value(seen.clone()).unwrap())).unwrap();
        assert!(cut["content"].as_str().unwrap().ends_with("(1048576 bytes in all)"));
        assert!(cut.to_string().len() < 2 * SHOWN_STRING_BYTES && cut["metadata"] == seen["metadata"]);
    }

    /// So that what a client reads is what its type says, whatever the log holds.
    #[test]
    fn an_earlier_form_comes_in_todays_and_what_cannot_be_read_as_unknown() {
        let failed = json!({"code": "C", "message": "m", "retryable": true});
        let told = sent("run.failed", &failed);
        assert_eq!((&told["type"], &told["payload"]["hint"]), (&json!("run.failed"), &json!("")));
        for (kind, payload) in [("plan.imagined", json!({"a": 1})), ("run.failed", json!({"code": 7}))] {
            let told = sent(kind, &payload);
            assert_eq!((&told["type"], &told["kind"], &told["payload"]), (&json!("unknown"), &json!(kind), &payload));
        }
        let later = json!({"reason": "approval", "v": 99});
        assert_eq!(sent("run.paused", &later)["type"], "unknown");
    }
}

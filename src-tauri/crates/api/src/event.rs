//! A stored event as it goes to clients. What is too large for one message is cut: a change's diff comes in pages, and
//! long arguments are shortened.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::sync::Arc;
use ts_rs::TS;

/// Payloads of calls and questions below this go as they are.
const WHOLE_BYTES: usize = 256 << 10;
/// Of a string in a longer one.
const SHOWN_STRING_BYTES: usize = 16 << 10;

/// A stored event as it goes to the window: the contract's form.
#[derive(Debug, Clone, TS)]
#[ts(export)]
pub struct Event(
    #[ts(
        type = "{ eventId: string; runId: string | null; sessionId: string; seq: number; ts: number; type: string; payload: Record<string, unknown>; prevHash: string; hash: string }"
    )]
    pub Arc<arki_domain::Event>,
);

impl Serialize for Event {
    /// The contract's form; of a large call or question only what the window shows of it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let event = &*self.0;
        let is_cut = matches!(event.kind.as_str(), "tool.call" | "approval.requested");
        if !is_cut || event.payload.get().len() <= WHOLE_BYTES {
            return event.serialize(serializer);
        }
        let mut payload: Value = serde_json::from_str(event.payload.get()).unwrap_or_default();
        shorten_payload(&mut payload);
        let mut map = serializer.serialize_map(Some(9))?;
        map.serialize_entry("eventId", &event.event_id)?;
        map.serialize_entry("runId", &event.run_id)?;
        map.serialize_entry("sessionId", &event.session_id)?;
        map.serialize_entry("seq", &event.seq)?;
        map.serialize_entry("ts", &event.ts)?;
        map.serialize_entry("type", &event.kind)?;
        map.serialize_entry("payload", &payload)?;
        map.serialize_entry("prevHash", &event.prev_hash)?;
        map.serialize_entry("hash", &event.hash)?;
        map.end()
    }
}

fn shorten_payload(payload: &mut Value) {
    if let Some(args) = payload.get_mut("args") {
        shorten(args);
    }
    if let Some(preview) = payload.get_mut("preview")
        && preview.get("diffHash").is_some()
    {
        preview["hunks"] = Value::Array(Vec::new());
    }
}

/// Long strings in it are cut, and say so.
#[must_use]
pub fn shortened(mut args: Value) -> Value {
    shorten(&mut args);
    args
}

/// Long strings are cut, and say so.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > SHOWN_STRING_BYTES => {
            let bytes = text.len();
            text.truncate(text.floor_char_boundary(SHOWN_STRING_BYTES));
            text.push_str(&format!("… ({bytes} bytes in all)"));
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sent(kind: &str, payload: &Value) -> Value {
        let event = json!({
            "eventId": "e", "runId": null, "sessionId": "s", "seq": 1, "ts": 2, "type": kind, "payload": payload,
            "prevHash": "p", "hash": "h"
        });
        let event: arki_domain::Event = serde_json::from_value(event).unwrap();
        serde_json::to_value(Event(Arc::new(event))).unwrap()
    }

    #[test]
    fn a_large_call_is_cut_and_everything_else_goes_as_it_is() {
        let call = |bytes: usize| json!({"callId": "c", "args": {"path": "a", "content": "é".repeat(bytes / 2)}});
        assert_eq!(sent("tool.call", &call(1000))["payload"], call(1000));
        let cut = sent("tool.call", &call(20 << 20));
        assert_eq!((&cut["seq"], &cut["hash"], &cut["payload"]["args"]["path"]), (&json!(1), &json!("h"), &json!("a")));
        assert!(cut.to_string().len() < 2 * SHOWN_STRING_BYTES);
        assert!(cut["payload"]["args"]["content"].as_str().unwrap().ends_with("bytes in all)"));
        let said = json!({"content": "x".repeat(1 << 20)});
        assert_eq!(sent("output.message", &said)["payload"], said);
    }

    #[test]
    fn a_large_change_goes_without_its_hunks() {
        let hunk = json!({"index": 1, "path": "a", "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1});
        let preview = json!({"diffHash": "d", "hunks": vec![hunk; 10_000], "previewHash": "p"});
        let cut = sent("approval.requested", &json!({"approvalId": "a", "args": {}, "preview": preview}));
        assert_eq!(cut["payload"]["preview"], json!({"diffHash": "d", "hunks": [], "previewHash": "p"}));
    }
}

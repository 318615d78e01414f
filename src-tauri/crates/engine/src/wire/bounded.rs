//! What is too large for one message to the window: a change's diff comes in pages, and long arguments are cut.

use super::WireEvent;
use crate::Engine;
use crate::approvals::review::{ReviewChange, ReviewFile};
use arki_domain::{ApprovalId, Fault};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use ts_rs::TS;

/// Payloads of calls and questions below this go as they are.
const WHOLE_BYTES: usize = 256 << 10;
/// Of a string in a longer one.
const SHOWN_STRING_BYTES: usize = 16 << 10;
/// Of a diff, at once.
const PAGE_BYTES: usize = 64 << 10;

/// A file of a change whose diff is too large to be sent at once.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, rename = "ReviewFile")]
pub struct WireReviewFile {
    pub path: String,
    pub change: ReviewChange,
    /// The number of its first hunk.
    pub first_hunk: usize,
    pub hunks: usize,
    pub added: usize,
    pub removed: usize,
    /// Of its part of the diff.
    pub bytes: usize,
}

/// Whole lines of a file's part of a diff.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ReviewPage {
    pub text: String,
    /// Where the next page begins; null after the last.
    pub next: Option<usize>,
}

impl From<&ReviewFile> for WireReviewFile {
    fn from(file: &ReviewFile) -> Self {
        Self {
            path: file.path.clone(),
            change: file.change,
            first_hunk: file.first_hunk,
            hunks: file.hunks,
            added: file.added,
            removed: file.removed,
            bytes: file.diff_bytes(),
        }
    }
}

impl Engine {
    /// The files of a change that waits or was decided.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`, and those of [`Self::review_diff`].
    pub fn review_files(&self, approval: &ApprovalId) -> Result<Vec<WireReviewFile>, Fault> {
        let record = self.approval(approval)?;
        let requested = record.request().ok_or_else(|| Fault::internal("an approval that can't be read"))?;
        Ok(self.review_diff(&record, &requested)?.files().iter().map(WireReviewFile::from).collect())
    }

    /// A page of the diff of one of these files, by its place among them, with its secrets: what the user reviews.
    ///
    /// # Errors
    /// As for [`Self::review_files`], and `FILE_NOT_FOUND`.
    pub fn review_page(&self, approval: &ApprovalId, file: usize, from: usize) -> Result<ReviewPage, Fault> {
        let record = self.approval(approval)?;
        let requested = record.request().ok_or_else(|| Fault::internal("an approval that can't be read"))?;
        let review = self.review_diff(&record, &requested)?;
        let (text, next) = review.page(file, from, PAGE_BYTES)?;
        let path = review.files().get(file).map(|file| file.path.as_str()).unwrap_or_default();
        Ok(ReviewPage { text: self.revealed_text(&record, path, text), next })
    }
}

impl Serialize for WireEvent {
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

pub(crate) fn shortened(mut args: Value) -> Value {
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
    use arki_domain::Event;
    use serde_json::json;
    use std::sync::Arc;

    fn sent(kind: &str, payload: &Value) -> Value {
        let event = json!({
            "eventId": "e", "runId": null, "sessionId": "s", "seq": 1, "ts": 2, "type": kind, "payload": payload,
            "prevHash": "p", "hash": "h"
        });
        let event: Event = serde_json::from_value(event).unwrap();
        serde_json::to_value(WireEvent(Arc::new(event))).unwrap()
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

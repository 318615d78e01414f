//! Reading JSON whose form nobody promised: what isn't there, or is something else, is simply not told.

use jiff::Timestamp;
use serde_json::Value;

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn is_set(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// A moment in RFC 3339, in milliseconds since 1970; 0 where there is none.
pub(crate) fn moment(value: &Value, key: &str) -> i64 {
    text(value, key).parse::<Timestamp>().map(Timestamp::as_millisecond).unwrap_or_default()
}

/// The items of a list; none where it is no list.
pub(crate) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The text of a content that is either a string or a list of blocks; a picture leaves a word in its place.
pub(crate) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().map(block_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn block_text(block: &Value) -> String {
    match text(block, "type") {
        "image" | "input_image" => "[picture]".to_owned(),
        "document" => "[document]".to_owned(),
        _ => text(block, "text").to_owned(),
    }
}

//! Bounds on what is stored of an answer, and the treatment of the rest.
//!
//! The log refuses events beyond its own limits, and a run whose answer it refused would stay open for ever: asked
//! again, the model says the same. These limits lie below the log's, so that it never comes to that.

use arki_domain::{CallId, Code, Error, FinishReason, ToolRequest, ToolResult, json_char_bytes};
use serde_json::{Map, Value};
use std::time::Duration;

/// The longest answer, thoughts included, in bytes of JSON; the log takes events of 32 MiB.
pub(crate) const MAX_ANSWER_BYTES: usize = 12 << 20;
/// The longest arguments of a call. They are stored in the call and in the question to the user, which also lists the
/// hunks of what they would change.
pub(crate) const MAX_ARGUMENT_BYTES: usize = 4 << 20;
/// The deepest nesting of arguments; the log takes 120 levels.
pub(crate) const MAX_ARGUMENT_DEPTH: usize = 100;
/// The longest name or id of a call; providers allow 64 bytes.
pub(crate) const MAX_NAME_BYTES: usize = 256;
/// The number of bytes kept of arguments that are too long: enough to see what they were.
const KEPT_ARGUMENT_BYTES: usize = 1 << 10;

/// The room that is left in an answer.
pub(crate) struct AnswerRoom {
    left: usize,
    is_full: bool,
}

impl AnswerRoom {
    pub(crate) fn new() -> Self {
        Self { left: MAX_ANSWER_BYTES, is_full: false }
    }

    /// The part of `text` that fits. Once something did not, nothing does.
    pub(crate) fn take(&mut self, mut text: String) -> String {
        if self.is_full {
            return String::new();
        }
        for (start, character) in text.char_indices() {
            match self.left.checked_sub(json_char_bytes(character)) {
                Some(left) => self.left = left,
                None => {
                    self.is_full = true;
                    text.truncate(start);
                    break;
                }
            }
        }
        text
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }
}

pub(crate) fn too_long() -> Error {
    let message = format!(
        "The model's answer is longer than {} MiB, so Arki stopped it. The part so far is kept.",
        MAX_ANSWER_BYTES >> 20
    );
    let hint = "Ask for less at a time, or choose another model: this one may never stop.";
    Error::new(Code::ANSWER_TOO_LONG, message, hint)
}

/// A request that the user ended because nothing came of it.
pub(crate) fn silent() -> Error {
    Error::new(Code::PROVIDER_TIMEOUT, "Nothing came from the model, and you asked again.", "Choose another model.")
}

pub(crate) fn too_slow(limit: Duration) -> Error {
    let seconds = limit.as_secs();
    let limit = if seconds >= 120 { format!("{} minutes", seconds.div_ceil(60)) } else { format!("{seconds} s") };
    let message = format!("Arki stopped the model's answer after {limit}. The part so far is kept.");
    let hint = "Ask for less at a time, choose another model, or raise limits.maxAnswerSeconds.";
    Error::new(Code::ANSWER_TIMEOUT, message, hint)
}

/// A call's arguments as they are stored; with what the model is told where they cannot be.
pub(crate) fn arguments(call: &ToolRequest, why_it_ended: FinishReason) -> (Value, Option<Error>) {
    let raw = call.arguments.as_str();
    let too_large = if raw.len() > MAX_ARGUMENT_BYTES {
        Some(format!("{} bytes, and the limit is {MAX_ARGUMENT_BYTES}", raw.len()))
    } else {
        (depth(raw) > MAX_ARGUMENT_DEPTH).then(|| format!("they are nested deeper than {MAX_ARGUMENT_DEPTH} levels"))
    };
    if let Some(why) = too_large {
        let kept = &raw[..raw.floor_char_boundary(KEPT_ARGUMENT_BYTES)];
        return (Value::from(kept), Some(refused(&why)));
    }
    match serde_json::from_str(raw) {
        // So some models say that there are none.
        Ok(Value::Null) => (Value::Object(Map::new()), None),
        Ok(args) => (args, None),
        Err(_) => (Value::from(raw), (why_it_ended == FinishReason::Length).then(cut_off)),
    }
}

fn cut_off() -> Error {
    Error::new(
        Code::ARGUMENTS_INVALID,
        "Not done: your answer reached the output limit in the middle of this call, so its arguments are incomplete.",
        "Make the call again with less at a time, for example a large file in several edits.",
    )
}

fn refused(why: &str) -> Error {
    let hint = "Send less at a time, for example a large file in several edits.";
    Error::new(Code::ARGUMENTS_INVALID, format!("Not done: the arguments are too large ({why})."), hint)
}

/// Returns the result for a call that cannot be stored as it was meant.
pub(crate) fn not_done(call: &ToolRequest, fault: &Error) -> ToolResult {
    let text = format!("Error: {} {}", fault.message, fault.hint);
    let result = ToolResult::new(call.call_id.clone(), call.tool_id.clone(), text);
    ToolResult { is_error: true, code: Some(fault.code.clone()), ..result }
}

/// The same call under a name that can be stored. An id that cannot is left out; it gets one later.
pub(crate) fn named(mut call: ToolRequest) -> ToolRequest {
    if call.call_id.as_str().len() > MAX_NAME_BYTES {
        call.call_id = CallId::from("");
    }
    call.tool_id.truncate(call.tool_id.floor_char_boundary(MAX_NAME_BYTES));
    call
}

/// Returns how deep the brackets outside of strings go; of what is no JSON, some number.
pub(crate) fn depth(json: &str) -> usize {
    let (mut now, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' if !quoted => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests;

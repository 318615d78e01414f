//! Calls that go on in the background: their placeholder has been answered, their result has not come yet.

use super::short_text::cut;
use crate::{BackgroundSource, CallId, DELEGATE_TOOL, Event, EventBody, LeftInBackground};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of background calls kept, the newest: a session may have more at once.
pub const MAX_BACKGROUND_CALLS: usize = 32;
/// Bytes of a command.
pub const MAX_BACKGROUND_COMMAND_BYTES: usize = 1_000;

/// A fold over a session's events; a fork begins with none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackgroundCalls {
    going: Vec<BackgroundCall>,
    /// Called, and perhaps not begun.
    called: Vec<BackgroundCall>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackgroundCall {
    pub async_call_id: CallId,
    pub tool_id: String,
    /// The shell line, as the model asked for it.
    pub command: String,
    /// Milliseconds since 1970.
    pub since_ms: i64,
    /// The process of Arki in which it goes on. Where that is gone, the call is too.
    pub process_id: u32,
    /// The place where a sub-agent whose run has ended made the call; `None` for a call of this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<BackgroundSource>,
}

impl BackgroundCalls {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::ToolCall(call) => {
                // Sub-agents are their run's: it doesn't end before they do.
                let of_command = call.async_call_id.clone().filter(|_| call.tool_id != DELEGATE_TOOL);
                let Some(async_call_id) = of_command else { return };
                let command = call.args.get("command").and_then(Value::as_str).unwrap_or_default();
                let command = cut(command, MAX_BACKGROUND_COMMAND_BYTES).into_owned();
                let tool_id = call.tool_id.clone();
                let called =
                    BackgroundCall { async_call_id, tool_id, command, since_ms: event.ts, process_id: 0, source: None };
                add(&mut self.called, called);
            }
            EventBody::ToolResult(result) => {
                for left in &result.background {
                    add(&mut self.going, BackgroundCall::left(left, event.ts));
                }
                let Some(at) = self.called.iter().position(|call| call.async_call_id == result.call_id) else { return };
                let call = self.called.remove(at);
                if let (Some(_), Some(process_id)) = (&result.async_call_id, result.process_id) {
                    add(&mut self.going, BackgroundCall { since_ms: event.ts, process_id, ..call });
                }
            }
            EventBody::ToolAsyncResult(result) => {
                for left in &result.background {
                    add(&mut self.going, BackgroundCall::left(left, event.ts));
                }
                self.going.retain(|call| call.async_call_id != result.async_call_id);
            }
            EventBody::SessionForked(_) => *self = Self::default(),
            _ => {}
        }
    }

    /// Oldest first. Whether the process still is there, the log cannot know.
    #[must_use]
    pub fn going(&self) -> &[BackgroundCall] {
        &self.going
    }
}

impl BackgroundCall {
    fn left(left: &LeftInBackground, since_ms: i64) -> Self {
        let LeftInBackground { async_call_id, tool_id, command, process_id, source } = left.clone();
        Self { async_call_id, tool_id, command, since_ms, process_id, source: Some(source) }
    }
}

fn add(calls: &mut Vec<BackgroundCall>, call: BackgroundCall) {
    calls.push(call);
    calls.drain(..calls.len().saturating_sub(MAX_BACKGROUND_CALLS));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::tests::generated::event;
    use crate::{Category, SessionForked, SessionId, ToolAsyncResult, ToolCall, ToolResult};
    use serde_json::json;

    fn apply(calls: &mut BackgroundCalls, body: impl Into<EventBody>) {
        let body = body.into();
        calls.apply(&event(1, body.clone()), &body);
    }

    fn called(id: &str) -> ToolCall {
        ToolCall {
            turn: 1,
            call_id: CallId::from(id),
            tool_id: "run_command".into(),
            args: json!({"command": format!("serve {id}"), "background": true}),
            category: Some(Category::Exec),
            async_call_id: Some(CallId::from(id)),
        }
    }

    fn answered(id: &str, async_call_id: Option<&str>) -> ToolResult {
        ToolResult {
            call_id: CallId::from(id),
            tool_id: "run_command".into(),
            result: String::new(),
            styles: Vec::new(),
            is_error: false,
            duration_ms: 0,
            truncated: false,
            code: None,
            possible_secrets: 0,
            async_call_id: async_call_id.map(CallId::from),
            process_id: async_call_id.map(|_| 7),
            usage: None,
            background: Vec::new(),
            elicitations: Vec::new(),
        }
    }

    fn commands(calls: &BackgroundCalls) -> Vec<&str> {
        calls.going().iter().map(|call| call.command.as_str()).collect()
    }

    #[test]
    fn a_call_goes_on_from_its_placeholder_to_its_result() {
        let mut calls = BackgroundCalls::default();
        for id in ["a", "b", "c"] {
            apply(&mut calls, called(id));
        }
        assert!(commands(&calls).is_empty(), "called is not begun");
        apply(&mut calls, answered("a", Some("a")));
        apply(&mut calls, answered("b", None));
        apply(&mut calls, answered("c", Some("c")));
        assert_eq!((commands(&calls), calls.going()[0].process_id), (vec!["serve a", "serve c"], 7));
        let done = |id| ToolAsyncResult {
            async_call_id: CallId::from(id),
            tool_id: "run_command".into(),
            result: String::new(),
            styles: Vec::new(),
            is_error: false,
            usage: None,
            background: Vec::new(),
        };
        apply(&mut calls, done("a"));
        assert_eq!(commands(&calls), ["serve c"]);
        apply(&mut calls, SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 9 });
        assert!(commands(&calls).is_empty());
    }

    #[test]
    fn only_so_many_are_kept() {
        let mut calls = BackgroundCalls::default();
        for id in 0..=MAX_BACKGROUND_CALLS {
            apply(&mut calls, called(&id.to_string()));
            apply(&mut calls, answered(&id.to_string(), Some(&id.to_string())));
        }
        assert_eq!((commands(&calls).len(), commands(&calls)[0]), (MAX_BACKGROUND_CALLS, "serve 1"));
    }
}

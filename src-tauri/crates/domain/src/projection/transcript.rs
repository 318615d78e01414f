//! The conversation as the model is shown it. Messages are only ever added at the end, and none is changed once it has
//! been sent, so that the provider's prompt cache hits.

use crate::{CallId, Event, EventBody, Message, OutputMessage, ToolCall, ToolRequest, ToolResult};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

const NO_RESULT: &str = "No result: the run ended before this call did. Whether it had an effect is not known.";
const INTERRUPTED: &str = "\n\n[The answer was interrupted here.]";

/// A fold over a whole session's events, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    messages: Vec<Arc<Message>>,
    /// The model's turn while its events come in.
    open: Option<OpenTurn>,
    unanswered: Vec<(CallId, String)>,
    calls_seen: HashSet<CallId>,
}

#[derive(Debug, Clone, Default)]
struct OpenTurn {
    content: String,
    thoughts: Option<String>,
    interrupted: bool,
    calls: Vec<ToolRequest>,
}

impl Transcript {
    pub fn apply(&mut self, event: &Event) {
        match event.body() {
            EventBody::RunStarted(started) => {
                self.close_turn();
                self.answer_orphans();
                self.push(Message::User { content: started.prompt });
            }
            // The same run asks again: what was cut off before is told anew.
            EventBody::EngineRequest(_) if self.open.as_ref().is_some_and(|turn| turn.interrupted) => self.open = None,
            EventBody::EngineRequest(_) => self.close_turn(),
            EventBody::OutputMessage(message) => self.open_turn(message),
            EventBody::ToolCall(call) => self.add_call(call),
            EventBody::ToolResult(result) => self.add_result(result),
            _ => {}
        }
    }

    /// The messages so far, a turn that has ended included.
    #[must_use]
    pub fn messages(&mut self) -> Vec<Arc<Message>> {
        if self.open.as_ref().is_some_and(|turn| !turn.interrupted) {
            self.close_turn();
        }
        self.messages.clone()
    }

    /// Whether a call of this id was made before in the session: some models number their calls anew in every run.
    #[must_use]
    pub fn has_call(&self, call_id: &CallId) -> bool {
        self.calls_seen.contains(call_id)
    }

    fn push(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }

    fn open_turn(&mut self, message: OutputMessage) {
        if self.open.as_ref().is_some_and(|turn| !turn.interrupted) {
            self.close_turn();
        }
        self.open = Some(OpenTurn {
            content: message.content,
            thoughts: message.thoughts,
            interrupted: message.interrupted,
            calls: Vec::new(),
        });
    }

    fn add_call(&mut self, call: ToolCall) {
        self.calls_seen.insert(call.call_id.clone());
        self.unanswered.push((call.call_id.clone(), call.tool_id.clone()));
        let arguments = match call.args {
            Value::String(raw) => raw,
            args => args.to_string(),
        };
        let request = ToolRequest { call_id: call.call_id, tool_id: call.tool_id, arguments };
        self.open.get_or_insert_default().calls.push(request);
    }

    fn add_result(&mut self, result: ToolResult) {
        self.close_turn();
        self.unanswered.retain(|(call_id, _)| *call_id != result.call_id);
        self.push(Message::ToolResult {
            call_id: result.call_id,
            tool_id: result.tool_id,
            content: result.result,
            is_error: result.is_error,
        });
    }

    fn close_turn(&mut self) {
        let Some(OpenTurn { mut content, thoughts, interrupted, calls }) = self.open.take() else { return };
        if !calls.is_empty() {
            self.push(Message::ToolRequest { content, thoughts, calls });
        } else if !content.is_empty() {
            if interrupted {
                content.push_str(INTERRUPTED);
            }
            self.push(Message::Assistant { content, thoughts });
        }
    }

    /// Every call needs a result before the conversation can go on; vendors refuse it otherwise.
    fn answer_orphans(&mut self) {
        for (call_id, tool_id) in std::mem::take(&mut self.unanswered) {
            self.push(Message::ToolResult { call_id, tool_id, content: NO_RESULT.to_owned(), is_error: true });
        }
    }
}

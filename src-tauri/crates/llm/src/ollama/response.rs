//! Reads the lines of an answer.

use super::wire::{Line, SaidCall};
use crate::answer_decoder::{AnswerDecoder, DecodeError, MAX_CALLS, Step, read, token, tokens};
use crate::lone_surrogates::Halves;
use crate::think_split::ThinkSplit;
use arki_domain::{CallId, FinishReason, StreamEvent, TokenType, ToolRequest, Usage};
use serde_json::Value;

/// Gathers one answer. Calls come whole, each in a line; they are passed on at the end, like everybody's.
#[derive(Default)]
pub(super) struct OllamaDecoder {
    thoughts: ThinkSplit,
    /// The pending surrogate halves of the text and of the reasoning.
    halves: [Halves; 2],
    calls: Vec<ToolRequest>,
    done: bool,
    done_reason: Option<String>,
    usage: Option<Usage>,
}

impl OllamaDecoder {
    fn call(&mut self, call: SaidCall) -> Result<(), DecodeError> {
        if self.calls.len() == MAX_CALLS {
            return Err(DecodeError::TooManyCalls);
        }
        let arguments = match call.function.arguments {
            None | Some(Value::Null) => "{}".to_owned(),
            Some(Value::String(text)) => text,
            Some(arguments) => arguments.to_string(),
        };
        // Older servers give no ids, newer ones need none back.
        self.calls.push(ToolRequest { call_id: CallId::new(), tool_id: call.function.name, arguments });
        Ok(())
    }

    fn finish_reason(&self) -> FinishReason {
        match self.done_reason.as_deref() {
            Some("length") => FinishReason::Length,
            None | Some("stop" | "") if self.calls.is_empty() => FinishReason::Stop,
            None | Some("stop" | "") => FinishReason::ToolCalls,
            Some(_) => FinishReason::Other,
        }
    }
}

impl AnswerDecoder for OllamaDecoder {
    fn event(&mut self, _name: Option<&str>, data: &str, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        let line: Line = read(None, data, "it is not the JSON of Ollama's chat")?;
        if line.error.as_ref().is_some_and(|error| !error.is_null()) {
            return Err(DecodeError::of_vendor(data));
        }
        self.usage = line.figures().or(self.usage);
        if let Some(said) = line.message {
            out.extend(said.thinking.and_then(|text| token(TokenType::LlmThinking, self.halves[1].join(&text))));
            let content = self.halves[0].join(said.content.as_deref().unwrap_or_default());
            out.extend(tokens(self.thoughts.push(&content)));
            said.tool_calls.into_iter().flatten().try_for_each(|call| self.call(call))?;
        }
        self.done |= line.done == Some(true);
        self.done_reason = line.done_reason.or(self.done_reason.take());
        Ok(if self.done { Step::Complete } else { Step::More })
    }

    fn is_finished(&self) -> bool {
        self.done
    }

    fn conclude(&mut self, out: &mut Vec<StreamEvent>) {
        let [text, reasoning] = self.halves.each_mut().map(Halves::finish);
        out.extend(token(TokenType::LlmThinking, reasoning));
        out.extend(tokens(self.thoughts.push(text)));
        out.extend(tokens(self.thoughts.finish()));
        let finish_reason = Some(self.finish_reason());
        out.extend(std::mem::take(&mut self.calls).into_iter().map(StreamEvent::ToolCall));
        out.push(StreamEvent::Metadata { finish_reason, usage: self.usage });
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }
}

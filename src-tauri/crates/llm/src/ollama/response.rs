//! Reads the lines of an answer.

use super::wire::{Line, SaidCall};
use crate::answer_decoder::{AnswerDecoder, DecodeError, MAX_CALLS, Step};
use crate::lone_surrogates::Halves;
use crate::think_split::ThinkSplit;
use crate::vendor_error::VendorError;
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
        let line: Line =
            serde_json::from_str(data).map_err(|_| DecodeError::Malformed("it is not the JSON of Ollama's chat"))?;
        if line.error.as_ref().is_some_and(|error| !error.is_null()) {
            return Err(DecodeError::Vendor(VendorError::from_body(data.as_bytes())));
        }
        self.usage = line.figures().or(self.usage);
        if let Some(said) = line.message {
            let thinking = said.thinking.map(|text| self.halves[1].join(&text).into_owned());
            out.extend(thinking.and_then(thought));
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
        out.extend(thought(reasoning.to_owned()));
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

fn thought(text: String) -> Option<StreamEvent> {
    (!text.is_empty()).then_some(StreamEvent::Token { token_type: TokenType::LlmThinking, text })
}

fn tokens(stretches: Vec<(TokenType, String)>) -> impl Iterator<Item = StreamEvent> {
    stretches.into_iter().map(|(token_type, text)| StreamEvent::Token { token_type, text })
}

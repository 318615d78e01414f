//! Reads the chunks of an answer.

use super::Dialect;
use super::reasoning_details::ReasoningDetails;
use super::returned_thoughts;
use super::wire::{Choice, Chunk, Delta, ToolCallDelta, WireUsage};
use crate::answer_decoder::{
    AnswerDecoder, DecodeError, MAX_CALLS, Step, read, share_of_tier, token, tokens, tool_request,
};
use crate::lone_surrogates::Halves;
use crate::think_split::ThinkSplit;
use arki_domain::{FinishReason, StreamEvent, TokenType, ToolRequest, Usage};
use serde_json::{Value, json};

/// Gathers one answer. Text is passed on as it comes, calls once they are complete: at the end, as their pieces may come
/// interleaved.
#[derive(Default)]
pub(super) struct ChatDecoder {
    dialect: Dialect,
    model: String,
    details: ReasoningDetails,
    thoughts: ThinkSplit,
    /// The pending surrogate halves of the text and of the reasoning.
    halves: [Halves; 2],
    calls: Vec<CallInProgress>,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    /// The service tier of the answer, as the vendor gives it.
    tier: Option<Value>,
    /// The name under which thoughts came, and under which such servers may want them back.
    thoughts_name: Option<&'static str>,
}

#[derive(Default)]
struct CallInProgress {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra_content: Option<Value>,
}

impl ChatDecoder {
    pub(super) fn new(dialect: Dialect, model: &str) -> Self {
        Self { dialect, model: model.to_owned(), ..Self::default() }
    }

    fn delta(&mut self, delta: &Delta, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        let readable = match &delta.reasoning_details {
            Some(pieces) if self.dialect == Dialect::OpenRouter => self.details.push(pieces),
            _ => String::new(),
        };
        let named = [("reasoning_content", &delta.reasoning_content), ("reasoning", &delta.reasoning)];
        let is_said = |said: &Option<Value>| said.as_ref().and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        let name = named.into_iter().find(|(_, said)| is_said(said)).map(|(name, _)| name);
        self.thoughts_name = self.thoughts_name.or(name);
        let reasoning = [&delta.reasoning_content, &delta.reasoning].into_iter().flatten().filter_map(Value::as_str);
        // Some servers send the same text under several names.
        let reasoning = reasoning.chain([readable.as_str()]).find(|text| !text.is_empty());
        out.extend(reasoning.and_then(|text| token(TokenType::LlmThinking, self.halves[1].join(text))));
        for text in [&delta.content].into_iter().flatten() {
            self.content(text, out);
        }
        if let Some(refusal) = &delta.refusal {
            self.text(refusal, out);
        }
        delta.tool_calls.iter().flatten().try_for_each(|call| self.call(call))
    }

    fn choice(&mut self, choice: &Choice, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        if let Some(error) = choice.error.as_ref().filter(|error| !error.is_null()) {
            return Err(DecodeError::of_vendor(&json!({ "error": error }).to_string()));
        }
        if let Some(delta) = &choice.delta {
            self.delta(delta, out)?;
        }
        match choice.finish_reason.as_deref() {
            None | Some("") => {}
            // The second is DeepSeek's, when it has no machine left for the rest of the answer.
            Some(reason @ ("error" | "insufficient_system_resource")) => {
                return Err(DecodeError::of_vendor(&format!("finish_reason {reason}")));
            }
            Some(reason) => self.finish_reason = Some(reason.to_owned()),
        }
        Ok(())
    }

    fn figures(&self, usage: &WireUsage) -> Option<Usage> {
        let cost_usd = usage.charged().filter(|_| self.dialect == Dialect::OpenRouter);
        usage.figures().map(|figures| Usage { cost_usd, ..figures })
    }

    fn content(&mut self, content: &Value, out: &mut Vec<StreamEvent>) {
        match content {
            Value::String(text) => self.text(text, out),
            Value::Array(parts) => {
                parts.iter().filter_map(|part| part.get("text")?.as_str()).for_each(|text| self.text(text, out))
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, out: &mut Vec<StreamEvent>) {
        let text = self.halves[0].join(text);
        out.extend(tokens(self.thoughts.push(&text)));
    }

    fn call(&mut self, piece: &ToolCallDelta) -> Result<(), DecodeError> {
        let id = piece.id.as_deref().unwrap_or_default();
        let name = piece.function.as_ref().and_then(|function| function.name.as_deref()).unwrap_or_default();
        let at = match self.continued(piece.index, id, name) {
            Some(at) => at,
            None if self.calls.len() == MAX_CALLS => return Err(DecodeError::TooManyCalls),
            None => {
                self.calls.push(CallInProgress { index: piece.index, ..CallInProgress::default() });
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        // It may come in pieces, or whole with every one of them.
        if call.arguments.is_empty() && call.name != name {
            call.name.push_str(name);
        }
        if let Some(extra) = piece.extra_content.as_ref().filter(|extra| !extra.is_null()) {
            call.extra_content = Some(extra.clone());
        }
        match piece.function.as_ref().and_then(|function| function.arguments.as_ref()) {
            Some(Value::String(text)) => call.arguments.push_str(text),
            None | Some(Value::Null) => {}
            Some(value) => call.arguments.push_str(&value.to_string()),
        }
        Ok(())
    }

    /// The call that a piece belongs to: by its index; where servers leave that out, or give every call the same, a piece
    /// with another id (or, without ids, another name) begins a new call.
    fn continued(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let at = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index)?,
            None => self.calls.len().checked_sub(1)?,
        };
        let call = &self.calls[at];
        let other_id = !id.is_empty() && !call.id.is_empty() && id != call.id;
        let goes_on = !call.id.is_empty() && call.arguments.is_empty();
        let begins = !name.is_empty() && (other_id || (index.is_none() && id.is_empty() && !goes_on));
        (!begins).then_some(at)
    }

    fn finish_reason(&self) -> FinishReason {
        match self.finish_reason.as_deref() {
            Some("length" | "max_tokens") => FinishReason::Length,
            Some("content_filter") => FinishReason::ContentFilter,
            // Some servers say "stop" after a call, or "tool_calls" without one.
            None | Some("stop" | "tool_calls" | "function_call" | "end_turn" | "eos") if self.calls.is_empty() => {
                FinishReason::Stop
            }
            None | Some("stop" | "tool_calls" | "function_call" | "end_turn" | "eos") => FinishReason::ToolCalls,
            Some(_) => FinishReason::Other,
        }
    }
}

impl AnswerDecoder for ChatDecoder {
    fn event(&mut self, name: Option<&str>, data: &str, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        if data.trim() == "[DONE]" {
            return Ok(Step::Complete);
        }
        let chunk: Chunk = read(name, data, "it is not the JSON of Chat Completions")?;
        // First, as what was used has to be paid for also where the answer fails.
        let of_choice = || chunk.choices.iter().flatten().find_map(|choice| choice.usage.as_ref());
        let usage = chunk.usage.as_ref().or_else(of_choice).and_then(|usage| self.figures(usage));
        self.usage = usage.or(self.usage);
        if self.dialect == Dialect::OpenAi {
            self.tier = chunk.service_tier.or(self.tier.take());
        }
        let is_error = chunk.error.is_some_and(|error| !error.is_null());
        if is_error || name == Some("error") || chunk.object.as_ref().and_then(Value::as_str) == Some("error") {
            return Err(DecodeError::of_vendor(data));
        }
        for choice in chunk.choices.iter().flatten().filter(|choice| choice.index.unwrap_or(0) == 0) {
            self.choice(choice, out)?;
        }
        let complete = usage.is_some() && self.is_finished();
        Ok(if complete { Step::Complete } else { Step::More })
    }

    fn arguments(&self) -> Option<(usize, &str)> {
        self.calls.last().map(|call| (self.calls.len(), call.arguments.as_str()))
    }

    fn is_finished(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn conclude(&mut self, out: &mut Vec<StreamEvent>) {
        let [text, reasoning] = self.halves.each_mut().map(Halves::finish);
        out.extend(token(TokenType::LlmThinking, reasoning));
        out.extend(tokens(self.thoughts.push(text)));
        out.extend(tokens(self.thoughts.finish()));
        let finish_reason = Some(self.finish_reason());
        let extras: Vec<_> = self.calls.iter_mut().map(|call| call.extra_content.take()).collect();
        let calls = std::mem::take(&mut self.calls).into_iter();
        let calls: Vec<ToolRequest> = calls.map(|call| tool_request(call.id, call.name, call.arguments)).collect();
        out.extend(self.details.finish(&self.model, &calls).map(StreamEvent::Reasoning));
        if matches!(self.dialect, Dialect::Compatible | Dialect::OpenAi) && !calls.is_empty() {
            let name = self.thoughts_name.filter(|_| self.dialect == Dialect::Compatible);
            out.extend(returned_thoughts::kept(&self.model, name, &extras).map(StreamEvent::Reasoning));
        }
        out.extend(calls.into_iter().map(StreamEvent::ToolCall));
        out.push(StreamEvent::Metadata { finish_reason, usage: self.usage });
    }

    fn price_share(&self) -> Option<f64> {
        share_of_tier(self.tier.as_ref())
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }
}

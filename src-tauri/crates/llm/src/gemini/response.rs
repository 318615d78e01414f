//! Reads the chunks of an answer.

use super::kept_parts::{KeptPart, KeptParts, Place};
use super::wire::{AnswerCall, AnswerPart, Candidate, Chunk, PromptFeedback, UsageMetadata};
use crate::answer_decoder::{AnswerDecoder, DecodeError, MAX_CALLS, Step, read, token, tool_request};
use crate::lone_surrogates::Halves;
use crate::vendor_error::VendorError;
use arki_domain::{FinishReason, StreamEvent, TokenType, ToolRequest, Usage};
use serde_json::value::RawValue;

const NOT_GEMINI: &str = "it is not the JSON of Gemini";

/// Gathers one answer. Text is passed on as it comes; calls come whole, but are told at the end, when it is known that
/// the answer did not break off.
///
/// Every chunk may carry a finish reason, the first one too, so that an answer is over only when its stream is.
pub(super) struct GeminiDecoder {
    origin: String,
    /// In bytes.
    text_length: usize,
    thoughts_length: usize,
    /// The pending surrogate halves of the text and of the thoughts.
    halves: [Halves; 2],
    calls: Vec<ToolRequest>,
    parts: KeptParts,
    finish_reason: Option<String>,
    usage: UsageMetadata,
}

impl GeminiDecoder {
    pub(super) fn new(origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            text_length: 0,
            thoughts_length: 0,
            halves: Default::default(),
            calls: Vec::new(),
            parts: KeptParts::default(),
            finish_reason: None,
            usage: UsageMetadata::default(),
        }
    }

    fn part(&mut self, part: AnswerPart, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        let signature = part.thought_signature.filter(|signature| !signature.is_empty());
        if let Some(call) = part.function_call {
            return self.call(call, signature);
        }
        // Of code that was run, of images and the like there is nothing to show.
        let is_thought = part.thought == Some(true);
        let text = self.halves[usize::from(is_thought)].join(&part.text.unwrap_or_default()).into_owned();
        if text.is_empty() && signature.is_none() {
            return Ok(());
        }
        let (token_type, place) = if is_thought {
            self.thoughts_length += text.len();
            (TokenType::LlmThinking, Place::Thought(self.thoughts_length))
        } else {
            self.text_length += text.len();
            (TokenType::LlmResponse, Place::Text(self.text_length))
        };
        self.parts.add(KeptPart { place, id: None, signature });
        out.extend(token(token_type, text));
        Ok(())
    }

    fn call(&mut self, call: AnswerCall, signature: Option<String>) -> Result<(), DecodeError> {
        if self.calls.len() == MAX_CALLS {
            return Err(DecodeError::TooManyCalls);
        }
        let id = call.id.filter(|id| !id.is_empty());
        let args = call.args.filter(|args| args.get() != "null");
        self.parts.add(KeptPart { place: Place::Call(self.calls.len()), id: id.clone(), signature });
        let arguments = args.map_or_else(String::new, |args| args.get().to_owned());
        self.calls.push(tool_request(id.unwrap_or_default(), call.name.unwrap_or_default(), arguments));
        Ok(())
    }

    fn candidate(&mut self, candidate: Candidate, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        for part in candidate.content.and_then(|content| content.parts).into_iter().flatten() {
            self.part(part, out)?;
        }
        let Some(reason) = candidate.finish_reason.filter(|reason| is_said(reason)) else { return Ok(()) };
        let words = candidate.finish_message.unwrap_or_else(|| format!("The answer ended with {reason}."));
        if is_failure(&reason) {
            return Err(DecodeError::Vendor(VendorError::of_kind(&reason, &words)));
        }
        if finish_reason(&reason) == FinishReason::ContentFilter && !self.has_said_something() {
            return Err(refused(&words));
        }
        self.finish_reason = Some(reason);
        Ok(())
    }

    fn has_said_something(&self) -> bool {
        self.text_length > 0 || !self.calls.is_empty()
    }
}

impl AnswerDecoder for GeminiDecoder {
    fn event(&mut self, name: Option<&str>, data: &str, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        if data.trim() == "[DONE]" {
            return Ok(Step::Complete);
        }
        let chunk: Chunk = read(name, data, NOT_GEMINI)?;
        self.usage = chunk.usage_metadata.unwrap_or_default().or(self.usage);
        if name == Some("error") || chunk.error.is_some_and(|error| !error.is_null()) {
            return Err(DecodeError::of_vendor(data));
        }
        if let Some(fault) = chunk.prompt_feedback.and_then(blocked) {
            return Err(fault);
        }
        for candidate in chunk.candidates.into_iter().flatten().filter(|candidate| candidate.index.unwrap_or(0) == 0) {
            self.candidate(candidate, out)?;
        }
        Ok(Step::More)
    }

    /// One object, or a list of all chunks: what the API sends where `alt=sse` got lost on the way.
    fn whole(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        if body.trim_start().starts_with('[') {
            let chunks: Vec<&RawValue> = serde_json::from_str(body).map_err(|error| match error.is_eof() {
                true => DecodeError::Cut,
                false => DecodeError::Malformed(NOT_GEMINI),
            })?;
            for chunk in chunks {
                self.event(None, chunk.get(), out)?;
            }
        } else {
            self.event(None, body, out)?;
        }
        let has_begun = !out.is_empty() || self.has_said_something() || self.finish_reason.is_some();
        if has_begun && !self.is_finished() { Err(DecodeError::Cut) } else { Ok(()) }
    }

    /// Answers that were lost on the way end like others, with nothing in them but the count of their tokens.
    fn is_finished(&self) -> bool {
        let is_lost = || !self.has_said_something() && self.usage.answer_tokens() > 0;
        self.finish_reason.as_deref().is_some_and(|reason| reason != "STOP" || !is_lost())
    }

    fn conclude(&mut self, out: &mut Vec<StreamEvent>) {
        let reason = self.finish_reason.as_deref().map_or(FinishReason::Stop, finish_reason);
        let asks = reason == FinishReason::Stop && !self.calls.is_empty();
        let finish_reason = Some(if asks { FinishReason::ToolCalls } else { reason });
        out.extend(std::mem::take(&mut self.calls).into_iter().map(StreamEvent::ToolCall));
        out.extend(std::mem::take(&mut self.parts).into_reasoning(&self.origin).map(StreamEvent::Reasoning));
        out.push(StreamEvent::Metadata { finish_reason, usage: self.usage() });
    }

    fn usage(&self) -> Option<Usage> {
        self.usage.figures()
    }
}

/// <https://ai.google.dev/api/generate-content#FinishReason>
fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        // The second is of servers that only speak like Gemini.
        "STOP" | "FUNCTION_CALL" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "MODEL_ARMOR"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}

/// The model went wrong in a way that another try mostly does not.
fn is_failure(reason: &str) -> bool {
    [
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
        "MALFORMED_RESPONSE",
    ]
    .contains(&reason)
}

fn blocked(feedback: PromptFeedback) -> Option<DecodeError> {
    let reason = feedback.block_reason.filter(|reason| is_said(reason))?;
    let words = feedback.block_reason_message.unwrap_or_else(|| format!("The prompt was blocked for {reason}."));
    Some(refused(&words))
}

fn refused(words: &str) -> DecodeError {
    DecodeError::Vendor(VendorError::of_kind("content_filter", words))
}

/// Enumerations begin with a value that means none.
fn is_said(reason: &str) -> bool {
    !reason.is_empty() && !reason.ends_with("_UNSPECIFIED")
}

//! Reads the events of an answer.

use super::layout::{self, Piece};
use super::wire::{ContentBlock, Delta, Event, WireUsage};
use crate::answer_decoder::{AnswerDecoder, DecodeError, MAX_CALLS, Step, read, token, tool_request};
use crate::lone_surrogates::Halves;
use arki_domain::{FinishReason, StreamEvent, TokenType, ToolRequest, Usage};
use serde_json::Value;

/// More than anybody reviews; a server that sends more is broken.
const MAX_BLOCKS: usize = 512;
const NOT_MESSAGES: &str = "it is not the JSON of the Messages API";

/// Gathers one answer. Text and thoughts are passed on as they come; calls, and what has to be sent back, at the end.
pub(super) struct MessagesDecoder {
    model: String,
    blocks: Vec<BlockInProgress>,
    stop_reason: Option<String>,
    usage: WireUsage,
}

struct BlockInProgress {
    index: u64,
    content: Content,
}

enum Content {
    Text {
        bytes: usize,
        halves: Halves,
    },
    Call(CallInProgress),
    Thinking {
        thinking: String,
        signature: String,
        halves: Halves,
    },
    RedactedThinking {
        data: String,
    },
    /// An event of a tool that runs at the vendor, or of a kind that is not known yet.
    Other,
}

struct CallInProgress {
    id: String,
    name: String,
    /// The input that came with the beginning; an empty object as a rule.
    input: Option<Value>,
    arguments: String,
}

impl MessagesDecoder {
    pub(super) fn new(model: &str) -> Self {
        let (blocks, usage) = (Vec::new(), WireUsage::default());
        Self { model: model.to_owned(), blocks, stop_reason: None, usage }
    }

    fn begin(&mut self, index: u64, block: ContentBlock, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        let content = match block.kind.as_deref() {
            Some("text") => Content::Text { bytes: 0, halves: Halves::default() },
            Some("thinking") => {
                Content::Thinking { thinking: String::new(), signature: String::new(), halves: Halves::default() }
            }
            Some("redacted_thinking") => Content::RedactedThinking { data: block.data.unwrap_or_default() },
            Some("tool_use") => Content::Call(CallInProgress {
                id: block.id.unwrap_or_default(),
                name: block.name.unwrap_or_default(),
                input: block.input,
                arguments: String::new(),
            }),
            _ => Content::Other,
        };
        self.push(index, content)?;
        // Whole answers have all of it here, streams as a rule nothing.
        let (text, thinking, signature) = (block.text, block.thinking, block.signature);
        self.delta(index, Delta { text, thinking, signature, partial_json: None, stop_reason: None }, out)
    }

    fn push(&mut self, index: u64, content: Content) -> Result<(), DecodeError> {
        if self.blocks.len() == MAX_BLOCKS {
            return Err(DecodeError::Malformed("it has too many parts"));
        }
        let is_call = |content: &Content| matches!(content, Content::Call(_));
        if is_call(&content) && self.blocks.iter().filter(|block| is_call(&block.content)).count() == MAX_CALLS {
            return Err(DecodeError::TooManyCalls);
        }
        self.blocks.push(BlockInProgress { index, content });
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Delta, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        let is_later_thought = self.blocks.iter().any(|block| block.index != index && block.has_been_thought());
        let Some(block) = self.blocks.iter_mut().rfind(|block| block.index == index) else {
            return Err(DecodeError::Malformed("it continues a part that hasn't started"));
        };
        match &mut block.content {
            Content::Text { bytes, halves } => {
                let text = halves.join(&delta.text.unwrap_or_default()).into_owned();
                *bytes += text.len();
                out.extend(token(TokenType::LlmResponse, text));
            }
            Content::Thinking { thinking, signature, halves } => {
                let text = halves.join(&delta.thinking.unwrap_or_default()).into_owned();
                let is_beginning = thinking.is_empty() && !text.is_empty();
                thinking.push_str(&text);
                signature.push_str(&delta.signature.unwrap_or_default());
                // Thoughts are shown as one text.
                let shown = if is_beginning && is_later_thought { format!("\n\n{text}") } else { text };
                out.extend(token(TokenType::LlmThinking, shown));
            }
            Content::Call(call) => call.arguments.push_str(&delta.partial_json.unwrap_or_default()),
            Content::RedactedThinking { .. } | Content::Other => {}
        }
        Ok(())
    }

    /// A half of a character that nothing came after.
    fn end_block(&mut self, index: u64, out: &mut Vec<StreamEvent>) {
        let block = self.blocks.iter_mut().rfind(|block| block.index == index);
        match block.map(|block| &mut block.content) {
            Some(Content::Text { bytes, halves }) => {
                let rest = halves.finish();
                *bytes += rest.len();
                out.extend(token(TokenType::LlmResponse, rest));
            }
            Some(Content::Thinking { thinking, halves, .. }) => {
                let rest = halves.finish();
                thinking.push_str(rest);
                out.extend(token(TokenType::LlmThinking, rest));
            }
            _ => {}
        }
    }

    fn whole_message(&mut self, event: Event, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        for (index, block) in (0..).zip(event.content.unwrap_or_default()) {
            self.begin(index, block, out)?;
        }
        self.stop_reason = event.stop_reason;
        self.count(event.usage);
        Ok(Step::Complete)
    }

    fn count(&mut self, usage: Option<WireUsage>) {
        self.usage = self.usage.merged(usage.unwrap_or_default());
    }

    fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block.content, Content::Call(_)))
    }

    fn finish_reason(&self) -> FinishReason {
        match self.stop_reason.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
            Some("refusal") => FinishReason::ContentFilter,
            None | Some("end_turn" | "stop_sequence" | "tool_use") if self.has_calls() => FinishReason::ToolCalls,
            None | Some("end_turn" | "stop_sequence" | "tool_use") => FinishReason::Stop,
            // `pause_turn` among them: only tools that run at the vendor's pause, and none is offered.
            Some(_) => FinishReason::Other,
        }
    }
}

impl AnswerDecoder for MessagesDecoder {
    fn event(&mut self, name: Option<&str>, data: &str, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        if name != Some("error") && data.trim() == "[DONE]" && self.is_finished() {
            return Ok(Step::Complete);
        }
        let mut event: Event = read(name, data, NOT_MESSAGES)?;
        if event.error.as_ref().is_some_and(|error| !error.is_null()) || name == Some("error") {
            return Err(DecodeError::of_vendor(data));
        }
        let index = event.index.unwrap_or(0);
        match event.kind.as_deref() {
            Some("message_start") => self.count(WireUsage::of_started(event.message.as_ref())),
            Some("content_block_start") => {
                let block = event.content_block.take();
                block.map(|block| self.begin(index, block, out)).transpose()?;
            }
            Some("content_block_delta") => {
                let delta = event.delta.take();
                delta.map(|delta| self.delta(index, delta, out)).transpose()?;
            }
            Some("message_delta") => {
                self.count(event.usage);
                self.stop_reason = event.delta.and_then(|delta| delta.stop_reason).or(self.stop_reason.take());
            }
            Some("message_stop") => return Ok(Step::Complete),
            Some("message") => return self.whole_message(event, out),
            Some("error") => return Err(DecodeError::of_vendor(data)),
            Some("content_block_stop") => self.end_block(index, out),
            // `ping`, and what is to come.
            Some(_) => {}
            None => return Err(DecodeError::Malformed(NOT_MESSAGES)),
        }
        Ok(Step::More)
    }

    fn arguments(&self) -> Option<(usize, &str)> {
        match self.blocks.last().map(|block| &block.content) {
            Some(Content::Call(call)) => Some((self.blocks.len(), &call.arguments)),
            _ => None,
        }
    }

    fn is_finished(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn conclude(&mut self, out: &mut Vec<StreamEvent>) {
        let finish_reason = Some(self.finish_reason());
        let mut pieces = Vec::with_capacity(self.blocks.len());
        let mut calls = Vec::new();
        for block in std::mem::take(&mut self.blocks) {
            match block.content {
                Content::Text { bytes, .. } => pieces.push(Piece::Text { bytes }),
                Content::RedactedThinking { data } => pieces.push(Piece::RedactedThinking { data }),
                // Thoughts that were cut off are not signed, and are refused.
                Content::Thinking { signature, .. } if signature.is_empty() => {}
                Content::Thinking { thinking, signature, .. } => pieces.push(Piece::Thinking { thinking, signature }),
                // What a refusal interrupted is not meant.
                Content::Call(_) if finish_reason == Some(FinishReason::ContentFilter) => {}
                Content::Call(call) => {
                    pieces.push(Piece::ToolUse);
                    calls.push(StreamEvent::ToolCall(call.request()));
                }
                Content::Other => {}
            }
        }
        out.extend(layout::to_keep(&pieces, &self.model).map(StreamEvent::Reasoning));
        out.append(&mut calls);
        out.push(StreamEvent::Metadata { finish_reason, usage: self.usage.figures() });
    }

    fn usage(&self) -> Option<Usage> {
        self.usage.figures()
    }
}

impl BlockInProgress {
    fn has_been_thought(&self) -> bool {
        matches!(&self.content, Content::Thinking { thinking, .. } if !thinking.is_empty())
    }
}

impl CallInProgress {
    fn request(self) -> ToolRequest {
        let arguments = match self.input {
            Some(input) if self.arguments.trim().is_empty() => input.to_string(),
            _ => self.arguments,
        };
        tool_request(self.id, self.name, arguments)
    }
}

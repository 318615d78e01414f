//! Asking a model for the summary of what a compaction leaves out. Nobody sees it arrive, and it calls no tools.

use arki_context::SummaryRequest;
use arki_domain::{
    ChatModel, ChatRequest, EngineRequest, EngineResponse, EventBody, Fault, FinishReason, Message, ModelOptions,
    RequestPurpose, StreamEvent, TokenType, Usage,
};
use futures_util::StreamExt;
use std::sync::Arc;
use tokio::time::Instant;

/// The longest answer that is read, in bytes: a summary that is longer is of no use.
const MAX_SUMMARY_BYTES: usize = 256 << 10;
/// For thoughts, beside what the summary itself may take.
const TOKENS_FOR_THOUGHTS: u64 = 4096;

/// A summary as it came, and what it took.
pub(crate) struct Summary {
    pub(crate) text: String,
    pub(crate) calls_tools: bool,
    pub(crate) is_cut_off: bool,
    finish_reason: FinishReason,
    usage: Usage,
    duration_ms: u64,
}

/// Ready to be sent; the event that says so comes first.
pub(crate) struct Asking {
    prepared: arki_domain::PreparedRequest,
    turn: u32,
    pub(crate) event: EventBody,
}

pub(crate) fn prepare(model: &dyn ChatModel, request: &SummaryRequest, turn: u32) -> Result<Asking, Fault> {
    let most = u32::try_from(request.max_tokens.saturating_add(TOKENS_FOR_THOUGHTS)).unwrap_or(u32::MAX);
    let prepared = model.prepare(&ChatRequest {
        system: request.system.as_str().into(),
        messages: Arc::new(vec![Arc::new(Message::user(request.prompt.clone()))]),
        tools: [].into(),
        images: Arc::default(),
        options: ModelOptions { max_completion_tokens: Some(most), ..ModelOptions::default() },
    })?;
    let event = EngineRequest {
        turn,
        provider: model.provider().to_owned(),
        model: model.model().to_owned(),
        request_hash: prepared.request_hash.clone(),
        message_count: prepared.message_count,
        context_window: None,
        purpose: Some(RequestPurpose::Compaction),
    };
    Ok(Asking { prepared, turn, event: event.into() })
}

impl Asking {
    pub(crate) async fn answer(&self, model: &dyn ChatModel) -> Result<Summary, Fault> {
        let begun = Instant::now();
        let mut stream = model.send(self.prepared.clone()).await?;
        let mut summary = Summary {
            text: String::new(),
            calls_tools: false,
            is_cut_off: false,
            finish_reason: FinishReason::Stop,
            usage: Usage::unknown(),
            duration_ms: 0,
        };
        while let Some(event) = stream.next().await {
            match event? {
                StreamEvent::Token { token_type: TokenType::LlmThinking, .. } | StreamEvent::Reasoning(_) => {}
                StreamEvent::Token { text, .. } => summary.text.push_str(&text),
                StreamEvent::ToolCall(_) => summary.calls_tools = true,
                StreamEvent::Metadata { finish_reason, usage } => {
                    summary.finish_reason = finish_reason.unwrap_or(summary.finish_reason);
                    summary.usage = usage.unwrap_or(summary.usage);
                }
                StreamEvent::End => break,
            }
            if summary.text.len() > MAX_SUMMARY_BYTES {
                summary.is_cut_off = true;
                break;
            }
        }
        summary.is_cut_off |= summary.finish_reason == FinishReason::Length;
        summary.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(summary)
    }

    /// Returns the event with the usage of the request, so that it counts like any other.
    pub(crate) fn response(&self, summary: &Summary) -> EventBody {
        EngineResponse {
            turn: self.turn,
            finish_reason: summary.finish_reason,
            usage: summary.usage,
            ttft_ms: None,
            duration_ms: summary.duration_ms,
            purpose: Some(RequestPurpose::Compaction),
        }
        .into()
    }
}

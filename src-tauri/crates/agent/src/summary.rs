//! Asking a model for something beside the conversation: the summary of what a compaction leaves out, or conclusions.
//! Nobody sees it arrive, and it calls no tools.

use crate::bounds;
use crate::planning::before_lone_closing_tag;
use arki_context::SummaryRequest;
use arki_domain::{
    ChatModel, ChatRequest, EngineRequest, EngineResponse, Error, EventBody, FinishReason, Message, ModelOptions,
    PreparedRequest, RequestHead, RequestPurpose, StreamEvent, TokenType, Usage,
};
use async_trait::async_trait;
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The longest answer that is read, in bytes: a summary that is longer is of no use.
const MAX_SUMMARY_BYTES: usize = 256 << 10;
/// The room for thoughts, in addition to the summary's own limit.
const TOKENS_FOR_THOUGHTS: u64 = 4096;

/// A log that says what was asked and what came of it: a run's, or one of a session that no run works on.
#[async_trait]
pub(crate) trait CompactionLog: Send {
    async fn note(&mut self, bodies: Vec<EventBody>) -> Result<(), Error>;

    /// Stores the head as [`arki_domain::EventLog::keep_head`] does, and returns its hash.
    async fn keep_head(&self, head: &RequestHead) -> Result<String, Error>;
}

/// The outcome of asking for a summary.
pub(crate) enum SummaryOutcome<S> {
    Answered(Summary),
    Failed(Error),
    /// Nobody waits for it any more.
    Stopped(S),
}

/// A question for a summary, of whom, and how long it may take.
pub(crate) struct Asking<'a> {
    pub(crate) model: &'a dyn ChatModel,
    pub(crate) purpose: RequestPurpose,
    pub(crate) turn: u32,
    pub(crate) max_answer: Duration,
}

impl Asking<'_> {
    /// Asks, unless `stopped` comes first. The log has an answer for the request however it ends, so that it is counted:
    /// as for a turn, with its cost or as one whose cost is not known.
    pub(crate) async fn ask<S>(
        &self,
        request: &SummaryRequest,
        log: &mut impl CompactionLog,
        stopped: impl Future<Output = S>,
    ) -> Result<SummaryOutcome<S>, Error> {
        let chat = chat_request(request);
        tokio::pin!(stopped);
        loop {
            let prepared = match self.model.prepare(&chat) {
                Ok(prepared) => prepared,
                Err(fault) => return Ok(SummaryOutcome::Failed(fault)),
            };
            let hash = prepared.request_hash.clone();
            let asked = self.ask_once(request, (&chat, prepared), log, stopped.as_mut()).await?;
            // Without an optional part that was refused, it is another request.
            let is_other = || self.model.prepare(&chat).is_ok_and(|again| again.request_hash != hash);
            if !matches!(asked, SummaryOutcome::Failed(_)) || !is_other() {
                return Ok(asked);
            }
        }
    }

    async fn ask_once<S>(
        &self,
        request: &SummaryRequest,
        (chat, prepared): (&ChatRequest, PreparedRequest),
        log: &mut impl CompactionLog,
        stopped: impl Future<Output = S>,
    ) -> Result<SummaryOutcome<S>, Error> {
        let head = RequestHead { prompt: Some(request.prompt.clone()), ..RequestHead::of(chat) };
        let head_hash = log.keep_head(&head.written_as(&prepared)).await?;
        log.note(vec![self.request(&prepared, head_hash)]).await?;
        let (begun, mut summary) = (Instant::now(), Summary::default());
        let ended = tokio::select! {
            biased;
            stopped = stopped => Err(stopped),
            () = tokio::time::sleep(self.max_answer) => Ok(Err(bounds::too_slow(self.max_answer))),
            received = summary.receive(self.model, prepared) => Ok(received),
        };
        if summary.has_begun || matches!(ended, Ok(Ok(()))) {
            log.note(vec![self.response(&summary, begun)]).await?;
        }
        Ok(match ended {
            Ok(Ok(())) => SummaryOutcome::Answered(summary),
            Ok(Err(fault)) => SummaryOutcome::Failed(fault),
            Err(stopped) => SummaryOutcome::Stopped(stopped),
        })
    }

    fn request(&self, prepared: &PreparedRequest, head_hash: String) -> EventBody {
        EngineRequest {
            turn: self.turn,
            provider: self.model.provider().to_owned(),
            model: self.model.model().to_owned(),
            request_hash: prepared.request_hash.clone(),
            message_count: prepared.message_count,
            context_window: None,
            purpose: Some(self.purpose),
            stage: None,
            head_hash: Some(head_hash),
        }
        .into()
    }

    fn response(&self, summary: &Summary, begun: Instant) -> EventBody {
        let mut usage = summary.usage.unwrap_or(Usage::unknown());
        if summary.usage.is_none() && self.model.is_free() {
            usage.cost_usd = Some(0.0);
        }
        EngineResponse {
            turn: self.turn,
            finish_reason: summary.finish_reason.unwrap_or(FinishReason::Other),
            usage,
            ttft_ms: None,
            duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            purpose: Some(self.purpose),
        }
        .into()
    }
}

fn chat_request(request: &SummaryRequest) -> ChatRequest {
    let most = u32::try_from(request.max_tokens.saturating_add(TOKENS_FOR_THOUGHTS)).unwrap_or(u32::MAX);
    ChatRequest {
        system: request.system.as_str().into(),
        messages: Arc::new(vec![Arc::new(Message::user(request.prompt.clone()))]),
        tools: [].into(),
        images: Arc::default(),
        options: ModelOptions { max_completion_tokens: Some(most), ..ModelOptions::default() },
    }
}

/// A summary as far as it has come, and what it took.
#[derive(Default)]
pub(crate) struct Summary {
    pub(crate) text: String,
    pub(crate) calls_tools: bool,
    pub(crate) is_cut_off: bool,
    has_begun: bool,
    finish_reason: Option<FinishReason>,
    usage: Option<Usage>,
}

impl Summary {
    async fn receive(&mut self, model: &dyn ChatModel, prepared: PreparedRequest) -> Result<(), Error> {
        let mut stream = model.send(prepared).await?;
        while let Some(event) = stream.next().await {
            let event = event?;
            self.has_begun = true;
            match event {
                StreamEvent::Token { token_type: TokenType::LlmThinking, .. }
                | StreamEvent::Reasoning(_)
                | StreamEvent::CallGrows => {}
                StreamEvent::Token { text, .. } => self.text.push_str(&text),
                StreamEvent::ToolCall(_) => self.calls_tools = true,
                StreamEvent::Metadata { finish_reason, usage } => {
                    self.finish_reason = finish_reason.or(self.finish_reason);
                    self.usage = usage.or(self.usage);
                }
                StreamEvent::End => break,
            }
            if self.text.len() > MAX_SUMMARY_BYTES {
                self.is_cut_off = true;
                break;
            }
        }
        if let Some((_, said)) = before_lone_closing_tag(&self.text) {
            self.text = said.to_owned();
        }
        self.finish_reason = self.finish_reason.or(Some(FinishReason::Stop));
        self.is_cut_off |= self.finish_reason == Some(FinishReason::Length);
        Ok(())
    }
}

//! One answer of the model, from the request to its last token.

use crate::bounds::{self, AnswerRoom};
use arki_domain::{
    CallId, Fault, FinishReason, LiveBus, LiveEvent, OutputDelta, PartialAnswer, Reasoning, Redactor, RunId, SessionId,
    StreamEvent, StreamingRedactor, TokenType, ToolRequest, Usage,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The interval at which a partial answer is put where a crash cannot lose it.
pub(crate) const KEEP_PARTIAL_EVERY: Duration = Duration::from_millis(250);

/// The answer so far.
pub(crate) struct AnswerSoFar {
    pub(crate) session_id: SessionId,
    pub(crate) run_id: RunId,
    pub(crate) turn: u32,
    pub(crate) text: String,
    pub(crate) thoughts: String,
    pub(crate) calls: Vec<ToolRequest>,
    /// Only worth something whole, with the turn's calls.
    pub(crate) reasoning: Option<Reasoning>,
    pub(crate) usage: Usage,
    pub(crate) finish_reason: FinishReason,
    pub(crate) first_token_after_ms: Option<u64>,
    started: Instant,
    /// The number of bytes of text and thoughts kept besides the log, to be cleared once the whole is stored.
    kept: (usize, usize),
    /// The kind of text that is no thought.
    said_as: TokenType,
    room: AnswerRoom,
    redactors: [StreamingRedactor; 2],
    bus: Arc<dyn LiveBus>,
}

impl AnswerSoFar {
    pub(crate) fn new(
        session_id: SessionId,
        run_id: RunId,
        (turn, said_as): (u32, TokenType),
        redactor: &Redactor,
        bus: Arc<dyn LiveBus>,
    ) -> Self {
        Self {
            session_id,
            run_id,
            turn,
            text: String::new(),
            thoughts: String::new(),
            calls: Vec::new(),
            reasoning: None,
            usage: Usage::unknown(),
            finish_reason: FinishReason::Other,
            first_token_after_ms: None,
            started: Instant::now(),
            kept: (0, 0),
            said_as,
            room: AnswerRoom::new(),
            redactors: [StreamingRedactor::new(redactor.clone()), StreamingRedactor::new(redactor.clone())],
            bus,
        }
    }

    /// Takes one step of the stream; true when it was the last.
    pub(crate) fn take(&mut self, event: StreamEvent) -> bool {
        let elapsed_ms = self.elapsed_ms();
        match event {
            StreamEvent::Token { token_type, text } => {
                self.first_token_after_ms.get_or_insert(elapsed_ms);
                let shown = self.redactor(token_type).push(&text);
                self.show(token_type, shown);
                false
            }
            StreamEvent::ToolCall(call) => {
                self.first_token_after_ms.get_or_insert(elapsed_ms);
                self.calls.push(bounds::named(call));
                false
            }
            StreamEvent::Reasoning(reasoning) => {
                self.reasoning = Some(reasoning);
                false
            }
            StreamEvent::Metadata { finish_reason, usage } => {
                self.finish_reason = finish_reason.unwrap_or(self.finish_reason);
                self.usage = usage.unwrap_or(self.usage);
                false
            }
            StreamEvent::End => true,
        }
    }

    /// Shows what was held back because it might have become a key.
    pub(crate) fn finish(&mut self) {
        for token_type in [TokenType::LlmThinking, TokenType::LlmResponse] {
            let rest = self.redactor(token_type).finish();
            self.show(token_type, rest);
        }
    }

    /// More came than can be stored; what fits is kept.
    pub(crate) fn is_too_long(&self) -> bool {
        self.room.is_full()
    }

    /// Since the request was sent.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns whether any of it may have been seen.
    pub(crate) fn has_begun(&self) -> bool {
        self.first_token_after_ms.is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }

    /// Returns the text since the last call: each piece is written once, however long the answer grows. The redactors
    /// hold back what may become a key, so that no piece ends within one.
    pub(crate) fn not_yet_kept(&mut self) -> Option<PartialAnswer> {
        let (text, thoughts) = (&self.text[self.kept.0..], &self.thoughts[self.kept.1..]);
        if text.is_empty() && thoughts.is_empty() {
            return None;
        }
        let piece = PartialAnswer {
            run_id: self.run_id.clone(),
            turn: self.turn,
            text: text.to_owned(),
            thoughts: thoughts.to_owned(),
        };
        self.kept = (self.text.len(), self.thoughts.len());
        Some(piece)
    }

    pub(crate) fn is_partly_kept(&self) -> bool {
        self.kept != (0, 0)
    }

    /// Ids must be unique within a session, but some models number their calls anew in every run or send none.
    pub(crate) fn make_call_ids_unique(&mut self, is_taken: impl Fn(&CallId) -> bool) {
        let mut used: Vec<CallId> = Vec::with_capacity(self.calls.len());
        for call in &mut self.calls {
            if call.call_id.as_str().is_empty() || is_taken(&call.call_id) || used.contains(&call.call_id) {
                call.call_id = CallId::from(format!("call_{}", CallId::new().as_str().replace('-', "")));
            }
            used.push(call.call_id.clone());
        }
    }

    fn redactor(&mut self, token_type: TokenType) -> &mut StreamingRedactor {
        &mut self.redactors[usize::from(token_type == TokenType::LlmThinking)]
    }

    fn show(&mut self, token_type: TokenType, text: String) {
        let text = self.room.take(text);
        if text.is_empty() {
            return;
        }
        let token_type = if token_type == TokenType::LlmThinking {
            self.thoughts.push_str(&text);
            token_type
        } else {
            self.text.push_str(&text);
            self.said_as
        };
        self.bus.publish(LiveEvent::Delta {
            session_id: self.session_id.clone(),
            run_id: self.run_id.clone(),
            delta: OutputDelta { turn: self.turn, token_type, text },
        });
    }
}

/// The end of the waiting for an answer.
pub(crate) enum AnswerEnd {
    Finished,
    Cancelled,
    OutOfTime,
    /// Only while nothing is under way.
    Paused,
    Failed(Fault),
}

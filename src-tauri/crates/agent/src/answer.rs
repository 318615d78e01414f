//! One answer of the model, from the request to its last token.

pub(crate) mod ask;

use crate::answer::ask::Ask;
use crate::bounds::{self, AnswerRoom};
use crate::planning::before_lone_closing_tag;
use crate::run_log::RunLog;
use crate::stop_signals::StopSignals;
use arki_domain::{
    CallId, ChatModel, Error, FinishReason, LiveBus, LiveEvent, OutputDelta, PartialAnswer, PreparedRequest, Reasoning,
    RunId, SessionId, StreamEvent, TokenType, ToolRequest, Usage,
};
use arki_redaction::{Redactor, StreamingRedactor};
use futures_util::StreamExt;
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
    is_of_plan: bool,
    room: AnswerRoom,
    redactors: [StreamingRedactor; 2],
    bus: Arc<dyn LiveBus>,
}

impl AnswerSoFar {
    pub(crate) fn new(
        session_id: SessionId,
        run_id: RunId,
        turn: u32,
        ask: &Ask,
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
            said_as: ask.said_as,
            is_of_plan: ask.is_of_plan(),
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
            }
            StreamEvent::ToolCall(call) => {
                self.first_token_after_ms.get_or_insert(elapsed_ms);
                self.calls.push(bounds::named(call));
            }
            StreamEvent::CallGrows => {
                let (session_id, run_id) = (self.session_id.clone(), self.run_id.clone());
                self.bus.publish(LiveEvent::CallGrows { session_id, run_id });
            }
            StreamEvent::Reasoning(reasoning) => self.reasoning = Some(reasoning),
            StreamEvent::Metadata { finish_reason, usage } => {
                self.finish_reason = finish_reason.unwrap_or(self.finish_reason);
                self.usage = usage.unwrap_or(self.usage);
            }
            StreamEvent::End => return true,
        }
        false
    }

    /// Receives the answer to `prepared`, until its end or until it is stopped.
    pub(crate) async fn receive(&mut self, prepared: PreparedRequest, source: AnswerSource<'_>) -> AnswerEnd {
        let AnswerSource { model, max_answer, log, stops } = source;
        let out_of_time = stops.out_of_time(&log.state);
        tokio::pin!(out_of_time);
        let too_slow = tokio::time::sleep(max_answer);
        tokio::pin!(too_slow);
        let mut heard = tokio::time::Instant::now();
        let mut stream = tokio::select! {
            biased;
            () = stops.cancel.cancelled() => return AnswerEnd::Cancelled,
            () = stops.asked_again(heard) => return AnswerEnd::Failed(bounds::silent()),
            () = &mut out_of_time => return AnswerEnd::OutOfTime,
            () = &mut too_slow => return AnswerEnd::Failed(bounds::too_slow(max_answer)),
            sent = model.send(prepared) => match sent {
                Ok(stream) => stream,
                Err(fault) => return AnswerEnd::Failed(fault),
            },
        };
        let mut kept = Instant::now();
        loop {
            let next = tokio::select! {
                biased;
                () = stops.cancel.cancelled() => return AnswerEnd::Cancelled,
                () = stops.asked_again(heard) => return AnswerEnd::Failed(bounds::silent()),
                () = &mut out_of_time => return AnswerEnd::OutOfTime,
                () = &mut too_slow => return AnswerEnd::Failed(bounds::too_slow(max_answer)),
                next = stream.next() => next,
            };
            heard = tokio::time::Instant::now();
            match next {
                Some(Ok(event)) => {
                    // Nobody waits for the rest of an answer that has no end.
                    if self.take(event) || self.is_too_long() {
                        return AnswerEnd::Finished;
                    }
                }
                None => return AnswerEnd::Finished,
                Some(Err(fault)) => return AnswerEnd::Failed(fault),
            }
            if kept.elapsed() >= KEEP_PARTIAL_EVERY {
                if let Some(piece) = self.not_yet_kept()
                    && let Err(fault) = log.followed.log.keep_partial(&log.followed.session_id, Some(piece)).await
                {
                    return AnswerEnd::Failed(fault);
                }
                kept = Instant::now();
            }
        }
    }

    /// Shows what was held back because it might have become a key, and takes thoughts out of the text that only their end
    /// gives away.
    pub(crate) fn finish(&mut self) {
        for token_type in [TokenType::LlmThinking, TokenType::LlmResponse] {
            let rest = self.redactor(token_type).finish();
            self.show(token_type, rest);
        }
        if let Some((thoughts, said)) = before_lone_closing_tag(&self.text) {
            let (thoughts, said) = (thoughts.to_owned(), said.to_owned());
            self.part(said, &thoughts);
        }
    }

    /// Keeps `said` of the text; the rest of it were thoughts.
    pub(crate) fn part(&mut self, said: String, thoughts: &str) {
        self.text = said;
        if !self.thoughts.is_empty() && !thoughts.is_empty() {
            self.thoughts.push_str("\n\n");
        }
        self.thoughts.push_str(thoughts);
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

    /// Returns whether it says nothing. Thoughts alone may be a plan.
    pub(crate) fn is_empty(&self) -> bool {
        let is_silent = self.text.trim().is_empty() && self.calls.is_empty();
        is_silent && (self.thoughts.is_empty() || !self.is_of_plan)
    }

    /// Returns whether there is nothing in it, and no reason that the next answer would share.
    pub(crate) fn is_void(&self) -> bool {
        let has_reason = matches!(self.finish_reason, FinishReason::ContentFilter | FinishReason::Length);
        !has_reason && !self.is_too_long() && self.is_empty()
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

/// The model that an answer comes from, and the run that it is for.
pub(crate) struct AnswerSource<'a> {
    pub(crate) model: &'a dyn ChatModel,
    pub(crate) max_answer: Duration,
    pub(crate) log: &'a RunLog,
    pub(crate) stops: &'a StopSignals,
}

/// The end of the waiting for an answer.
pub(crate) enum AnswerEnd {
    Finished,
    Cancelled,
    OutOfTime,
    /// Only while nothing is under way.
    Paused,
    Failed(Error),
}

//! Drives one answer from its first byte to its `End`, for any wire format.

use crate::Price;
use crate::admission::Place;
use crate::answer_decoder::{AnswerDecoder, DecodeError, MAX_CALLS, Step};
use crate::drain::Drain;
use crate::fault::Target;
use crate::lone_surrogates::{join_within, joined, with_marked_halves};
use crate::repetition::Repetition;
use crate::sse::{ByteStream, Events, Framing};
use crate::vendor_error::VendorError;
use arki_domain::{ChatStream, Error, StreamEvent, TokenType, ToolRequest, Usage};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The time in which figures may still follow after the model has said why it stopped.
const USAGE_GRACE: Duration = Duration::from_secs(5);
/// While a call is written, that more of it came is told so often.
const GROWS_EVERY: Duration = Duration::from_millis(500);

/// Takes note of what an error refuses of the request.
pub(crate) type NoteRefusal = Box<dyn Fn(&VendorError) + Send + Sync>;

/// The context of an answer, besides its bytes.
pub(crate) struct AnswerContext {
    pub(crate) target: Target,
    pub(crate) model: String,
    /// `None` where it is not known.
    pub(crate) price: Option<Price>,
    pub(crate) place: Option<Place>,
    pub(crate) drain: Arc<Drain>,
    pub(crate) note_refusal: NoteRefusal,
}

impl AnswerContext {
    /// Returns the event as subscribers get it: with its cost, unless the vendor has said it, and without marks of
    /// characters that were cut.
    fn told(&self, event: StreamEvent, price_share: Option<f64>) -> StreamEvent {
        match event {
            StreamEvent::ToolCall(call) => StreamEvent::ToolCall(ToolRequest {
                call_id: call.call_id,
                tool_id: joined(call.tool_id),
                arguments: joined(call.arguments),
            }),
            StreamEvent::Reasoning(mut reasoning) => {
                join_within(&mut reasoning.items);
                StreamEvent::Reasoning(reasoning)
            }
            StreamEvent::Token { token_type, text } => StreamEvent::Token { token_type, text: joined(text) },
            StreamEvent::CallGrows => event,
            StreamEvent::Metadata { .. } | StreamEvent::End => self.priced(event, price_share),
        }
    }

    fn priced(&self, event: StreamEvent, price_share: Option<f64>) -> StreamEvent {
        let StreamEvent::Metadata { finish_reason, usage } = event else { return event };
        // What is free is so also where the server has counted nothing.
        let is_free = self.price.as_ref().is_some_and(Price::is_free);
        let usage = usage.or_else(|| is_free.then(Usage::unknown));
        let price = self.price.as_ref().zip(if is_free { Some(0.0) } else { price_share });
        // A part of what is charged is not the whole.
        let is_told = |usage: &Usage| is_free || !(usage.unknown.prompt || usage.unknown.completion);
        let cost = |usage: &Usage| price.filter(|_| is_told(usage)).map(|(price, share)| price.cost(usage) * share);
        let usage = usage.map(|usage| Usage { cost_usd: usage.cost_usd.or_else(|| cost(&usage)), ..usage });
        StreamEvent::Metadata { finish_reason, usage }
    }

    fn fault(&self, error: DecodeError) -> Error {
        match error {
            DecodeError::Vendor(error) => {
                (self.note_refusal)(&error);
                self.target.refused(&error, &self.model)
            }
            DecodeError::Malformed(what) => self.target.bad_answer(what),
            DecodeError::TooManyCalls => self.target.too_many_calls(MAX_CALLS),
            DecodeError::Cut => self.target.cut("in the middle of its answer"),
        }
    }

    /// A whole answer that is none, or says what is wrong and not that it may pass: the next one would be the same.
    fn whole_fault(&self, error: DecodeError, body: &str) -> Error {
        match error {
            DecodeError::Vendor(error) if error.says_nothing_of_its_kind() => self.target.no_answer(&error),
            DecodeError::Malformed(_) if VendorError::from_body(body.as_bytes()).is_told() => {
                self.target.no_answer(&VendorError::from_body(body.as_bytes()))
            }
            error => self.fault(error),
        }
    }
}

/// Streams the answer. Dropping the stream drops the connection, unless the answer is over.
pub(crate) fn stream(
    bytes: ByteStream,
    framing: Framing,
    decoder: Box<dyn AnswerDecoder>,
    context: AnswerContext,
) -> ChatStream {
    let events = Events::new(bytes, framing, context.target.clone());
    let (ready, told) = (VecDeque::new(), Told::default());
    let answer = Answer { events: Some(events), decoder, context, ready, told, grown_at: Instant::now() };
    unfold(answer, |mut answer| async move { answer.next().await.map(|event| (event, answer)) }).boxed()
}

/// The answer of a server that does not stream, from its whole body.
pub(crate) fn whole(
    body: &str,
    mut decoder: Box<dyn AnswerDecoder>,
    context: &AnswerContext,
) -> Result<ChatStream, Error> {
    let mut out = Vec::new();
    decoder.whole(&with_marked_halves(body), &mut out).map_err(|error| context.whole_fault(error, body))?;
    if !decoder.is_finished() && out.is_empty() {
        return Err(context.target.no_answer(&VendorError::from_body(body.as_bytes())));
    }
    decoder.conclude(&mut out);
    out.push(StreamEvent::End);
    let priced: Vec<_> = out.into_iter().map(|event| Ok(context.told(event, decoder.price_share()))).collect();
    Ok(futures_util::stream::iter(priced).boxed())
}

struct Answer {
    /// `None` once the answer is over.
    events: Option<Events>,
    decoder: Box<dyn AnswerDecoder>,
    context: AnswerContext,
    ready: VecDeque<Result<StreamEvent, Error>>,
    told: Told,
    /// When it was last told that a call grows; at first when the answer began.
    grown_at: Instant,
}

/// The answer so far, as much of it as has to be watched.
#[derive(Default)]
struct Told {
    text: Repetition,
    thoughts: Repetition,
    arguments: Repetition,
    /// The last call, and the length of its arguments.
    call: (usize, usize),
}

impl Told {
    /// Returns whether any of it repeats itself for too long.
    fn repeats(&mut self, events: &[StreamEvent], call: Option<(usize, &str)>) -> bool {
        let mut repeats = false;
        for event in events {
            if let StreamEvent::Token { token_type, text } = event {
                let told = if *token_type == TokenType::LlmThinking { &mut self.thoughts } else { &mut self.text };
                repeats |= told.push(text);
            }
        }
        let Some((number, arguments)) = call else { return repeats };
        if self.call.0 != number {
            (self.call, self.arguments) = ((number, 0), Repetition::default());
        }
        let more = arguments.get(self.call.1..).unwrap_or_default();
        self.call.1 = arguments.len();
        repeats | (!more.is_empty() && self.arguments.push(more))
    }
}

impl Answer {
    async fn next(&mut self) -> Option<Result<StreamEvent, Error>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let events = self.events.as_mut()?;
            let event = if self.decoder.is_finished() {
                timeout(USAGE_GRACE, events.next()).await.unwrap_or(None)
            } else {
                events.next().await
            };
            match event {
                Some(Ok(event)) => self.take(event.name.as_deref(), &event.data, event.unfinished),
                _ if self.decoder.is_finished() => self.conclude(),
                Some(Err(fault)) => self.fail(fault),
                None => self.fail(self.ended(self.events.as_ref().and_then(Events::other_words))),
            }
        }
    }

    /// `words` are what came in place of events.
    fn ended(&self, words: Option<String>) -> Error {
        match words.map(|words| VendorError::from_body(words.as_bytes())) {
            Some(words) if words.is_told() => self.context.target.no_answer(&words),
            _ => self.context.target.cut("in the middle of its answer"),
        }
    }

    fn take(&mut self, name: Option<&str>, data: &str, unfinished: bool) {
        let mut out = Vec::new();
        let step = self.decoder.event(name, &with_marked_halves(data), &mut out);
        let before = self.told.call;
        let repeats = self.told.repeats(&out, self.decoder.arguments());
        if out.is_empty() && self.told.call != before && self.grown_at.elapsed() >= GROWS_EVERY {
            self.grown_at = Instant::now();
            out.push(StreamEvent::CallGrows);
        }
        self.hand_over(out);
        if repeats {
            return self.fail(self.context.target.repeats());
        }
        match step {
            Ok(Step::More) => {}
            Ok(Step::Complete) => self.conclude(),
            Err(DecodeError::Malformed(_)) if self.decoder.is_finished() => self.conclude(),
            Err(DecodeError::Malformed(_)) if unfinished => {
                self.fail(self.context.target.cut("in the middle of its answer"));
            }
            Err(error) => self.fail(self.context.fault(error)),
        }
    }

    fn hand_over(&mut self, events: Vec<StreamEvent>) {
        let price_share = self.decoder.price_share();
        self.ready.extend(events.into_iter().map(|event| Ok(self.context.told(event, price_share))));
    }

    fn conclude(&mut self) {
        let mut out = Vec::new();
        self.decoder.conclude(&mut out);
        out.push(StreamEvent::End);
        self.hand_over(out);
        self.context.place = None;
        if let Some(events) = self.events.take() {
            self.context.drain.begin(events);
        }
    }

    fn fail(&mut self, fault: Error) {
        if let Some(usage) = self.decoder.usage() {
            self.hand_over(vec![StreamEvent::Metadata { finish_reason: None, usage: Some(usage) }]);
        }
        self.ready.push_back(Err(fault));
        self.context.place = None;
        self.events = None;
    }
}

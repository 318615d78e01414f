//! Turns, and the requests to models in them.

use super::contents::{assistant_message, finish_word};
use super::runs::tell_usage;
use super::{RunRecorder, seconds};
use crate::attributes::{AttributeList, word};
use crate::measures::Labels;
use crate::messages::{AnyValue, CLIENT, INTERNAL};
use crate::names;
use crate::spans::{SpanPlace, span_id, turn_span_id};
use arki_domain::{EngineRequest, EngineResponse, EngineRetry, Event, FinishReason, OutputMessage};
use std::mem::discriminant;

/// A request that isn't answered yet.
pub(super) struct UnansweredRequest {
    place: SpanPlace,
    turn: u32,
    began: u64,
    /// The labels of its metrics.
    labels: Labels,
}

impl RunRecorder {
    /// A request that was sent in another form, or again after a crash, is the same one.
    pub(super) fn requested(&mut self, event: &Event, request: &EngineRequest, at: u64) {
        let purpose = request.purpose.as_ref().map(discriminant);
        if purpose.is_none() {
            self.enter_turn(request.turn, at);
        }
        if let Some(open) = self.open.requests.get(&purpose)
            && open.turn == request.turn
        {
            let place = open.place;
            self.span(place).tell(at, "engine.request");
            return;
        }
        let named = (format!("{} {}", names::CHAT, request.model), CLIENT);
        let parent = self.innermost();
        let Some(place) = self.spans.begin(span_id(event.event_id.as_str()), parent, named, at) else { return };
        let provider = names::provider(&request.provider).to_owned();
        let labels = Labels::from([
            (names::OPERATION_NAME, names::CHAT.to_owned()),
            (names::PROVIDER_NAME, provider),
            (names::REQUEST_MODEL, request.model.clone()),
        ]);
        let (session, is_compacted) = (self.session.to_string(), self.is_compacted);
        let attributes = &mut self.span(place).attributes;
        labels.iter().for_each(|(name, value)| attributes.set(name, value));
        attributes.set(names::CONVERSATION_ID, session);
        attributes.set(names::REQUEST_STREAM, true);
        attributes.set(names::TURN, request.turn);
        attributes.set_some(names::CONVERSATION_COMPACTED, is_compacted.then_some(true));
        attributes.set_some(names::REQUEST_PURPOSE, request.purpose.map(word));
        self.open.requests.insert(purpose, UnansweredRequest { place, turn: request.turn, began: at, labels });
    }

    /// A turn goes on until the next one begins, or the run ends.
    fn enter_turn(&mut self, turn: u32, at: u64) {
        if self.open.turn.is_some_and(|(open, _)| open == turn) {
            return;
        }
        if let Some((_, before)) = self.open.turn.take() {
            self.span(before).end(at);
        }
        let (parent, id) = (self.innermost(), turn_span_id(&self.run, turn));
        let Some(place) = self.spans.begin(id, parent, (format!("turn {turn}"), INTERNAL), at) else { return };
        self.span(place).attributes.set(names::TURN, turn);
        self.open.turn = Some((turn, place));
    }

    pub(super) fn retried(&mut self, retry: &EngineRetry, at: u64) {
        let Some(place) = self.open.requests.values().find(|open| open.turn == retry.turn).map(|open| open.place)
        else {
            return;
        };
        let told = self.span(place).tell(at, "engine.retry");
        told.attributes.set(names::ERROR_TYPE, &retry.code);
        told.attributes.set(names::RETRY_ATTEMPT, retry.attempt);
        told.attributes.set(names::RETRY_DELAY_MS, retry.delay_ms);
    }

    pub(super) fn answered(&mut self, response: &EngineResponse, at: u64) {
        let purpose = response.purpose.as_ref().map(discriminant);
        let Some(open) = self.open.requests.remove(&purpose) else { return };
        let span = self.span(open.place);
        let reason = AnyValue::from(finish_word(response.finish_reason));
        span.attributes.set(names::FINISH_REASONS, vec![reason]);
        span.attributes.set_some(names::TIME_TO_FIRST_CHUNK, response.ttft_ms.map(seconds));
        tell_usage(&mut span.attributes, &response.usage);
        span.end(at);
        self.usage.add(&response.usage);
        self.measures.usage(&open.labels, &response.usage);
        self.measures.inference(open.labels, seconds(at.saturating_sub(open.began) / 1_000_000));
        self.open.answered = Some(open.place);
    }

    pub(super) fn said(&mut self, message: &OutputMessage) {
        let Some(place) = self.open.answered.take() else { return };
        let reason = if message.interrupted { FinishReason::Other } else { FinishReason::Stop };
        let told = self.contents.told(|| assistant_message(message.thoughts.as_deref(), &message.content, reason));
        self.span(place).attributes.set_some(names::OUTPUT_MESSAGES, told);
    }

    /// Ends the requests that nobody answered, with the reason why the run ends.
    pub(super) fn end_requests(&mut self, code: Option<&str>, at: u64) {
        let mut open: Vec<UnansweredRequest> = self.open.requests.drain().map(|(_, open)| open).collect();
        open.sort_by_key(|open| open.began);
        for mut request in open {
            let span = self.spans.at(request.place);
            if let Some(code) = code {
                span.fail(code);
                request.labels.insert(names::ERROR_TYPE, code.to_owned());
            }
            span.end(at);
            let took = seconds(at.saturating_sub(request.began) / 1_000_000);
            self.measures.inference(request.labels, took);
        }
    }
}

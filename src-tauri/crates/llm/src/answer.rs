//! Drives one answer from its first byte to its `End`, for any wire format.

use crate::Price;
use crate::admission::Place;
use crate::answer_decoder::{AnswerDecoder, DecodeError, MAX_CALLS, Step};
use crate::drain::Drain;
use crate::fault::Target;
use crate::lone_surrogates::without_lone_surrogates;
use crate::sse::{ByteStream, Events, Framing};
use arki_domain::{ChatStream, Fault, StreamEvent, Usage};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long figures may still follow after the model has said why it stopped.
const USAGE_GRACE: Duration = Duration::from_secs(5);

/// What an answer needs besides its bytes.
pub(crate) struct AnswerContext {
    pub(crate) target: Target,
    pub(crate) model: String,
    /// `None` where it is not known.
    pub(crate) price: Option<Price>,
    pub(crate) place: Option<Place>,
    pub(crate) drain: Arc<Drain>,
}

impl AnswerContext {
    /// With its cost, unless the vendor has said it.
    fn priced(&self, event: StreamEvent, has_list_price: bool) -> StreamEvent {
        let StreamEvent::Metadata { finish_reason, usage } = event else { return event };
        // What is free is so also where the server has counted nothing.
        let is_free = self.price.as_ref().is_some_and(Price::is_free);
        let usage = usage.or_else(|| is_free.then(Usage::default));
        let price = self.price.as_ref().filter(|_| is_free || has_list_price);
        let cost = |usage: &Usage| price.map(|price| price.cost(usage));
        let usage = usage.map(|usage| Usage { cost_usd: usage.cost_usd.or_else(|| cost(&usage)), ..usage });
        StreamEvent::Metadata { finish_reason, usage }
    }

    fn fault(&self, error: DecodeError) -> Fault {
        match error {
            DecodeError::Vendor(error) => self.target.refused(&error, &self.model),
            DecodeError::Malformed(what) => self.target.bad_answer(what),
            DecodeError::TooManyCalls => self.target.too_many_calls(MAX_CALLS),
            DecodeError::Cut => self.target.cut("in the middle of its answer"),
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
    let answer = Answer { events: Some(events), decoder, context, ready: VecDeque::new() };
    unfold(answer, |mut answer| async move { answer.next().await.map(|event| (event, answer)) }).boxed()
}

/// The answer of a server that does not stream, from its whole body.
pub(crate) fn whole(
    body: &str,
    mut decoder: Box<dyn AnswerDecoder>,
    context: &AnswerContext,
) -> Result<ChatStream, Fault> {
    let mut out = Vec::new();
    decoder.whole(&without_lone_surrogates(body), &mut out).map_err(|error| context.fault(error))?;
    if !decoder.is_finished() && out.is_empty() {
        return Err(context.target.bad_answer("there is no answer in it"));
    }
    decoder.conclude(&mut out);
    out.push(StreamEvent::End);
    let priced: Vec<_> = out.into_iter().map(|event| Ok(context.priced(event, decoder.has_list_price()))).collect();
    Ok(futures_util::stream::iter(priced).boxed())
}

struct Answer {
    /// `None` once the answer is over.
    events: Option<Events>,
    decoder: Box<dyn AnswerDecoder>,
    context: AnswerContext,
    ready: VecDeque<Result<StreamEvent, Fault>>,
}

impl Answer {
    async fn next(&mut self) -> Option<Result<StreamEvent, Fault>> {
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
                None => self.fail(self.context.target.cut("in the middle of its answer")),
            }
        }
    }

    fn take(&mut self, name: Option<&str>, data: &str, unfinished: bool) {
        let mut out = Vec::new();
        let step = self.decoder.event(name, &without_lone_surrogates(data), &mut out);
        self.hand_over(out);
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
        let has_list_price = self.decoder.has_list_price();
        self.ready.extend(events.into_iter().map(|event| Ok(self.context.priced(event, has_list_price))));
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

    fn fail(&mut self, fault: Fault) {
        if let Some(usage) = self.decoder.usage() {
            self.hand_over(vec![StreamEvent::Metadata { finish_reason: None, usage: Some(usage) }]);
        }
        self.ready.push_back(Err(fault));
        self.context.place = None;
        self.events = None;
    }
}

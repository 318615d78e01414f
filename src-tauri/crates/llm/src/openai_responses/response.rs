//! Reads the events of an answer.

use super::output::{Output, Part, Place, Stage};
use super::wire::{Event, Response};
use crate::answer_decoder::{AnswerDecoder, DecodeError, Step, read, share_of_tier};
use arki_domain::{FinishReason, StreamEvent, Usage};
use serde_json::{Value, json};

const NOT_OURS: &str = "it is not the JSON of the Responses API";

pub(super) struct ResponsesDecoder {
    origin: String,
    output: Output,
    ending: Option<Ending>,
    usage: Option<Usage>,
    /// The service tier of the answer, as the vendor gives it.
    tier: Option<Value>,
}

/// The model's reason to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Completed,
    Incomplete(FinishReason),
}

impl ResponsesDecoder {
    pub(super) fn new(origin: &str) -> Self {
        Self { origin: origin.to_owned(), output: Output::default(), ending: None, usage: None, tier: None }
    }

    fn take(&mut self, kind: &str, event: Event, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        let place = Place { index: event.output_index, id: event.item_id.as_deref().unwrap_or_default() };
        let content = event.content_index.unwrap_or(0);
        let summary = event.summary_index.unwrap_or(0);
        let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let (part, stage, said) = match kind {
            "response.output_text.delta" => (Part::Text(content), Stage::Begun, text(&event.delta)),
            "response.output_text.done" => (Part::Text(content), Stage::Done, text(&event.text)),
            "response.refusal.delta" => (Part::Refusal(content), Stage::Begun, text(&event.delta)),
            "response.refusal.done" => (Part::Refusal(content), Stage::Done, text(&event.refusal)),
            "response.reasoning_text.delta" => (Part::Thoughts(content), Stage::Begun, text(&event.delta)),
            "response.reasoning_text.done" => (Part::Thoughts(content), Stage::Done, text(&event.text)),
            "response.reasoning_summary_text.delta" => (Part::Summary(summary), Stage::Begun, text(&event.delta)),
            "response.reasoning_summary_text.done" => (Part::Summary(summary), Stage::Done, text(&event.text)),
            _ => return self.take_other(kind, event, out),
        };
        self.output.tell(place, part, stage, &said, out).map(|()| Step::More)
    }

    fn take_other(&mut self, kind: &str, event: Event, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        let place = Place { index: event.output_index, id: event.item_id.as_deref().unwrap_or_default() };
        match (kind, event.item, event.response) {
            ("response.function_call_arguments.delta", ..) => {
                self.output.arguments(place, Stage::Begun, event.delta.as_ref())?;
            }
            ("response.function_call_arguments.done", ..) => {
                self.output.arguments(place, Stage::Done, event.arguments.as_ref())?;
            }
            ("response.output_item.added", Some(item), _) => {
                self.output.item(event.output_index, item, Stage::Begun, out)?;
            }
            ("response.output_item.done", Some(item), _) => {
                self.output.item(event.output_index, item, Stage::Done, out)?;
            }
            ("response.completed" | "response.incomplete" | "response.failed" | "response.cancelled", _, response) => {
                let response = response.ok_or(DecodeError::Malformed(NOT_OURS))?;
                self.end(kind.trim_start_matches("response."), response, out)?;
                return Ok(Step::Complete);
            }
            _ => {}
        }
        Ok(Step::More)
    }

    /// Takes the whole answer at its end.
    fn end(&mut self, status: &str, response: Response, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        self.usage = response.usage.and_then(|usage| usage.figures()).or(self.usage);
        self.tier = response.service_tier;
        let ending = match status {
            "completed" => Ending::Completed,
            "incomplete" => Ending::Incomplete(why_incomplete(response.incomplete_details.as_ref())),
            _ => {
                let error = response.error.filter(|error| !error.is_null()).unwrap_or_else(|| json!(status));
                return Err(DecodeError::of_vendor(&json!({ "error": error }).to_string()));
            }
        };
        self.output.all(response.output.unwrap_or_default(), out)?;
        self.ending = Some(ending);
        Ok(())
    }
}

impl AnswerDecoder for ResponsesDecoder {
    fn event(&mut self, name: Option<&str>, data: &str, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError> {
        // Only from servers that imitate the API; what ends an answer is its own event.
        if data.trim() == "[DONE]" {
            return Ok(Step::More);
        }
        let event: Event = read(name, data, NOT_OURS)?;
        let kind = event.kind.clone().or_else(|| name.map(str::to_owned)).unwrap_or_default();
        if kind == "error" || event.error.as_ref().is_some_and(|error| !error.is_null()) {
            return Err(DecodeError::of_vendor(data));
        }
        if kind.is_empty() {
            return Err(DecodeError::Malformed(NOT_OURS));
        }
        self.take(&kind, event, out)
    }

    fn whole(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        let response: Response = read(None, body, NOT_OURS)?;
        let is_response = response.object.as_ref().is_some_and(|object| object == "response");
        match &response.status {
            _ if response.output.is_none() && response.error.as_ref().is_some_and(|error| !error.is_null()) => {
                Err(DecodeError::of_vendor(body))
            }
            _ if response.output.is_none() && !is_response => Err(DecodeError::Malformed(NOT_OURS)),
            Some(status) => self.end(&status.clone(), response, out),
            None => self.end("completed", response, out),
        }
    }

    fn arguments(&self) -> Option<(usize, &str)> {
        self.output.last_arguments()
    }

    fn is_finished(&self) -> bool {
        self.ending.is_some()
    }

    fn conclude(&mut self, out: &mut Vec<StreamEvent>) {
        let finish_reason = match self.ending {
            Some(Ending::Incomplete(reason)) => reason,
            _ if self.output.has_calls() => FinishReason::ToolCalls,
            _ => FinishReason::Stop,
        };
        self.output.conclude(&self.origin, out);
        out.push(StreamEvent::Metadata { finish_reason: Some(finish_reason), usage: self.usage });
    }

    fn price_share(&self) -> Option<f64> {
        share_of_tier(self.tier.as_ref())
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }
}

fn why_incomplete(details: Option<&Value>) -> FinishReason {
    match details.and_then(|details| details.get("reason")?.as_str()) {
        Some("max_output_tokens" | "max_tokens") => FinishReason::Length,
        Some("content_filter") => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}

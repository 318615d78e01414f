//! The items of an answer while they arrive.
//!
//! An event says which item it is about by its index, by its id, or, on some servers, by neither; and ids may differ
//! from event to event. What matters comes up to three times: in pieces, whole, and with the whole item. Each is taken
//! the first time it comes.

use super::kept::{DIVIDER, Kept, ReasoningItem, keep};
use super::wire;
use crate::answer_decoder::{DecodeError, MAX_CALLS, token, tokens, tool_request};
use crate::lone_surrogates::Halves;
use crate::think_split::{Stretch, ThinkSplit};
use arki_domain::{StreamEvent, TokenType};
use serde_json::Value;
use std::collections::BTreeSet;

/// More than any answer has; a server that sends more is broken.
const MAX_ITEMS: usize = 512;

#[derive(Default)]
pub(super) struct Output {
    items: Vec<Item>,
    split: ThinkSplit,
    /// The pending surrogate halves of the text and of the thoughts.
    halves: [Halves; 2],
    /// The message whose text the split was given last.
    speaker: Option<usize>,
    /// The part of the thoughts that was told last.
    thought: Option<(usize, Part)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Call,
    Reasoning,
}

/// A piece of an item's text, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Text(u64),
    Refusal(u64),
    Thoughts(u64),
    Summary(u64),
}

/// The item that an event is about.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: &'a str,
}

/// The state of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Begun,
    Done,
}

struct Item {
    kind: Kind,
    index: Option<u64>,
    id: String,
    is_done: bool,
    told: BTreeSet<Part>,
    /// The phase of a message.
    phase: Option<String>,
    bytes: usize,
    /// The ID of a call.
    call_id: String,
    name: String,
    arguments: String,
    /// The item of reasoning.
    reasoning: Option<ReasoningItem>,
}

impl Output {
    /// Takes a piece of text or of thoughts, or all of it where no pieces came.
    pub(super) fn tell(
        &mut self,
        place: Place<'_>,
        part: Part,
        stage: Stage,
        text: &str,
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), DecodeError> {
        let kind = if matches!(part, Part::Text(_) | Part::Refusal(_)) { Kind::Message } else { Kind::Reasoning };
        let at = self.find_or_add(kind, place)?;
        if stage == Stage::Begun || !self.items[at].told.contains(&part) {
            self.hand_on(at, part, text, out);
        }
        Ok(())
    }

    /// Takes a piece of a call's arguments, or all of them.
    pub(super) fn arguments(
        &mut self,
        place: Place<'_>,
        stage: Stage,
        arguments: Option<&Value>,
    ) -> Result<(), DecodeError> {
        let at = self.find_or_add(Kind::Call, place)?;
        let call = &mut self.items[at];
        match stage {
            Stage::Begun => call.arguments.push_str(&text_of(arguments)),
            Stage::Done => call.take_arguments(arguments),
        }
        Ok(())
    }

    /// Takes what comes with the item itself.
    pub(super) fn item(
        &mut self,
        index: Option<u64>,
        item: wire::Item,
        stage: Stage,
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), DecodeError> {
        let Some(kind) = kind_of(&item) else { return Ok(()) };
        let found = self.find_item(kind, index, &item, stage);
        let at = found.map_or_else(|| self.add(kind, index), Ok)?;
        self.fill(at, item, stage, out);
        Ok(())
    }

    /// Takes the whole output once more, in which the items of a kind stand in their order.
    pub(super) fn all(&mut self, output: Vec<wire::Item>, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        let mut seen = Vec::new();
        for item in output {
            let Some(kind) = kind_of(&item) else { continue };
            let number = seen.iter().filter(|seen| **seen == kind).count();
            seen.push(kind);
            let of_kind = |(at, item): (usize, &Item)| (item.kind == kind).then_some(at);
            let found = self.items.iter().enumerate().filter_map(of_kind).nth(number);
            let at = found.map_or_else(|| self.add(kind, None), Ok)?;
            self.fill(at, item, Stage::Done, out);
        }
        Ok(())
    }

    /// Returns the last item's number and the arguments so far, if it's a call.
    pub(super) fn last_arguments(&self) -> Option<(usize, &str)> {
        let last = self.items.last().filter(|item| item.kind == Kind::Call)?;
        Some((self.items.len(), &last.arguments))
    }

    pub(super) fn has_calls(&self) -> bool {
        self.items.iter().any(|item| item.kind == Kind::Call)
    }

    /// Adds the events that are only known at the end: the calls, and the data to send back.
    pub(super) fn conclude(&mut self, origin: &str, out: &mut Vec<StreamEvent>) {
        self.finish_thought(out);
        self.flush(out);
        let mut kept = Vec::with_capacity(self.items.len());
        for item in std::mem::take(&mut self.items) {
            let id = Some(item.id).filter(|id| !id.is_empty());
            match item.kind {
                Kind::Message if item.bytes == 0 => {}
                Kind::Message => kept.push(Kept::Message { id, phase: item.phase, bytes: item.bytes }),
                Kind::Reasoning => kept.extend(item.reasoning.map(Kept::Reasoning)),
                // An answer that was cut off here: a call with nothing in it would be another one.
                Kind::Call if !item.is_done && item.arguments.trim().is_empty() => {}
                Kind::Call => {
                    kept.push(Kept::FunctionCall { id });
                    out.push(StreamEvent::ToolCall(tool_request(item.call_id, item.name, item.arguments)));
                }
            }
        }
        out.extend(keep(&kept, origin).map(StreamEvent::Reasoning));
    }

    fn find_or_add(&mut self, kind: Kind, place: Place<'_>) -> Result<usize, DecodeError> {
        let by_id = self.find(kind, |item| item.is_called(place.id));
        let by_index = || self.find(kind, |item| place.index.is_some() && item.index == place.index);
        let last = || self.find(kind, |item| place.index.is_none() || item.index.is_none());
        let found = by_id.or_else(by_index).or_else(last);
        let at = found.map_or_else(|| self.add(kind, place.index), Ok)?;
        if self.items[at].id.is_empty() {
            place.id.clone_into(&mut self.items[at].id);
        }
        Ok(at)
    }

    /// Returns where an item that comes with its own fields is known already.
    fn find_item(&self, kind: Kind, index: Option<u64>, item: &wire::Item, stage: Stage) -> Option<usize> {
        let [id, call_id] = [&item.id, &item.call_id].map(|id| id.as_deref().unwrap_or_default());
        let by_id = self.find(kind, |known| known.is_called(id) || known.is_called(call_id));
        by_id.or_else(|| {
            self.find(kind, |known| {
                let same_call = known.call_id.is_empty() || call_id.is_empty() || known.call_id == call_id;
                let is_new = stage == Stage::Begun && !known.id.is_empty();
                let here = if index.is_some() { known.index == index } else { !known.is_done };
                same_call && !is_new && here
            })
        })
    }

    /// The last one of the kind.
    fn find(&self, kind: Kind, is_it: impl Fn(&Item) -> bool) -> Option<usize> {
        self.items.iter().rposition(|item| item.kind == kind && is_it(item))
    }

    fn add(&mut self, kind: Kind, index: Option<u64>) -> Result<usize, DecodeError> {
        if self.items.len() == MAX_ITEMS {
            return Err(DecodeError::Malformed("it has too many items"));
        }
        if kind == Kind::Call && self.items.iter().filter(|item| item.kind == Kind::Call).count() == MAX_CALLS {
            return Err(DecodeError::TooManyCalls);
        }
        self.items.push(Item::new(kind, index));
        Ok(self.items.len() - 1)
    }

    fn fill(&mut self, at: usize, item: wire::Item, stage: Stage, out: &mut Vec<StreamEvent>) {
        let known = &mut self.items[at];
        let set = |field: &mut String, value: Option<&String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                value.clone_into(field);
            }
        };
        set(&mut known.id, item.id.as_ref());
        set(&mut known.call_id, item.call_id.as_ref());
        set(&mut known.name, item.name.as_ref());
        known.phase = item.phase.clone().or(known.phase.take());
        if stage == Stage::Begun {
            return;
        }
        known.is_done |= !matches!(item.status.as_deref(), Some("in_progress" | "incomplete"));
        match known.kind {
            Kind::Call => known.take_arguments(item.arguments.as_ref()),
            Kind::Message => self.fill_text(at, &item, out),
            Kind::Reasoning => {
                self.fill_thoughts(at, &item, out);
                self.items[at].take_reasoning(item);
            }
        }
    }

    fn fill_text(&mut self, at: usize, item: &wire::Item, out: &mut Vec<StreamEvent>) {
        if !self.items[at].told.is_empty() {
            return;
        }
        if let Some(Value::String(text)) = &item.content {
            return self.hand_on(at, Part::Text(0), text, out);
        }
        for (number, part) in (0..).zip(parts(item.content.as_ref())) {
            match (part.get("text").and_then(Value::as_str), part.get("refusal").and_then(Value::as_str)) {
                (Some(text), _) => self.hand_on(at, Part::Text(number), text, out),
                (None, Some(refusal)) => self.hand_on(at, Part::Refusal(number), refusal, out),
                (None, None) => {}
            }
        }
    }

    /// The summary where there is one, else the thoughts themselves.
    fn fill_thoughts(&mut self, at: usize, item: &wire::Item, out: &mut Vec<StreamEvent>) {
        if self.items[at].told.is_empty() {
            for (number, text) in texts(item.summary.as_ref()) {
                self.hand_on(at, Part::Summary(number), text, out);
            }
        }
        if self.items[at].told.is_empty() {
            for (number, text) in texts(item.content.as_ref()) {
                self.hand_on(at, Part::Thoughts(number), text, out);
            }
        }
    }

    fn hand_on(&mut self, at: usize, part: Part, text: &str, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        self.items[at].told.insert(part);
        match part {
            Part::Text(_) | Part::Refusal(_) => self.say(at, text, out),
            Part::Thoughts(_) | Part::Summary(_) => {
                if self.thought.replace((at, part)).is_some_and(|last| last != (at, part)) {
                    self.finish_thought(out);
                    out.extend(token(TokenType::LlmThinking, DIVIDER));
                }
                out.extend(token(TokenType::LlmThinking, self.halves[1].join(text)));
            }
        }
    }

    fn say(&mut self, at: usize, text: &str, out: &mut Vec<StreamEvent>) {
        if self.speaker != Some(at) {
            self.flush(out);
            if let Some(last) = self.speaker.filter(|last| self.items[*last].bytes > 0) {
                self.items[last].bytes += DIVIDER.len();
                out.extend(token(TokenType::LlmResponse, DIVIDER));
            }
            self.speaker = Some(at);
        }
        let text = self.halves[0].join(text);
        let stretches = self.split.push(&text);
        self.count(stretches, out);
    }

    fn finish_thought(&mut self, out: &mut Vec<StreamEvent>) {
        out.extend(token(TokenType::LlmThinking, self.halves[1].finish()));
    }

    /// Releases the text that the split held back; it belongs to the message it came with.
    fn flush(&mut self, out: &mut Vec<StreamEvent>) {
        let mut stretches = self.split.push(self.halves[0].finish());
        stretches.extend(self.split.finish());
        self.count(stretches, out);
    }

    fn count(&mut self, stretches: Vec<Stretch>, out: &mut Vec<StreamEvent>) {
        if let Some(at) = self.speaker {
            let said = stretches.iter().filter(|(kind, _)| *kind == TokenType::LlmResponse);
            self.items[at].bytes += said.map(|(_, text)| text.len()).sum::<usize>();
        }
        out.extend(tokens(stretches));
    }
}

impl Item {
    fn new(kind: Kind, index: Option<u64>) -> Self {
        Self {
            kind,
            index,
            id: String::new(),
            is_done: false,
            told: BTreeSet::new(),
            phase: None,
            bytes: 0,
            call_id: String::new(),
            name: String::new(),
            arguments: String::new(),
            reasoning: None,
        }
    }

    fn is_called(&self, id: &str) -> bool {
        !id.is_empty() && (self.id == id || self.call_id == id)
    }

    /// All of a call's arguments; some servers leave them empty once the pieces have come.
    fn take_arguments(&mut self, arguments: Option<&Value>) {
        let arguments = text_of(arguments);
        if !arguments.trim().is_empty() {
            self.arguments = arguments;
        }
    }

    /// Takes an item of reasoning. Without its content, open or encrypted, the API would look it up by its ID, and has
    /// not stored it.
    fn take_reasoning(&mut self, item: wire::Item) {
        let encrypted = item.encrypted_content.and_then(|value| value.as_str().map(str::to_owned));
        let encrypted_content = encrypted.filter(|content| !content.is_empty());
        let content = item.content.filter(|content| !parts(Some(content)).is_empty());
        if encrypted_content.is_some() || (content.is_some() && self.reasoning.is_none()) {
            let summary = item.summary.filter(Value::is_array).unwrap_or_else(|| Value::Array(Vec::new()));
            let id = item.id.filter(|id| !id.is_empty());
            self.reasoning = Some(ReasoningItem { id, summary, content, encrypted_content });
        }
    }
}

fn kind_of(item: &wire::Item) -> Option<Kind> {
    match item.kind.as_deref()? {
        "message" => Some(Kind::Message),
        "function_call" => Some(Kind::Call),
        "reasoning" => Some(Kind::Reasoning),
        // Nothing else was asked for.
        _ => None,
    }
}

fn parts(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn texts(list: Option<&Value>) -> impl Iterator<Item = (u64, &str)> {
    (0..).zip(parts(list)).filter_map(|(number, part)| Some((number, part.get("text")?.as_str()?)))
}

fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    }
}

//! The conversation as items of `input`.

use super::kept::{DIVIDER, Kept, ReasoningItem, recall};
use crate::request_parts::{Images, ModelTurn, acceptable_id, acceptable_name, data_url_of, object_text, to_json};
use arki_domain::{Error, Message, ToolRequest};
use serde::Serialize;
use std::borrow::Cow;

/// The longest id of a call that the API accepts.
const MAX_ID_BYTES: usize = 64;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        #[serde(flatten)]
        said_before: Option<SaidBefore<'a>>,
        role: &'static str,
        content: Vec<Part<'a>>,
    },
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        call_id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: Cow<'a, str>,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: &'a str,
    },
    Reasoning(&'a ReasoningItem),
}

/// The API's own data about a message of the model's.
#[derive(Serialize)]
struct SaidBefore<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    InputText { text: &'a str },
    InputImage { image_url: String, detail: &'static str },
    OutputText { text: &'a str, annotations: [(); 0] },
}

/// Writes the items that say the message, separated by commas.
pub(super) fn write(message: &Message, origin: &str, images: &Images, out: &mut Vec<u8>) -> Result<(), Error> {
    match message {
        Message::System { content } => write_items(&[heard("system", vec![Part::InputText { text: content }])], out),
        Message::User { content, images: shown } => {
            let text = (!content.is_empty()).then_some(Part::InputText { text: content });
            let shown = shown.iter().filter_map(|image| data_url_of(image, images));
            let shown = shown.map(|image_url| Part::InputImage { image_url, detail: "auto" });
            write_items(&[heard("user", text.into_iter().chain(shown).collect())], out)
        }
        Message::Assistant { .. } | Message::ToolRequest { .. } => {
            let Some(turn) = ModelTurn::of(message) else { return Ok(()) };
            write_items(&model_turn(turn, &recall(turn.reasoning, origin)), out)
        }
        Message::ToolResult { call_id, content, .. } => write_items(
            &[Item::FunctionCallOutput { call_id: acceptable_id(call_id, MAX_ID_BYTES), output: content }],
            out,
        ),
    }
}

fn write_items(items: &[Item<'_>], out: &mut Vec<u8>) -> Result<(), Error> {
    let list = to_json(&items)?;
    // Without its brackets: the list goes on.
    out.extend_from_slice(&list[1..list.len() - 1]);
    Ok(())
}

/// One turn of the model's: as it came, where that is known, else its words and then its calls.
fn model_turn<'a>(turn: ModelTurn<'a>, kept: &'a [Kept]) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    let mut text = turn.content;
    let mut calls = turn.calls.iter();
    // The API refuses reasoning that nothing follows.
    let mut thoughts = Vec::new();
    let divides = divides(turn.content, kept);
    for item in kept {
        match item {
            Kept::Reasoning(reasoning) => thoughts.push(Item::Reasoning(reasoning)),
            Kept::Message { id, phase, bytes } => {
                let (said, rest) = text.split_at(if divides { *bytes } else { text.len() });
                text = rest;
                let said = if rest.is_empty() { said } else { said.strip_suffix(DIVIDER).unwrap_or(said) };
                if !said.is_empty() {
                    items.append(&mut thoughts);
                    let said_before = SaidBefore { id: id.as_deref(), status: "completed", phase: phase.as_deref() };
                    items.push(spoken(said, Some(said_before)));
                }
            }
            Kept::FunctionCall { id } => {
                if let Some(call) = calls.next() {
                    items.append(&mut thoughts);
                    items.push(called(call, id.as_deref()));
                }
            }
        }
    }
    if !text.is_empty() {
        items.append(&mut thoughts);
        items.push(spoken(text, None));
    }
    for call in calls {
        items.append(&mut thoughts);
        items.push(called(call, None));
    }
    items
}

/// Returns whether the text still has the lengths it came in: a key in it may have been redacted since.
fn divides(content: &str, kept: &[Kept]) -> bool {
    let mut end = 0_usize;
    let at_borders = kept.iter().all(|item| {
        let Kept::Message { bytes, .. } = item else { return true };
        end = end.saturating_add(*bytes);
        content.is_char_boundary(end)
    });
    at_borders && end == content.len()
}

fn heard<'a>(role: &'static str, content: Vec<Part<'a>>) -> Item<'a> {
    Item::Message { said_before: None, role, content }
}

fn spoken<'a>(text: &'a str, said_before: Option<SaidBefore<'a>>) -> Item<'a> {
    Item::Message { said_before, role: "assistant", content: vec![Part::OutputText { text, annotations: [] }] }
}

fn called<'a>(call: &'a ToolRequest, id: Option<&'a str>) -> Item<'a> {
    Item::FunctionCall {
        id,
        call_id: acceptable_id(&call.call_id, MAX_ID_BYTES),
        name: acceptable_name(&call.tool_id),
        arguments: object_text(&call.arguments),
    }
}

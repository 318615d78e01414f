//! The conversation as Gemini wants it: what the model said, in the parts in which it came, and what everybody else did.

use super::generation::Generation;
use super::kept_parts::{KeptPart, Place, kept_parts};
use super::wire::{Blob, Content, FunctionCall, FunctionResponse, Part, Role};
use crate::request_parts::{Images, ModelTurn, base64_of, object_value, to_json};
use arki_domain::{Error, Message, ToolRequest};
use std::sync::Arc;

/// Stands for the signature of a call that has none, as it is another model's:
/// <https://ai.google.dev/gemini-api/docs/thought-signatures>.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// There is no role for what the system says in between, or for results.
pub(super) fn role(message: &Message) -> Role {
    match message {
        Message::Assistant { .. } | Message::ToolRequest { .. } => Role::Model,
        Message::System { .. } | Message::User { .. } | Message::ToolResult { .. } => Role::User,
    }
}

pub(super) fn write(
    group: &[Arc<Message>],
    origin: &str,
    generation: &Generation,
    images: &Images,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let mut writer = Writer { origin, images, call_ids: Vec::new().into_iter() };
    for turn in group.chunk_by(|message, next| role(message) == role(next)) {
        let mut parts = Vec::new();
        for message in turn {
            writer.parts_of(message, &mut parts);
        }
        if generation.wants_signatures() {
            sign_first_call(&mut parts);
        }
        if parts.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(&to_json(&Content { role: role(&turn[0]), parts })?);
    }
    Ok(())
}

struct Writer<'a> {
    /// The destination: only parts that came from there carry its signatures.
    origin: &'a str,
    images: &'a Images,
    /// The vendor's, of the calls whose results follow, in their order.
    call_ids: std::vec::IntoIter<Option<String>>,
}

impl Writer<'_> {
    fn parts_of<'m>(&mut self, message: &'m Message, parts: &mut Vec<Part<'m>>) {
        match message {
            Message::System { content } => parts.push(Part::text(content)),
            Message::User { content, images } => {
                for image in images {
                    // What is missing has been replaced by words before.
                    let data = base64_of(image, self.images).unwrap_or_default();
                    parts.push(Part {
                        inline_data: Some(Blob { mime_type: &image.media_type, data }),
                        ..Part::default()
                    });
                }
                if !content.is_empty() {
                    parts.push(Part::text(content));
                }
            }
            Message::Assistant { .. } | Message::ToolRequest { .. } => {
                if let Some(turn) = ModelTurn::of(message) {
                    let kept = kept_parts(turn.reasoning, self.origin);
                    let call_ids = call_ids(turn, &kept);
                    write_turn(turn, kept, &call_ids, parts);
                    self.call_ids = call_ids.into_iter();
                }
            }
            Message::ToolResult { tool_id, content, is_error, .. } => {
                let id = self.call_ids.next().flatten();
                parts.push(Part {
                    function_response: Some(FunctionResponse::new(id, tool_id, content, *is_error)),
                    ..Part::default()
                });
            }
        }
    }
}

/// Signs the first call only: of calls made together, no other has a signature.
fn sign_first_call(parts: &mut [Part<'_>]) {
    if let Some(first) = parts.iter_mut().find(|part| part.function_call.is_some()) {
        first.thought_signature.get_or_insert_with(|| NO_SIGNATURE.to_owned());
    }
}

/// The vendor's, one for each call.
fn call_ids(turn: ModelTurn<'_>, kept: &[KeptPart]) -> Vec<Option<String>> {
    let ids = kept.iter().filter(|part| matches!(part.place, Place::Call(_))).map(|part| part.id.clone());
    ids.chain(std::iter::repeat(None)).take(turn.calls.len()).collect()
}

/// Writes the parts in the order they came in where that is known, else the text and then the calls. All of the
/// text and every call is there once, whatever was kept: what is stored may differ from what came, as keys are
/// taken out of it.
fn write_turn<'m>(turn: ModelTurn<'m>, kept: Vec<KeptPart>, call_ids: &[Option<String>], parts: &mut Vec<Part<'m>>) {
    let mut text = Rest::of(turn.content);
    let mut thoughts = Rest::of(turn.thoughts.unwrap_or_default());
    let mut calls = turn.calls.iter().zip(call_ids);
    let last_text = kept.iter().rposition(|part| matches!(part.place, Place::Text(_)));
    if last_text.is_none() && !turn.content.is_empty() {
        parts.push(Part::text(turn.content));
    }
    for (index, KeptPart { place, signature, .. }) in kept.into_iter().enumerate() {
        let part = match place {
            Place::Text(_) if last_text == Some(index) => Part::text(text.up_to(usize::MAX)),
            Place::Text(end) => Part::text(text.up_to(end)),
            Place::Thought(end) => Part { thought: true, ..Part::text(thoughts.up_to(end)) },
            Place::Call(_) => match calls.next() {
                Some((call, id)) => called(call, id),
                None => continue,
            },
        };
        // Thoughts without a signature are only a summary for people.
        let is_nothing = part.thought || part.text == Some("");
        if signature.is_some() || !is_nothing {
            parts.push(Part { thought_signature: signature, ..part });
        }
    }
    for (call, id) in calls {
        parts.push(called(call, id));
    }
}

fn called<'m>(call: &'m ToolRequest, id: &Option<String>) -> Part<'m> {
    let args = object_value(&call.arguments);
    Part { function_call: Some(FunctionCall { id: id.clone(), name: &call.tool_id, args }), ..Part::default() }
}

/// A text of which a beginning has been written.
struct Rest<'m> {
    text: &'m str,
    written: usize,
}

impl<'m> Rest<'m> {
    fn of(text: &'m str) -> Self {
        Self { text, written: 0 }
    }

    /// Returns the text from the end of the last piece up to the end of the character there.
    fn up_to(&mut self, end: usize) -> &'m str {
        let end = self.text.ceil_char_boundary(end).max(self.written);
        let piece = &self.text[self.written..end];
        self.written = end;
        piece
    }
}

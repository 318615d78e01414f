//! The conversation as Gemini wants it: what the model said, and what everybody else did.

use super::generation::Generation;
use super::kept_parts::kept_parts;
use super::said::Said;
use super::wire::{Blob, Content, FunctionResponse, Part, Role};
use crate::image_data::{Images, base64_of};
use crate::json_parts::to_json;
use arki_domain::{Error, Message};
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
            writer.parts_of(message, &mut parts)?;
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
    fn parts_of<'m>(&mut self, message: &'m Message, parts: &mut Vec<Part<'m>>) -> Result<(), Error> {
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
            Message::Assistant { content, thoughts, reasoning } => {
                self.said(&Said { content, thoughts, reasoning, calls: &[] }, parts)?;
            }
            Message::ToolRequest { content, thoughts, reasoning, calls } => {
                self.said(&Said { content, thoughts, reasoning, calls }, parts)?;
            }
            Message::ToolResult { tool_id, content, is_error, .. } => {
                let id = self.call_ids.next().flatten();
                parts.push(Part {
                    function_response: Some(FunctionResponse::new(id, tool_id, content, *is_error)),
                    ..Part::default()
                });
            }
        }
        Ok(())
    }

    fn said<'m>(&mut self, said: &Said<'m>, parts: &mut Vec<Part<'m>>) -> Result<(), Error> {
        let kept = kept_parts(said.reasoning.as_ref(), self.origin);
        let call_ids = said.call_ids(&kept);
        said.write(kept, &call_ids, parts)?;
        self.call_ids = call_ids.into_iter();
        Ok(())
    }
}

/// Signs the first call only: of calls made together, no other has a signature.
fn sign_first_call(parts: &mut [Part<'_>]) {
    if let Some(first) = parts.iter_mut().find(|part| part.function_call.is_some()) {
        first.thought_signature.get_or_insert_with(|| NO_SIGNATURE.to_owned());
    }
}

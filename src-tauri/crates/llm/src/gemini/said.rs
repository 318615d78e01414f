//! One answer of the model, in the parts in which it came.

use super::kept_parts::{KeptPart, Place};
use super::wire::{FunctionCall, Part};
use crate::tool_arguments::object_text;
use arki_domain::{Error, Reasoning, ToolRequest};
use serde_json::value::RawValue;

pub(super) struct Said<'m> {
    pub(super) content: &'m str,
    pub(super) thoughts: &'m Option<String>,
    pub(super) reasoning: &'m Option<Reasoning>,
    pub(super) calls: &'m [ToolRequest],
}

impl<'m> Said<'m> {
    /// The vendor's, one for each call.
    pub(super) fn call_ids(&self, kept: &[KeptPart]) -> Vec<Option<String>> {
        let ids = kept.iter().filter(|part| matches!(part.place, Place::Call(_))).map(|part| part.id.clone());
        ids.chain(std::iter::repeat(None)).take(self.calls.len()).collect()
    }

    /// Writes the parts in the order they came in where that is known, else the text and then the calls. All of the
    /// text and every call is there once, whatever was kept: what is stored may differ from what came, as keys are
    /// taken out of it.
    pub(super) fn write(
        &self,
        kept: Vec<KeptPart>,
        call_ids: &[Option<String>],
        parts: &mut Vec<Part<'m>>,
    ) -> Result<(), Error> {
        let mut text = Rest::of(self.content);
        let mut thoughts = Rest::of(self.thoughts.as_deref().unwrap_or_default());
        let mut calls = self.calls.iter().zip(call_ids);
        let last_text = kept.iter().rposition(|part| matches!(part.place, Place::Text(_)));
        if last_text.is_none() && !self.content.is_empty() {
            parts.push(Part::text(self.content));
        }
        for (index, KeptPart { place, signature, .. }) in kept.into_iter().enumerate() {
            let part = match place {
                Place::Text(_) if last_text == Some(index) => Part::text(text.up_to(usize::MAX)),
                Place::Text(end) => Part::text(text.up_to(end)),
                Place::Thought(end) => Part { thought: true, ..Part::text(thoughts.up_to(end)) },
                Place::Call(_) => match calls.next() {
                    Some((call, id)) => called(call, id)?,
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
            parts.push(called(call, id)?);
        }
        Ok(())
    }
}

fn called<'m>(call: &'m ToolRequest, id: &Option<String>) -> Result<Part<'m>, Error> {
    let args = RawValue::from_string(object_text(&call.arguments).into_owned()).map_err(Error::internal)?;
    Ok(Part { function_call: Some(FunctionCall { id: id.clone(), name: &call.tool_id, args }), ..Part::default() })
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

//! Parts of messages that a provider refuses (`context.dropped`): a note stands in the place of a picture or a result, and
//! reasoning is left out. It stays so, whatever the user goes back on: the provider would refuse the part again.

use super::Transcript;
use super::entry::TranscriptEntry;
use super::messages::TranscriptMessages;
use crate::{ContextDropped, EventId, Message, PartKind};
use std::sync::Arc;

const NO_PICTURE: &str = "[A picture was left out here: the model's provider refused it.]";
const NO_RESULT: &str = "[This result was left out: the model's provider refused it. The call itself was made.]";
const REASONING: &str = "reasoning";
const IMAGE: &str = "image:";
const TOOL: &str = "tool:";

/// A part of the conversation that can be left out: never the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusablePart {
    pub event_id: EventId,
    /// The part's name, as in `context.dropped`.
    pub part: String,
    /// The number of its message among those that are shown.
    pub message: usize,
}

impl RefusablePart {
    #[must_use]
    pub fn is_image(&self) -> bool {
        self.part.starts_with(IMAGE)
    }

    #[must_use]
    pub fn is_reasoning(&self) -> bool {
        self.part == REASONING
    }

    #[must_use]
    pub fn is_result(&self) -> bool {
        !self.is_image() && !self.is_reasoning()
    }
}

/// The part that a tool is, as in `context.dropped`.
#[must_use]
pub fn tool_part(name: &str) -> String {
    format!("{TOOL}{name}")
}

impl ContextDropped {
    /// The tool that it leaves out, if it is one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.part.strip_prefix(TOOL)
    }

    /// Returns a sentence for people about what happened.
    #[must_use]
    pub fn words(&self) -> String {
        let what = match self.tool() {
            Some(tool) => format!("The tool {tool}"),
            None if self.part.starts_with(IMAGE) => "A picture".to_owned(),
            None if self.part == REASONING => "The model's earlier reasoning".to_owned(),
            None => "A tool's result".to_owned(),
        };
        match self.restored {
            true => format!("{what} is part of requests again: leaving it out didn't help."),
            false => format!("{what} is left out of requests from here on. {}", self.reason),
        }
    }
}

impl Transcript {
    /// The parts that can be left out, oldest first.
    #[must_use]
    pub fn refusable_parts(&mut self) -> Vec<RefusablePart> {
        self.settle();
        let mut found = Vec::new();
        for (message, entry) in self.messages.shown_entries().enumerate() {
            let Some(event_id) = &entry.event_id else { continue };
            let mut add = |part| found.push(RefusablePart { event_id: event_id.clone(), part, message });
            match &*entry.message {
                Message::User { images, .. } => {
                    images.iter().for_each(|image| add(format!("{IMAGE}{}", image.content_hash)));
                }
                Message::ToolResult { call_id, .. } if entry.unrefused.is_none() => {
                    add(PartKind::Result.id(call_id.as_str()))
                }
                Message::Assistant { reasoning: Some(_), .. } | Message::ToolRequest { reasoning: Some(_), .. } => {
                    add(REASONING.to_owned());
                }
                _ => {}
            }
        }
        found
    }

    /// The event of the last run's prompt.
    #[must_use]
    pub fn prompt_event(&self) -> Option<EventId> {
        let place = self.messages.place(self.prompt.seq);
        self.messages.entries.iter().rfind(|entry| entry.place == place)?.event_id.clone()
    }
}

impl TranscriptMessages {
    pub(super) fn leave_out(&mut self, dropped: &ContextDropped) {
        let last = self.entries.iter().rposition(|entry| entry.event_id.as_ref() == Some(&dropped.event_id));
        let Some(last) = last else { return };
        // An invalid key or another account makes all of the reasoning invalid.
        let first = if dropped.part == REASONING { 0 } else { last };
        for entry in &mut self.entries[first..=last] {
            let changed = match dropped.restored {
                true => entry.unrefused.take(),
                false => without(entry, &dropped.part),
            };
            let Some(changed) = changed else { continue };
            let before = std::mem::replace(&mut entry.whole, changed);
            if !dropped.restored {
                entry.unrefused.get_or_insert(before);
            }
            entry.show_anew();
        }
        self.show_anew();
    }
}

fn without(entry: &TranscriptEntry, part: &str) -> Option<Arc<Message>> {
    let mut message = Message::clone(&entry.whole);
    match &mut message {
        Message::User { content, images } => {
            let hash = part.strip_prefix(IMAGE)?;
            images.retain(|image| image.content_hash != hash);
            *content = format!("{content}\n{NO_PICTURE}");
        }
        Message::ToolResult { call_id, content, .. } if *part == PartKind::Result.id(call_id.as_str()) => {
            NO_RESULT.clone_into(content);
        }
        Message::Assistant { reasoning, .. } | Message::ToolRequest { reasoning, .. } if part == REASONING => {
            reasoning.take()?;
        }
        _ => return None,
    }
    Some(Arc::new(message))
}

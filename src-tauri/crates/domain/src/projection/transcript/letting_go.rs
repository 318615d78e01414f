//! A run needs little of what compactions took out of its conversation, and the log has all of it: what the model and
//! tools said is let go of, so that a run takes as much memory in its last hour as in its first. The user's own words
//! stay, since each compaction tells them.

use super::Transcript;
use super::entry::{MessageKind, ShownAs, TranscriptEntry};
use super::messages::TranscriptMessages;
use crate::{Message, ToolRequest};
use std::sync::Arc;

/// The bytes that are kept of a result that a note stands for: more than a summary is made from.
const MAX_SAVED_RESULT_BYTES: usize = 8192;

/// The text of a result: here, or in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedText<'a> {
    Here(&'a str),
    /// The number of the session's event that has it.
    InLog(u64),
}

impl Transcript {
    /// One that lets go of what compactions leave out. It holds only for a session that isn't a fork, and as long as it
    /// doesn't lack a text.
    #[must_use]
    pub fn letting_go() -> Self {
        Self { lets_go: true, ..Self::default() }
    }

    /// Returns whether a message is shown without its text: going back has brought it back. The log has to be read
    /// again, into a transcript that keeps all.
    #[must_use]
    pub fn lacks_text(&self) -> bool {
        self.lacks_text
    }

    pub(super) fn let_go(&mut self) {
        if !self.lets_go {
            return;
        }
        let results_off = &self.switched_off.results;
        let is_off = |entry: &TranscriptEntry| match &*entry.whole {
            // The user may switch it on again.
            Message::ToolResult { call_id, .. } => results_off.contains(call_id),
            _ => false,
        };
        self.messages.entries.iter_mut().filter(|entry| !is_off(entry)).for_each(TranscriptEntry::let_go);
    }
}

impl TranscriptMessages {
    pub(super) fn saved_text<'a>(&self, entry: &TranscriptEntry, content: &'a str) -> SavedText<'a> {
        match entry.is_let_go {
            true => SavedText::InLog(entry.place - self.events_before),
            false => SavedText::Here(content),
        }
    }
}

impl TranscriptEntry {
    fn let_go(&mut self) {
        let light = match (self.shown_as(), &self.kind) {
            // They were told by a tool or a model, though they are shown as from the user.
            (ShownAs::LeftOut, MessageKind::LateResult | MessageKind::Summary) if !is_empty(&self.whole) => {
                Some(Message::user(String::new()))
            }
            (ShownAs::LeftOut, MessageKind::Said) if !is_empty(&self.whole) => without_texts(&self.whole),
            (ShownAs::StandIn, _) => cut(&self.whole),
            _ => None,
        };
        let Some(light) = light else { return };
        self.whole = Arc::new(light);
        self.is_let_go = true;
        if !self.is_shown() {
            self.message = self.whole.clone();
        }
    }
}

/// Returns whether there is nothing left to let go of.
fn is_empty(message: &Message) -> bool {
    match message {
        Message::System { content } | Message::User { content, .. } => content.is_empty(),
        Message::Assistant { content, thoughts, reasoning } => {
            content.is_empty() && thoughts.is_none() && reasoning.is_none()
        }
        Message::ToolRequest { content, thoughts, reasoning, calls } => {
            let is_bare = content.is_empty() && thoughts.is_none() && reasoning.is_none();
            is_bare && calls.iter().all(|call| call.arguments.is_empty())
        }
        Message::ToolResult { content, .. } => content.is_empty(),
    }
}

fn without_texts(message: &Message) -> Option<Message> {
    let (content, thoughts, reasoning) = (String::new(), None, None);
    match message {
        Message::Assistant { .. } => Some(Message::Assistant { content, thoughts, reasoning }),
        Message::ToolRequest { calls, .. } => {
            let calls = calls.iter().map(|call| ToolRequest { arguments: String::new(), ..call.clone() }).collect();
            Some(Message::ToolRequest { content, thoughts, reasoning, calls })
        }
        Message::ToolResult { call_id, tool_id, is_error, .. } => {
            let (call_id, tool_id) = (call_id.clone(), tool_id.clone());
            Some(Message::ToolResult { call_id, tool_id, content, is_error: *is_error })
        }
        Message::System { .. } | Message::User { .. } => None,
    }
}

fn cut(message: &Message) -> Option<Message> {
    let Message::ToolResult { call_id, tool_id, content, is_error } = message else { return None };
    (content.len() > MAX_SAVED_RESULT_BYTES).then(|| Message::ToolResult {
        call_id: call_id.clone(),
        tool_id: tool_id.clone(),
        content: content[..content.floor_char_boundary(MAX_SAVED_RESULT_BYTES)].to_owned(),
        is_error: *is_error,
    })
}

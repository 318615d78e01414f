//! The effect of a compaction on the conversation.

use super::Transcript;
use super::entry::{MessageKind, ShownAs, TranscriptEntry};
use crate::{CallId, ContextCompacted, MENTION_PART, Message, PICTURE_PART};
use std::collections::HashSet;

impl Transcript {
    /// Leaves out what the event says, shows notes for results, and puts the summary before what is left. A result goes
    /// with its call, wherever the range ends, and a call without one stays.
    pub(super) fn compact(&mut self, seq: u64, compacted: ContextCompacted) {
        self.close_turn();
        let pruned: HashSet<&CallId> = compacted.pruned_calls.iter().collect();
        self.switched_off.results.retain(|call_id| !pruned.contains(call_id));
        let superseded =
            if compacted.dropped_seq_range.is_some() { superseded(&self.messages.entries) } else { HashSet::new() };
        let waiting: HashSet<CallId> = self.unanswered.iter().map(|call| call.call_id.clone()).collect();
        let mut left_out: HashSet<CallId> = HashSet::new();
        for (at, entry) in self.messages.entries.iter_mut().enumerate().filter(|(_, entry)| entry.may_go()) {
            let goes = match (&entry.kind, &*entry.whole) {
                (MessageKind::Summary, _) => compacted.dropped_seq_range.is_some(),
                // What was mentioned or looked at goes with the words around it.
                (MessageKind::Added { part, .. }, _) if [MENTION_PART, PICTURE_PART].contains(&part.as_str()) => {
                    compacted.drops(entry.place)
                }
                (MessageKind::Added { .. }, _) => superseded.contains(&at),
                (MessageKind::Said, Message::ToolResult { call_id, .. }) => left_out.contains(call_id),
                (MessageKind::Said, Message::ToolRequest { calls, .. }) => {
                    compacted.drops(entry.place) && !calls.iter().any(|call| waiting.contains(&call.call_id))
                }
                (MessageKind::Said | MessageKind::LateResult, _) => compacted.drops(entry.place),
            };
            if goes {
                if let Message::ToolRequest { calls, .. } = &*entry.whole {
                    left_out.extend(calls.iter().map(|call| call.call_id.clone()));
                }
                entry.show_as(seq, ShownAs::LeftOut);
            } else if is_result_of(&entry.whole, &pruned) {
                entry.show_as(seq, ShownAs::StandIn);
            }
        }
        if !compacted.summary.is_empty() {
            let first_shown =
                self.messages.entries.iter().position(TranscriptEntry::is_shown).unwrap_or(self.messages.entries.len());
            let entry =
                TranscriptEntry::new(self.messages.place(seq), seq, Vec::new(), Message::user(compacted.summary));
            self.messages.entries.insert(first_shown, entry.of_kind(MessageKind::Summary));
        }
        self.let_go();
        self.messages.show_anew();
    }
}

/// Returns where something was added that came again later.
fn superseded(entries: &[TranscriptEntry]) -> HashSet<usize> {
    let mut known = HashSet::new();
    let added = entries.iter().enumerate().rev().filter(|(_, entry)| entry.is_shown());
    let added = added.filter(|(_, entry)| matches!(entry.kind, MessageKind::Added { .. }));
    added.filter(|(_, entry)| !known.insert(entry.kind.clone())).map(|(at, _)| at).collect()
}

fn is_result_of(message: &Message, calls: &HashSet<&CallId>) -> bool {
    matches!(message, Message::ToolResult { call_id, .. } if calls.contains(call_id))
}

//! The messages of the conversation, those that don't count any more included, and which of them are shown.

use super::entry::{MessageKind, TranscriptEntry};
use crate::{CallId, EventId, Message};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub(super) struct TranscriptMessages {
    pub(super) entries: Vec<TranscriptEntry>,
    /// Events of the session's origins that it took over: the numbers of places go on from there.
    pub(super) events_before: u64,
    /// The messages of those that are shown.
    pub(super) shown: Arc<Vec<Arc<Message>>>,
    /// The event that is applied.
    pub(super) event_id: Option<EventId>,
}

#[derive(Debug, Clone)]
pub(super) struct CallWithoutResult {
    pub(super) seq: u64,
    pub(super) call_id: CallId,
    pub(super) tool_id: String,
}

impl TranscriptMessages {
    pub(super) fn push(&mut self, seq: u64, message: Message) {
        let event_id = self.event_id.clone();
        self.add(TranscriptEntry::new(self.place(seq), seq, Vec::new(), message).of_event(event_id));
    }

    /// Adds a message that no provider's refusal takes apart.
    pub(super) fn push_of_kind(&mut self, seq: u64, kind: MessageKind, message: Message) {
        self.add(TranscriptEntry::new(self.place(seq), seq, Vec::new(), message).of_kind(kind));
    }

    pub(super) fn place(&self, seq: u64) -> u64 {
        self.events_before + seq
    }

    pub(super) fn add(&mut self, entry: TranscriptEntry) {
        // In place where the last request has been let go of.
        Arc::make_mut(&mut self.shown).push(entry.message.clone());
        self.entries.push(entry);
    }

    pub(super) fn show_anew(&mut self) {
        self.shown = Arc::new(self.shown_entries().map(|entry| entry.message.clone()).collect());
    }

    pub(super) fn counting(&self) -> impl DoubleEndedIterator<Item = &TranscriptEntry> {
        self.entries.iter().filter(|entry| entry.counts())
    }

    pub(super) fn shown_entries(&self) -> impl DoubleEndedIterator<Item = &TranscriptEntry> {
        self.entries.iter().filter(|entry| entry.is_shown())
    }

    pub(super) fn inherit(&mut self, from_seq: u64) {
        self.events_before += from_seq;
        self.entries = self.counting().map(TranscriptEntry::inherited).collect();
        self.show_anew();
    }

    pub(super) fn rewind(&mut self, seq: u64, to_seq: u64) {
        self.entries.iter_mut().for_each(|entry| entry.rewind(seq, to_seq));
        self.show_anew();
    }

    /// The calls of the last request that have no result: only they can be cut off from theirs.
    pub(super) fn unanswered_calls(&self) -> Vec<CallWithoutResult> {
        let mut answered: HashSet<&CallId> = HashSet::new();
        for entry in self.counting().rev() {
            match &*entry.message {
                Message::ToolResult { call_id, .. } => _ = answered.insert(call_id),
                Message::ToolRequest { calls, .. } => {
                    let calls = calls.iter().zip(&entry.call_seqs);
                    let unanswered = calls.filter(|(call, _)| !answered.contains(&call.call_id));
                    let unanswered = unanswered.map(|(call, seq)| CallWithoutResult {
                        seq: *seq,
                        call_id: call.call_id.clone(),
                        tool_id: call.tool_id.clone(),
                    });
                    return unanswered.collect();
                }
                _ => {}
            }
        }
        Vec::new()
    }
}

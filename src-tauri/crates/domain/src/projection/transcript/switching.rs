//! The parts of the conversation that the user switched off, until they are on again: notes stand for results, and
//! context that came late is left out.

use super::entry::{ShownAs, TranscriptEntry};
use super::messages::TranscriptMessages;
use crate::{CallId, Message, results_off};
use std::collections::HashSet;

#[derive(Debug, Clone, Default)]
pub(super) struct SwitchedOffParts {
    /// Results that notes stand for because the user switched them off.
    pub(super) results: HashSet<CallId>,
    /// True if something may be switched off.
    pub(super) may_be: bool,
}

impl SwitchedOffParts {
    pub(super) fn switch(&mut self, messages: &mut TranscriptMessages, seq: u64, off: &[String]) {
        self.may_be = !off.is_empty();
        self.switch_results(&mut messages.entries, seq, off);
        switch_late_context(&mut messages.entries, seq, off);
        messages.show_anew();
    }

    fn switch_results(&mut self, entries: &mut [TranscriptEntry], seq: u64, off: &[String]) {
        let off: HashSet<CallId> = results_off(off).collect();
        for entry in entries.iter_mut().filter(|entry| entry.is_shown()) {
            let Some(call_id) = result_of(entry) else { continue };
            match entry.shown_as() {
                ShownAs::Whole if off.contains(&call_id) => {
                    entry.show_as(seq, ShownAs::StandIn);
                    self.results.insert(call_id);
                }
                // A compaction may have taken it out as well.
                ShownAs::StandIn if !off.contains(&call_id) && self.results.remove(&call_id) => {
                    entry.show_as(seq, ShownAs::Whole);
                }
                ShownAs::Whole | ShownAs::StandIn | ShownAs::LeftOut | ShownAs::SwitchedOff => {}
            }
        }
        self.results.retain(|call_id| off.contains(call_id));
    }
}

fn switch_late_context(entries: &mut [TranscriptEntry], seq: u64, off: &[String]) {
    for entry in entries.iter_mut().filter(|entry| entry.may_go()) {
        let Some(id) = entry.late_part_id() else { continue };
        match (entry.shown_as(), off.contains(&id)) {
            (ShownAs::Whole, true) => entry.show_as(seq, ShownAs::SwitchedOff),
            (ShownAs::SwitchedOff, false) => entry.show_as(seq, ShownAs::Whole),
            _ => {}
        }
    }
}

fn result_of(entry: &TranscriptEntry) -> Option<CallId> {
    match &*entry.whole {
        Message::ToolResult { call_id, .. } => Some(call_id.clone()),
        _ => None,
    }
}

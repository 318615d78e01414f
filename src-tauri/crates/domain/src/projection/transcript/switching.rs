//! The parts of the conversation that the user switched off, until they are on again: notes stand for results, and
//! context that came late is left out.

use super::Transcript;
use super::entry::{ShownAs, TranscriptEntry};
use crate::{CallId, Message, results_off};
use std::collections::HashSet;

impl Transcript {
    /// Takes these parts out of what is shown, and shows those again that were off before and aren't any more. `seq` is
    /// the event since which it counts: a run's first.
    pub fn switch_parts(&mut self, seq: u64, off: &[String]) {
        if off.is_empty() && !self.has_parts_off {
            return;
        }
        self.has_parts_off = !off.is_empty();
        self.settle();
        self.switch_results(seq, off);
        self.switch_late_context(seq, off);
        self.show_anew();
    }

    fn switch_results(&mut self, seq: u64, off: &[String]) {
        let off: HashSet<CallId> = results_off(off).collect();
        for entry in self.entries.iter_mut().filter(|entry| entry.is_shown()) {
            let Some(call_id) = result_of(entry) else { continue };
            match entry.shown_as() {
                ShownAs::Whole if off.contains(&call_id) => {
                    entry.show_as(seq, ShownAs::StandIn);
                    self.results_off.insert(call_id);
                }
                // A compaction may have taken it out as well.
                ShownAs::StandIn if !off.contains(&call_id) && self.results_off.remove(&call_id) => {
                    entry.show_as(seq, ShownAs::Whole);
                }
                ShownAs::Whole | ShownAs::StandIn | ShownAs::LeftOut | ShownAs::SwitchedOff => {}
            }
        }
        self.results_off.retain(|call_id| off.contains(call_id));
    }

    fn switch_late_context(&mut self, seq: u64, off: &[String]) {
        for entry in self.entries.iter_mut().filter(|entry| entry.may_go()) {
            let Some(id) = entry.late_part_id() else { continue };
            match (entry.shown_as(), off.contains(&id)) {
                (ShownAs::Whole, true) => entry.show_as(seq, ShownAs::SwitchedOff),
                (ShownAs::SwitchedOff, false) => entry.show_as(seq, ShownAs::Whole),
                _ => {}
            }
        }
    }
}

fn result_of(entry: &TranscriptEntry) -> Option<CallId> {
    match &*entry.whole {
        Message::ToolResult { call_id, .. } => Some(call_id.clone()),
        _ => None,
    }
}

//! Results that the user switched off: notes stand for them until they are on again.

use super::Transcript;
use super::entry::{Entry, ShownAs};
use crate::{CallId, Message, results_off};
use std::collections::HashSet;

impl Transcript {
    /// Shows notes for the results among these parts, and those again that were off before and aren't any more. `seq` is
    /// the event since which it counts: a run's first.
    pub fn switch_results(&mut self, seq: u64, off: &[String]) {
        let off: HashSet<CallId> = results_off(off).collect();
        if off.is_empty() && self.results_off.is_empty() {
            return;
        }
        self.settle();
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
                ShownAs::Whole | ShownAs::StandIn | ShownAs::LeftOut => {}
            }
        }
        self.results_off.retain(|call_id| off.contains(call_id));
        self.show_anew();
    }
}

fn result_of(entry: &Entry) -> Option<CallId> {
    match &*entry.whole {
        Message::ToolResult { call_id, .. } => Some(call_id.clone()),
        _ => None,
    }
}

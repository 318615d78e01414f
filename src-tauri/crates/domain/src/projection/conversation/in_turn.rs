//! The calls of a run that are at work. They are carried out in the order in which the model asked for them; only reads
//! go together, and sub-agents that have begun. The log doesn't tell when a read begins, so this follows the engine's own
//! rule (`RunHost::row` in the crate `agent`).

use super::{CallItem, CallState, Conversation, ItemPart};
use crate::projection::READ_RESULT_TOOL;

impl Conversation {
    /// Says of each call without a result whether it is at work or waits for its turn.
    pub(super) fn set_turns(&mut self) {
        let waiting: Vec<(usize, CallState)> = {
            let held: Vec<(usize, &CallItem)> =
                self.pending.iter().filter_map(|id| self.held.placed_call(id)).collect();
            let calls: Vec<&CallItem> = held.iter().map(|(_, call)| *call).collect();
            let states = states_in_turn(&calls, self.standing.rests());
            let changed = held.iter().zip(states).filter(|((_, call), state)| call.state != *state);
            changed.map(|((place, _), state)| (*place, state)).collect()
        };
        for (place, state) in waiting {
            self.held.patch(place, ItemPart::State, |call| call.state = state);
        }
    }
}

/// The states of calls that have no result yet, oldest first. `rests`: the run is paused, so none of them begins.
fn states_in_turn(calls: &[&CallItem], rests: bool) -> Vec<CallState> {
    let asks_user = calls.iter().any(|call| call.state == CallState::Waiting);
    let (mut is_next, mut reads_together) = (true, true);
    let state = |call: &&CallItem| {
        // What reads another call's result is carried out alone.
        let is_read = call.only_reads() && call.tool_id != READ_RESULT_TOOL;
        let may_begin = !rests && !asks_user && (is_next || (reads_together && is_read));
        is_next = false;
        reads_together &= is_read;
        match call.state {
            CallState::Running | CallState::Queued if may_begin || call.subagent.is_some() => CallState::Running,
            CallState::Running | CallState::Queued => CallState::Queued,
            state => state,
        }
    };
    calls.iter().map(state).collect()
}

//! Finds the results that notes can stand in for.

use super::units::CompactionUnit;
use crate::CountTokens;
use arki_domain::projection::{ShownAs, stand_in};
use arki_domain::{CallId, Message};
use std::collections::HashMap;

/// A smaller saving isn't worth that the model has to ask again.
const MIN_SAVED_BY_ONE: u64 = 50;

/// A result, and the tokens that a note in its place would save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prunable {
    pub(super) call_id: CallId,
    pub(super) saves: u64,
    /// Index of its unit.
    pub(super) unit: usize,
}

/// The results before the newest `protected` tokens of results, oldest first.
pub(super) fn prunable(units: &[CompactionUnit<'_>], protected: u64, tokens: &dyn CountTokens) -> Vec<Prunable> {
    let mut newest = 0;
    let mut found = Vec::new();
    for (at, unit) in units.iter().enumerate().rev() {
        for message in unit.messages.iter().rev() {
            let Some((call_id, content)) = whole_result(message) else { continue };
            let size = tokens.message(message.message);
            newest += size;
            let saves = size.saturating_sub(note_tokens(message.message, call_id, content, tokens));
            if newest > protected && saves >= MIN_SAVED_BY_ONE {
                found.push(Prunable { call_id: call_id.clone(), saves, unit: at });
            }
        }
    }
    found.reverse();
    found
}

/// Makes the units as short as they are once these are pruned.
pub(super) fn shorten(units: &mut [CompactionUnit<'_>], pruned: &[Prunable]) {
    let mut saved: HashMap<usize, u64> = HashMap::new();
    for one in pruned {
        *saved.entry(one.unit).or_default() += one.saves;
    }
    for (at, saves) in saved {
        units[at].tokens = units[at].tokens.saturating_sub(saves);
    }
}

fn whole_result<'a>(message: &arki_domain::projection::ConversationMessage<'a>) -> Option<(&'a CallId, &'a str)> {
    match &**message.message {
        Message::ToolResult { call_id, content, .. } if message.shown_as == ShownAs::Whole => Some((call_id, content)),
        _ => None,
    }
}

fn note_tokens(result: &Message, call_id: &CallId, content: &str, tokens: &dyn CountTokens) -> u64 {
    let Message::ToolResult { tool_id, is_error, .. } = result else { return 0 };
    let (call_id, tool_id, content) = (call_id.clone(), tool_id.clone(), stand_in(call_id, content));
    let note = Message::ToolResult { call_id, tool_id, content, is_error: *is_error };
    tokens.message(&note)
}

//! Units of messages that are dropped or kept together, a call with its results and messages of one event; and the results
//! in them that notes can stand in for.

use crate::CountTokens;
use arki_domain::projection::{ConversationMessage, MessageKind, ShownAs, stand_in};
use arki_domain::{CallId, MENTION_PART, Message, PICTURE_PART};
use std::collections::HashMap;

/// Tools whose calls say what was done, not only what was seen.
const ACTING_TOOLS: &[&str] =
    &["apply_patch", "delete_file", "edit_file", "emit_artifact", "run_command", "update_plan", "write_file"];

/// The importance of a unit for what the work is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Importance {
    Looked,
    Said,
    Acted,
    Asked,
}

#[derive(Debug, Clone)]
pub(super) struct CompactionUnit<'a> {
    pub(super) place: u64,
    pub(super) messages: Vec<ConversationMessage<'a>>,
    /// The tokens of the unit as it is shown now.
    pub(super) tokens: u64,
    pub(super) importance: Importance,
}

/// The shown conversation, sorted by what may be dropped.
pub(super) struct Units<'a> {
    pub(super) units: Vec<CompactionUnit<'a>>,
    /// The summaries of earlier compactions.
    pub(super) summaries: Vec<ConversationMessage<'a>>,
    pub(super) summary_tokens: u64,
    /// The tokens that stay whatever happens.
    pub(super) added_tokens: u64,
}

impl<'a> Units<'a> {
    pub(super) fn of(conversation: &'a [ConversationMessage<'a>], tokens: &dyn CountTokens) -> Self {
        let mut all = Self { units: Vec::new(), summaries: Vec::new(), summary_tokens: 0, added_tokens: 0 };
        let mut unit_of_call: HashMap<&CallId, usize> = HashMap::new();
        for message in conversation.iter().filter(|message| message.shown_as.is_shown()) {
            let size = tokens.message(message.message);
            match message.kind {
                MessageKind::Summary => {
                    all.summaries.push(*message);
                    all.summary_tokens += size;
                }
                MessageKind::Added { part, .. } if ![MENTION_PART, PICTURE_PART].contains(&part.as_str()) => {
                    all.added_tokens += size;
                }
                MessageKind::Added { .. } | MessageKind::Said | MessageKind::LateResult => {
                    let at = all.unit_for(message, &unit_of_call);
                    if let Message::ToolRequest { calls, .. } = &**message.whole {
                        unit_of_call.extend(calls.iter().map(|call| (&call.call_id, at)));
                    }
                    let unit = &mut all.units[at];
                    unit.tokens += size;
                    unit.importance = unit.importance.max(importance(message));
                    unit.messages.push(*message);
                }
            }
        }
        all
    }

    /// Returns the unit that the message belongs to, a new one if there is none.
    fn unit_for(&mut self, message: &ConversationMessage<'a>, unit_of_call: &HashMap<&CallId, usize>) -> usize {
        if let Message::ToolResult { call_id, .. } = &**message.whole
            && let Some(at) = unit_of_call.get(call_id)
        {
            return *at;
        }
        let is_same_event = self.units.last().is_some_and(|last| last.place == message.place);
        if !is_same_event {
            let (place, messages) = (message.place, Vec::new());
            self.units.push(CompactionUnit { place, messages, tokens: 0, importance: Importance::Looked });
        }
        self.units.len() - 1
    }

    pub(super) fn total(&self) -> u64 {
        self.summary_tokens + self.added_tokens + self.units.iter().map(|unit| unit.tokens).sum::<u64>()
    }

    /// The last one that the user asked in.
    pub(super) fn last_prompt(&self) -> Option<usize> {
        self.units.iter().rposition(|unit| unit.importance == Importance::Asked)
    }
}

fn importance(message: &ConversationMessage<'_>) -> Importance {
    match &**message.whole {
        Message::User { .. } if *message.kind == MessageKind::Said => Importance::Asked,
        Message::ToolRequest { calls, .. } if calls.iter().any(|call| ACTING_TOOLS.contains(&&*call.tool_id)) => {
            Importance::Acted
        }
        Message::Assistant { .. } | Message::User { .. } => Importance::Said,
        Message::System { .. } | Message::ToolRequest { .. } | Message::ToolResult { .. } => Importance::Looked,
    }
}

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

fn whole_result<'a>(message: &ConversationMessage<'a>) -> Option<(&'a CallId, &'a str)> {
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

//! The conversations that a window holds: each is folded on as its events come, so that a frame tells what changed.

use arki_api::{ConversationChange, HeldConversation, PlacedItem};
use arki_domain::projection::{Conversation, ConversationItem, ItemBody};
use arki_domain::{Event, SessionId};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The largest number of conversations held at a time; of more, the one held first is let go.
const MAX_HELD: usize = 8;
/// A text of at least this many bytes is left out of a change: it is in the event.
const LONG_TEXT_BYTES: usize = 4 << 10;

/// The conversations of one window.
#[derive(Default)]
pub struct HeldConversations(Mutex<HeldList>);

#[derive(Default)]
struct HeldList {
    all: Vec<FollowedConversation>,
    /// The number of the hold that began last.
    last_hold: u64,
}

struct FollowedConversation {
    hold: u64,
    session_id: SessionId,
    stage: HoldStage,
}

enum HoldStage {
    /// The log is being read; what comes meanwhile waits.
    Reading(Vec<Arc<Event>>),
    Following(Box<Conversation>, u64),
}

impl HeldConversations {
    /// Begins to hold a session's conversation, in the place of the one before; to be called before its log is read, so
    /// that nothing is told between the two. Returns the number under which its changes are told.
    pub(crate) fn begin(&self, session_id: &SessionId) -> u64 {
        let mut list = self.list();
        list.all.retain(|held| held.session_id != *session_id);
        if list.all.len() == MAX_HELD {
            list.all.remove(0);
        }
        list.last_hold += 1;
        let hold = list.last_hold;
        list.all.push(FollowedConversation {
            hold,
            session_id: session_id.clone(),
            stage: HoldStage::Reading(Vec::new()),
        });
        hold
    }

    /// Holds what was read up to the log's end, and answers with the whole of it.
    pub(crate) fn follow(&self, hold: u64, mut conversation: Conversation, mut last_seq: u64) -> HeldConversation {
        let mut list = self.list();
        let held = list.all.iter_mut().find(|held| held.hold == hold);
        if let Some(FollowedConversation { stage: HoldStage::Reading(waiting), .. }) = &held {
            for event in waiting.iter().filter(|event| event.seq > last_seq) {
                conversation.apply(event, &event.body());
            }
            last_seq = waiting.last().map_or(last_seq, |event| event.seq.max(last_seq));
        }
        let told = HeldConversation { hold, ..whole(&conversation, last_seq) };
        if let Some(held) = held {
            held.stage = HoldStage::Following(Box::new(conversation), last_seq);
        }
        told
    }

    /// Lets go of a session's conversation.
    pub(crate) fn release(&self, session_id: &SessionId) {
        self.list().all.retain(|held| held.session_id != *session_id);
    }

    /// Takes in an event; returns what it changed of a held conversation.
    pub(crate) fn apply(&self, event: &Arc<Event>) -> Option<ConversationChange> {
        let mut list = self.list();
        let place = list.all.iter().position(|held| held.session_id == event.session_id)?;
        let held = &mut list.all[place];
        match &mut held.stage {
            HoldStage::Reading(waiting) => waiting.push(event.clone()),
            HoldStage::Following(_, last_seq) if event.seq <= *last_seq => {}
            HoldStage::Following(conversation, last_seq) if event.seq == *last_seq + 1 => {
                *last_seq = event.seq;
                return Some(change(held.hold, conversation, event));
            }
            // Some were lost: its window sees by the events that it has fallen behind, and holds it anew.
            HoldStage::Following(..) => drop(list.all.remove(place)),
        }
        None
    }

    fn list(&self) -> MutexGuard<'_, HeldList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn change(hold: u64, conversation: &mut Conversation, event: &Event) -> ConversationChange {
    let before = conversation.standing().clone();
    let changes = conversation.apply(event, &event.body());
    let places: BTreeSet<usize> = changes.into_iter().map(|change| change.place).collect();
    let items = places.into_iter().map(|place| placed(conversation, place, event.seq)).collect();
    let standing = (*conversation.standing() != before).then(|| conversation.standing().clone());
    let session_id = event.session_id.to_string();
    ConversationChange { session_id, hold, base_seq: event.seq - 1, last_seq: event.seq, items, standing }
}

fn placed(conversation: &Conversation, place: usize, seq: u64) -> PlacedItem {
    let mut item = conversation.item(place).and_then(ConversationItem::for_window);
    let mut text_of = None;
    if let Some(item) = &mut item
        && let ItemBody::Assistant(said) = &mut item.body
        && item.seq == seq
        && said.text.len() >= LONG_TEXT_BYTES
    {
        said.text.clear();
        text_of = Some(seq);
    }
    PlacedItem { place, item, text_of }
}

/// Adds a change to those of a frame, of which each hold has one.
pub(super) fn join(all: &mut Vec<ConversationChange>, change: ConversationChange) {
    let before = all.iter_mut().find(|one| one.hold == change.hold && one.last_seq == change.base_seq);
    let Some(before) = before else { return all.push(change) };
    before.last_seq = change.last_seq;
    before.standing = change.standing.or(before.standing.take());
    for placed in change.items {
        match before.items.iter_mut().find(|one| one.place == placed.place) {
            Some(one) => *one = placed,
            None => before.items.push(placed),
        }
    }
}

/// The conversation as it is told to whoever holds it from now on.
pub(crate) fn whole(conversation: &Conversation, last_seq: u64) -> HeldConversation {
    let shown = |(place, item): (usize, &ConversationItem)| {
        Some(PlacedItem { place, item: Some(item.for_window()?), text_of: None })
    };
    let items = conversation.placed().filter_map(shown).collect();
    HeldConversation { hold: 0, last_seq, items, standing: conversation.standing().clone() }
}

#[cfg(test)]
mod tests;

//! The conversations that a window holds: each is folded on as its events come, so that a frame tells what changed.

use arki_api::{ConversationChange, HeldConversation, PlacedItem};
use arki_domain::projection::{Conversation, ItemBody};
use arki_domain::{Event, SessionId};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The largest number of conversations held at a time; of more, the one held first is let go.
const MAX_HELD: usize = 8;
/// A text of at least this many bytes is left out of a change: it is in the event.
const LONG_TEXT_BYTES: usize = 4 << 10;

/// The conversations of one window.
#[derive(Default)]
pub struct HeldConversations(Mutex<Vec<FollowedConversation>>);

struct FollowedConversation {
    session_id: SessionId,
    conversation: Conversation,
    last_seq: u64,
}

impl HeldConversations {
    /// Holds a conversation that is folded up to the log's end, in the place of the session's one before.
    pub(crate) fn hold(&self, session_id: SessionId, conversation: Conversation, last_seq: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|held| held.session_id != session_id);
        if all.len() == MAX_HELD {
            all.remove(0);
        }
        all.push(FollowedConversation { session_id, conversation, last_seq });
    }

    /// Lets go of a session's conversation.
    pub(crate) fn release(&self, session_id: &SessionId) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|held| held.session_id != *session_id);
    }

    /// Takes in an event; returns what it changed of a held conversation.
    pub(crate) fn apply(&self, event: &Event) -> Option<ConversationChange> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|held| held.session_id == event.session_id)?;
        let held = &mut all[place];
        if event.seq <= held.last_seq {
            return None;
        }
        if event.seq == held.last_seq + 1 {
            return Some(held.apply(event));
        }
        // Some were told before it was held: its window sees by the numbers that it stands elsewhere.
        all.remove(place);
        let (base_seq, last_seq) = (event.seq - 1, event.seq);
        let session_id = event.session_id.to_string();
        Some(ConversationChange { session_id, base_seq, last_seq, items: Vec::new(), standing: None })
    }
}

impl FollowedConversation {
    fn apply(&mut self, event: &Event) -> ConversationChange {
        let (base_seq, before) = (self.last_seq, self.conversation.standing().clone());
        let changes = self.conversation.apply(event, &event.body());
        self.last_seq = event.seq;
        let places: BTreeSet<usize> = changes.into_iter().map(|change| change.place).collect();
        let items = places.into_iter().map(|place| self.placed(place, event.seq)).collect();
        let standing = self.conversation.standing();
        let standing = (*standing != before).then(|| standing.clone());
        let session_id = self.session_id.to_string();
        ConversationChange { session_id, base_seq, last_seq: event.seq, items, standing }
    }

    fn placed(&self, place: usize, seq: u64) -> PlacedItem {
        let mut item = self.conversation.item(place).and_then(|item| item.for_window());
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
}

/// Adds a change to those of a frame, of which each session has one.
pub(super) fn join(all: &mut Vec<ConversationChange>, change: ConversationChange) {
    let before = all.iter_mut().find(|one| one.session_id == change.session_id && one.last_seq == change.base_seq);
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
    let shown = |(place, item): (usize, &_)| {
        let item = arki_domain::projection::ConversationItem::for_window(item)?;
        Some(PlacedItem { place, item: Some(item), text_of: None })
    };
    let items = conversation.placed().filter_map(shown).collect();
    HeldConversation { last_seq, items, standing: conversation.standing().clone() }
}

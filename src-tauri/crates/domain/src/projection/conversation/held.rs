//! The items that are held, by their places, and what an event changes of them.

use super::{CallItem, ChangeStep, ConversationItem, ItemBody, ItemChange, ItemPart, Notice, NoticeItem, OtherItem};
use crate::{CallId, Event, EventBody};
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Debug, Default)]
pub(super) struct HeldItems {
    /// The places stay the same when others are let go of.
    pub(super) by_place: BTreeMap<usize, ConversationItem>,
    next_place: usize,
    /// The items before this place are let go of, but for calls.
    released: usize,
    calls: HashMap<CallId, usize>,
    /// The places of the calls of which something is still to come.
    pub(super) open: BTreeSet<usize>,
    pub(super) changes: Vec<ItemChange>,
}

impl HeldItems {
    pub(super) fn add(&mut self, event: &Event, body: ItemBody) -> usize {
        self.add_as(event.event_id.to_string(), event, body)
    }

    pub(super) fn add_as(&mut self, key: String, event: &Event, body: ItemBody) -> usize {
        let place = self.next_place;
        self.next_place += 1;
        self.by_place.insert(place, ConversationItem { key, seq: event.seq, ts: event.ts, taken_back: false, body });
        self.changes.push(ItemChange { place, step: ChangeStep::Completed, part: ItemPart::Whole });
        place
    }

    pub(super) fn add_call(&mut self, event: &Event, call: CallItem, part: ItemPart) -> usize {
        let call_id = call.call_id.clone();
        let place = self.add(event, ItemBody::Call(Box::new(call)));
        self.changes.pop();
        self.changes.push(ItemChange { place, step: ChangeStep::Started, part });
        self.open.insert(place);
        self.calls.insert(call_id, place);
        place
    }

    pub(super) fn notice(&mut self, event: &Event, notice: Notice) {
        self.add(event, ItemBody::Notice(NoticeItem { notice }));
    }

    pub(super) fn other(&mut self, event: &Event, body: impl Into<EventBody>) {
        self.add(event, ItemBody::Other(Box::new(OtherItem { event: body.into() })));
    }

    pub(super) fn placed_call(&self, call_id: &CallId) -> Option<(usize, &CallItem)> {
        let place = *self.calls.get(call_id)?;
        Some((place, self.by_place.get(&place)?.call()?))
    }

    /// The last item of what is said and done.
    pub(super) fn last_shown(&mut self) -> Option<(usize, &mut ConversationItem)> {
        self.by_place.iter_mut().rev().find(|(_, item)| item.is_shown()).map(|(place, item)| (*place, item))
    }

    /// Changes a call's item.
    pub(super) fn patch(&mut self, place: usize, part: ItemPart, change: impl FnOnce(&mut CallItem)) {
        let Some(ItemBody::Call(call)) = self.by_place.get_mut(&place).map(|item| &mut item.body) else { return };
        change(call);
        let is_open = call.state.is_open();
        let was_open = if is_open { !self.open.insert(place) } else { self.open.remove(&place) };
        let has_ended = !is_open && (was_open || part == ItemPart::Result);
        let step = if has_ended { ChangeStep::Completed } else { ChangeStep::Updated };
        self.changes.push(ItemChange { place, step, part });
    }

    pub(super) fn update(&mut self, place: usize, part: ItemPart) {
        self.changes.push(ItemChange { place, step: ChangeStep::Updated, part });
    }

    pub(super) fn clear(&mut self) {
        self.by_place.clear();
        self.calls.clear();
        self.open.clear();
    }

    /// Lets go of all that is not a call or an approval, but for the last, and of what completed calls are long for.
    pub(super) fn let_go(&mut self, drawn: &[ItemChange]) {
        let last = self.next_place.saturating_sub(1);
        for place in self.released..last {
            if self.by_place.get(&place).is_some_and(|item| item.call().is_none() && item.approval().is_none()) {
                self.by_place.remove(&place);
            }
        }
        self.released = last;
        for change in drawn {
            if let Some(ItemBody::Call(call)) = self.by_place.get_mut(&change.place).map(|item| &mut item.body)
                && !call.state.is_open()
            {
                call.shrink();
            }
        }
    }
}

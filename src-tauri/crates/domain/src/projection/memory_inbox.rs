//! The review inbox: what a session proposes to remember for good, and what the user made of it. Nothing of it is ever
//! put into a prompt; what was accepted is written into the files of memory.

use super::short_text::cut;
use super::working_memory::{MAX_REMEMBERED_BYTES, MAX_REMEMBERED_SOURCES};
use crate::{Event, EventBody, MemoryDecision, MemoryScope, Remembered};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Proposals that are kept. Of more, the oldest that were decided go first, then the oldest.
pub const MAX_INBOX_ENTRIES: usize = 500;

/// A fold over a session's own events: what its origins proposed is theirs to show.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryInbox {
    entries: VecDeque<InboxEntry>,
}

/// A memory that was proposed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboxEntry {
    pub id: String,
    /// The text as the user left it.
    pub text: String,
    pub scope: MemoryScope,
    pub based_on: Vec<String>,
    /// The event that proposed it.
    pub seq: u64,
    /// `None` while it waits.
    pub decision: Option<MemoryDecision>,
}

impl MemoryInbox {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::SessionForked(_) => self.entries.clear(),
            EventBody::MemoryObserved(observed) => self.propose(event.seq, &observed.observations),
            EventBody::MemoryReflected(reflected) => self.propose(event.seq, &reflected.reflections),
            EventBody::MemoryReviewed(reviewed) => {
                let entry = self.entries.iter_mut().find(|entry| entry.id == reviewed.id);
                if let Some(entry) = entry {
                    entry.decision = Some(reviewed.decision);
                    if let Some(text) = &reviewed.text {
                        entry.text = cut(text, MAX_REMEMBERED_BYTES).into_owned();
                    }
                }
            }
            // What was decided stands in files, and is not taken back with the conversation.
            EventBody::SessionRewound(rewound) if rewound.conversation => {
                self.entries.retain(|entry| entry.decision.is_some() || entry.seq <= rewound.to_seq);
            }
            _ => {}
        }
    }

    /// Oldest first.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &InboxEntry> {
        self.entries.iter()
    }

    /// Returns what waits for the user, oldest first.
    pub fn candidates(&self) -> impl Iterator<Item = &InboxEntry> {
        self.entries.iter().filter(|entry| entry.decision.is_none())
    }

    fn propose(&mut self, seq: u64, remembered: &[Remembered]) {
        for one in remembered {
            let Some(scope) = one.proposed_for else { continue };
            if self.entries.iter().any(|known| known.id == one.id) {
                continue;
            }
            self.entries.push_back(InboxEntry {
                id: one.id.clone(),
                text: cut(&one.text, MAX_REMEMBERED_BYTES).into_owned(),
                scope,
                based_on: one.based_on.iter().take(MAX_REMEMBERED_SOURCES).cloned().collect(),
                seq,
                decision: None,
            });
        }
        while self.entries.len() > MAX_INBOX_ENTRIES {
            let decided = self.entries.iter().position(|entry| entry.decision.is_some());
            self.entries.remove(decided.unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::tests::generated::event;
    use crate::{MemoryReflected, MemoryReviewed, SessionForked, SessionId, SessionRewound};

    fn apply(inbox: &mut MemoryInbox, seq: u64, body: impl Into<EventBody>) {
        let body = body.into();
        inbox.apply(&event(seq, body.clone()), &body);
    }

    fn proposed(ids: &[&str]) -> MemoryReflected {
        let one = |id: &&str| Remembered {
            id: (*id).into(),
            text: format!("about {id}"),
            based_on: vec!["o".into()],
            proposed_for: Some(MemoryScope::Project),
            ..Remembered::default()
        };
        MemoryReflected { reflections: ids.iter().map(one).collect(), ..MemoryReflected::default() }
    }

    fn reviewed(id: &str, decision: MemoryDecision, text: Option<&str>) -> MemoryReviewed {
        MemoryReviewed { id: id.into(), decision, text: text.map(str::to_owned) }
    }

    fn waiting(inbox: &MemoryInbox) -> Vec<&str> {
        inbox.candidates().map(|entry| entry.id.as_str()).collect()
    }

    fn of_three() -> MemoryInbox {
        let mut inbox = MemoryInbox::default();
        apply(&mut inbox, 3, proposed(&["a", "b"]));
        apply(&mut inbox, 5, proposed(&["b", "c"]));
        inbox
    }

    #[test]
    fn what_is_proposed_waits_until_it_is_decided() {
        let mut inbox = of_three();
        assert_eq!(waiting(&inbox), ["a", "b", "c"]);
        apply(&mut inbox, 6, reviewed("a", MemoryDecision::Accepted, Some("better")));
        apply(&mut inbox, 7, reviewed("b", MemoryDecision::Rejected, None));
        apply(&mut inbox, 8, reviewed("nobody", MemoryDecision::Accepted, None));
        assert_eq!(waiting(&inbox), ["c"]);
        let first = inbox.entries().next().unwrap();
        assert_eq!((first.text.as_str(), first.decision), ("better", Some(MemoryDecision::Accepted)));
    }

    #[test]
    fn what_is_only_for_the_session_is_not_in_it() {
        let mut inbox = MemoryInbox::default();
        let mut only_here = proposed(&["a"]);
        only_here.reflections[0].proposed_for = None;
        apply(&mut inbox, 1, only_here);
        assert_eq!(inbox.entries().len(), 0);
    }

    #[test]
    fn going_back_takes_away_what_waits_and_leaves_what_was_decided() {
        let mut inbox = of_three();
        apply(&mut inbox, 6, reviewed("c", MemoryDecision::Accepted, None));
        let rewound =
            SessionRewound { to_seq: 2, files: false, conversation: true, checkpoint_id: None, changes: Vec::new() };
        apply(&mut inbox, 7, rewound);
        assert_eq!(inbox.entries().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["c"]);
    }

    #[test]
    fn a_fork_begins_with_an_empty_inbox() {
        let mut inbox = of_three();
        apply(&mut inbox, 2, SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 6 });
        assert_eq!(inbox, MemoryInbox::default());
    }

    #[test]
    fn decided_proposals_go_first_where_there_are_too_many() {
        let mut inbox = of_three();
        apply(&mut inbox, 6, reviewed("b", MemoryDecision::Rejected, None));
        let ids: Vec<String> = (3..=MAX_INBOX_ENTRIES).map(|id| id.to_string()).collect();
        apply(&mut inbox, 7, proposed(&ids.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(inbox.entries().len(), MAX_INBOX_ENTRIES);
        assert!(waiting(&inbox).starts_with(&["a", "c", "3"]));
    }
}

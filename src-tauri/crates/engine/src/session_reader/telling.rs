//! A session's conversation from its beginning, told by what each event changes of its items.

use crate::SessionReader;
use arki_domain::projection::{Conversation, ConversationItem, ItemBody, ItemChange, ItemPart, RewindHistory};
use arki_domain::{Error, EventBody, SessionId};

/// An event's changes of a conversation.
#[derive(Debug)]
pub struct EventChanges<'a> {
    /// In milliseconds since 1970.
    pub at: i64,
    seq: u64,
    conversation: &'a Conversation,
    changes: &'a [ItemChange],
    rewinds: &'a RewindHistory,
}

/// The part of a change that a later rewind took back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindState {
    Stands,
    Rewound,
    FilesRewound,
}

impl EventChanges<'_> {
    /// The number of the event in its session.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The items that changed, with the part that did, in order.
    pub fn items(&self) -> impl Iterator<Item = (&ConversationItem, ItemPart)> {
        self.changes.iter().filter_map(|change| Some((self.conversation.item(change.place)?, change.part)))
    }

    #[must_use]
    pub fn fate(&self, item: &ConversationItem, part: ItemPart) -> RewindState {
        let is_of_file = match &item.body {
            ItemBody::Call(_) => part == ItemPart::File,
            ItemBody::Other(other) => matches!(other.event, EventBody::FileChanged(_)),
            _ => false,
        };
        match self.rewinds.takes_back(self.seq) {
            true => RewindState::Rewound,
            false if is_of_file && self.rewinds.takes_back_file(self.seq) => RewindState::FilesRewound,
            false => RewindState::Stands,
        }
    }
}

impl SessionReader {
    /// Tells a session's conversation, oldest first; a fork's begins with what it took over from its origin.
    ///
    /// # Errors
    /// When the database cannot be read, or forks lead in a circle.
    pub fn tell(&self, session: &SessionId, mut take: impl FnMut(&EventChanges<'_>)) -> Result<(), Error> {
        for stretch in self.lineage(session)? {
            let mut rewinds = RewindHistory::default();
            self.each_event(&stretch, |event| {
                if event.kind == "session.rewound"
                    && let EventBody::SessionRewound(rewound) = event.body()
                {
                    rewinds.add(event.seq, &rewound);
                }
            })?;
            let mut conversation = Conversation::default();
            self.each_event(&stretch, |event| {
                let changes = &conversation.apply(event, &event.body());
                let (at, seq) = (event.ts, event.seq);
                take(&EventChanges { at, seq, conversation: &conversation, changes, rewinds: &rewinds });
                conversation.let_go(changes);
            })?;
        }
        Ok(())
    }
}

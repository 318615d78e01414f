//! Conversations as a window holds them: the items of a stretch of a session's log, and what events change of them.

use crate::SessionPage;
use arki_domain::projection::{ConversationItem, ConversationStanding};

told! {
    /// The conversation over a stretch of a session's log. A stretch that reaches the log's end is folded on: frames tell what
    /// changes of it, under the same number.
    #[derive(Default)]
    HeldConversation {
        /// The number of its changes; 0 where it is not folded on.
        pub hold: u64,
        /// The last event that is folded; 0 where there is none.
        pub last_seq: u64,
        /// In order.
        pub items: Vec<PlacedItem>,
        pub standing: ConversationStanding,
    }

    /// The changes of a held conversation.
    ConversationChange {
        pub session_id: String,
        /// The number under which the conversation is held.
        pub hold: u64,
        /// The last event that was folded before these. Whoever stands elsewhere has missed some, and holds the conversation
        /// anew.
        pub base_seq: u64,
        pub last_seq: u64,
        /// Each item as it is now.
        pub items: Vec<PlacedItem>,
        /// Where it changed.
        pub standing: Option<ConversationStanding>,
    }

    /// An item by its place, which it keeps.
    PlacedItem {
        pub place: usize,
        /// `None`: it is not shown any more.
        pub item: Option<ConversationItem>,
        /// The event of the same frame whose content is the item's text, which is left out here: a long text comes once.
        pub text_of: Option<u64>,
    }

    /// A session as it is opened: its last page, and the conversation over it.
    OpenedConversation {
        pub page: SessionPage,
        pub held: HeldConversation,
    }
}

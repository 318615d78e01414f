//! Live events, in batches, and stored ones, in pages; and conversations as a window holds them: the items of a stretch of a
//! session's log, and what events change of them.

use crate::Event;
use arki_domain::projection::{ConversationItem, ConversationStanding};
use arki_domain::{PartialAnswer, TokenType};

wire! {
    /// Streamed text of one turn, everything since the last frame joined.
    OutputDelta {
        pub session_id: String,
        pub run_id: String,
        pub turn: u32,
        pub token_type: TokenType,
        pub text: String,
    }
    /// The output of a running command since the last frame.
    CommandOutput {
        pub session_id: String,
        pub run_id: String,
        pub call_id: String,
        pub text: String,
        /// The files that it has changed in its view so far, if there are others than before; at most a few.
        pub changed: Vec<String>,
    }
}

told! {
    /// Everything since the last frame, in order. `missed`: there was more than could be kept; read the pages again.
    #[derive(Default)]
    Frame {
        pub events: Vec<Event>,
        /// The changes of conversations that are held, one a session.
        pub conversations: Vec<ConversationChange>,
        pub deltas: Vec<OutputDelta>,
        pub command_output: Vec<CommandOutput>,
        /// Sessions whose model is writing a call, of which nothing can be shown yet.
        pub calls_grow: Vec<String>,
        /// The questions of MCP servers changed and have to be listed again.
        pub elicitations_changed: bool,
        pub missed: bool,
    }

    /// The last events before a point of a session, oldest first.
    SessionPage {
        pub events: Vec<Event>,
        pub has_more: bool,
        pub partial: Option<PartialAnswer>,
    }

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
        /// The session's standing, if it changed.
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

//! Live events, in batches, and stored ones, in pages.

use crate::{ConversationChange, Event};
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
}

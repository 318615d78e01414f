//! Memory beyond a session: what waits for the user's review, and what they accepted.

use arki_domain::MemoryScope;

words! {
    /// Only what was accepted is ever put into a prompt.
    MemoryState { Pending, Accepted }
}

wire! {
    MemoryEntry {
        /// The ID; an accepted memory gets a new one when its text changes.
        pub id: String,
        pub text: String,
        pub scope: MemoryScope,
        pub state: MemoryState,
        /// The session that proposed it, while it waits.
        pub session_id: Option<String>,
        /// The project that it is about; null for the user's own that was accepted.
        pub project: Option<String>,
        /// The Markdown file of an accepted one.
        pub path: Option<String>,
        /// When it was proposed, in milliseconds since 1970.
        pub ts: Option<i64>,
        /// True if it goes into prompts: false while it's pending, and if its file isn't the one that the user
        /// approved.
        pub used: bool,
    }
}

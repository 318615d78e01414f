//! Mentions, for the menu of the message box and the marks on what it attaches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    MentionKind { File, Folder, Session, Diff, Codebase }
}

wire! {
    MentionEntry {
        /// The text that mentions it: `@src/main.rs`.
        pub mention: String,
        pub kind: MentionKind,
        /// A path, the title of a session, `diff` or `codebase`.
        pub name: String,
    }

    MentionSize {
        /// The mention as it's written in the text.
        pub mention: String,
        /// An estimate for what the model sees for it; null for a page and for the codebase, which are read once the message is sent.
        pub tokens: Option<u64>,
        /// Why it isn't attached, or that it is cut: a sentence.
        pub note: Option<String>,
    }
}

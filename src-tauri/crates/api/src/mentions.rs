//! Mentions, for the menu of the message box and the marks on what it attaches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    MentionKind { File, Folder, Session }
}

wire! {
    MentionEntry {
        /// The text that mentions it: `@src/main.rs`.
        pub mention: String,
        pub kind: MentionKind,
        /// A path, or the title of a session.
        pub name: String,
    }

    MentionSize {
        /// As it stands in the text.
        pub mention: String,
        /// An estimate for what the model sees for it.
        pub tokens: u64,
        /// Why it isn't attached, or that it is cut: a sentence.
        pub note: Option<String>,
    }
}

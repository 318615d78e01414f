//! The message box: the menus of slash commands and mentions, the marks on what these attach, and pictures and other files,
//! which are looked at before they are sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    MentionKind { File, Folder, Session, Diff, Codebase }

    /// The steps of dragging something over the window: it enters, leaves again, or is dropped.
    DragStep { Over, Left, Dropped }
}

wire! {
    SlashCommandEntry {
        /// The name without the slash.
        pub name: String,
        /// One line.
        pub description: String,
        /// The arguments it takes, for people: `[message]`; empty where it takes none.
        pub arguments: String,
        /// `built in`, or the path of its file.
        pub source: String,
        /// True if it's sent like any message; otherwise the client carries it out itself.
        pub begins_run: bool,
    }

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

    /// A picture's format and size, before it is scaled down or sent.
    #[derive(PartialEq, Eq)]
    PictureFacts {
        /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        pub media_type: String,
        pub bytes: usize,
        /// In pixels.
        pub width: u32,
        pub height: u32,
        /// An estimate for what the model counts for it.
        pub tokens: u64,
    }
}

/// The result of adding a file that was chosen or dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[ts(export)]
pub enum AttachedFile {
    /// A picture, whose bytes come along in Base64.
    Picture { name: String, data: String, facts: PictureFacts },
    /// A file of the open folder: the text that mentions it.
    Mention { mention: String },
    /// A folder, to be opened in the window or, where it lies in the open folder, mentioned.
    Folder { name: String, path: String, mention: Option<String> },
    /// Neither: why not, in a sentence.
    Refused { name: String, reason: String },
}

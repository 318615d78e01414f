//! Pictures that the user attaches to a message: looked at before, and shown again after they were sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    /// The steps of dragging something over the window: it enters, leaves again, or is dropped.
    DragStep { Over, Left, Dropped }
}

wire! {
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

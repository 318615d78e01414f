//! Content: what prompts are made of, and what Arki answers with.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum ContentBlock {
    Text { text: String },
    Image { data: String, mime_type: String },
    Audio {},
    ResourceLink { name: String, uri: String },
    Resource { resource: EmbeddedResource },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(crate) enum EmbeddedResource {
    Text { uri: String, text: String },
    Blob { uri: String, blob: String, mime_type: Option<String> },
}

impl ContentBlock {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

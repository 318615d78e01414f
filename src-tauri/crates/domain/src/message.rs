//! The one form of a conversation that is translated for every vendor (seed 004's standard prompt).

use crate::CallId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A message of the prompt. The order of the list is the order of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        content: String,
    },
    User {
        content: String,
        images: Vec<Image>,
    },
    Assistant {
        content: String,
        thoughts: Option<String>,
        reasoning: Option<Reasoning>,
    },
    /// The model asks for tools, perhaps after some words.
    ToolRequest {
        content: String,
        thoughts: Option<String>,
        reasoning: Option<Reasoning>,
        calls: Vec<ToolRequest>,
    },
    /// The answer to one call of the request before it.
    ToolResult {
        call_id: CallId,
        tool_id: String,
        content: String,
        is_error: bool,
    },
}

impl Message {
    /// Returns what the user says, in words alone.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User { content: content.into(), images: Vec::new() }
    }
}

/// A picture that the user shows: what it is and where its bytes are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: String,
    /// SHA-256 hex of the bytes.
    pub content_hash: String,
    /// In pixels, width and height; absent where the picture doesn't say it, and in earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<PixelSize>,
}

impl Image {
    /// A picture of a size that isn't known.
    pub fn new(media_type: impl Into<String>, content_hash: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), content_hash: content_hash.into(), size: None }
    }
}

/// The largest picture, in bytes: the smallest limit among the vendors.
pub const MAX_IMAGE_BYTES: usize = 5 << 20;

/// The first bytes of pictures, and their types. WebP has its name behind a length.
const PICTURE_SIGNATURES: [(&[u8], usize, &str); 5] = [
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
];

/// Returns whether a path ends as those of pictures do.
#[must_use]
pub fn is_picture_name(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| ["png", "jpg", "jpeg", "gif", "webp"].contains(&extension.as_str()))
}

/// Returns the type of a picture by its first bytes; `None` where it is none that models can see.
#[must_use]
pub fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    let begins = |signature: &[u8], at: usize| bytes.get(at..).is_some_and(|bytes| bytes.starts_with(signature));
    PICTURE_SIGNATURES.iter().find(|(signature, at, _)| begins(signature, *at)).map(|(_, _, media_type)| *media_type)
}

/// The width and height of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

impl PixelSize {
    #[must_use]
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// A vendor's data about the model's thinking, signed or encrypted, sent back unchanged with the turn. Nobody but the
/// adapter of the same wire format looks into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reasoning {
    /// The wire format's name.
    pub format: String,
    /// Signatures hold for the model that made them.
    pub model: String,
    #[ts(type = "unknown")]
    pub items: Value,
}

/// One call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest {
    pub call_id: CallId,
    pub tool_id: String,
    /// The arguments' text exactly as received: it may not even be JSON.
    pub arguments: String,
}

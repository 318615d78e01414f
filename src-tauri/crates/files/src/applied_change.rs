//! The result of changing one file.

use serde::{Deserialize, Serialize};

/// A change that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedChange {
    pub path: String,
    /// SHA-256 hex of the raw bytes; `None` where there is no file.
    pub before_hash: Option<String>,
    pub after_hash: Option<String>,
    /// Another name of the file (a hard link), which is no part of the change, keeps the old content.
    pub leaves_another_name: bool,
}

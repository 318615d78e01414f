//! Updates of the app.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The answer to whether there is a newer version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[ts(export)]
pub enum UpdateState {
    /// This build knows no server to ask.
    NotOffered,
    UpToDate,
    Available {
        version: String,
        /// The release notes as the publisher wrote them, in Markdown.
        notes: Option<String>,
    },
}

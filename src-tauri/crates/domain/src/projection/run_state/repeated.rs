//! The call made last, and how often in a row.

use crate::{ToolCall, canonical_json, sha256_hex};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Repeated {
    /// SHA-256 hex of the tool and its arguments.
    hash: String,
    pub(super) times: u32,
}

impl Repeated {
    pub(super) fn count(&mut self, call: &ToolCall) -> u32 {
        let call = serde_json::json!({"tool": call.tool_id, "args": call.args});
        let hash = sha256_hex(canonical_json(&call).unwrap_or_else(|_| call.to_string()).as_bytes());
        self.times = if hash == self.hash { self.times.saturating_add(1) } else { 1 };
        self.hash = hash;
        self.times
    }
}

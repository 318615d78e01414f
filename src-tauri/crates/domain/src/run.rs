//! What a run was started with; stored in `run.started`, so that it goes on the same way after a restart.

use serde::{Deserialize, Serialize};

/// What the user grants beforehand (`--approve`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// What the policy does not allow by itself stops the run at its approval.
    #[default]
    Ask,
    /// Writes inside the project are granted, but not to protected paths and secret files.
    Edits,
    /// Everything not denied is granted; commands only where a sandbox works.
    All,
    /// Every approval becomes a rejection.
    Never,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunOptions {
    pub approve: ApprovalMode,
    pub max_turns: Option<u32>,
    pub max_seconds: Option<u64>,
    pub max_cost_usd: Option<f64>,
    /// The call-level system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
}

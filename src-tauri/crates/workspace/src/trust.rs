//! stub
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinKind {
    Config,
    Hook,
    McpServer,
    Rule,
    Skill,
    Procedure,
    Command,
    Pipeline,
    GitConfig,
    GitHook,
}

/// One executable or instructive thing and its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    pub kind: PinKind,
    pub path: String,
    /// SHA-256 hex.
    pub hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PinChange {
    Added,
    Changed,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPin {
    pub kind: PinKind,
    pub path: String,
    pub change: PinChange,
}

/// What trusting the folder would enable, by kind and path.
pub fn scan(_project_root: &Path) -> Result<Vec<Pin>> {
    todo!()
}
/// How `current` differs from `pinned`, by kind and path.
pub fn compare(_pinned: &[Pin], _current: &[Pin]) -> Vec<ChangedPin> {
    todo!()
}
/// Creates `.arki/config.json` when it is missing.
pub fn install_template(_project_root: &Path) -> Result<()> {
    todo!()
}

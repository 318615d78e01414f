//! Converts the engine's own forms of a session and its past to those for clients.

use crate::{RewindPlan, SessionTool};
use arki_api::{RewindPreview, SessionToolEntry};

impl From<SessionTool> for SessionToolEntry {
    fn from(tool: SessionTool) -> Self {
        let (name, description) = (tool.definition.name.to_string(), tool.definition.description.to_string());
        Self { name, description, category: tool.definition.category, enabled: tool.enabled }
    }
}

impl From<RewindPlan> for RewindPreview {
    fn from(plan: RewindPlan) -> Self {
        Self {
            to_seq: plan.to_seq,
            changes: plan.files.into_iter().map(|planned| planned.file).collect(),
            diff: plan.diff,
            prompt: plan.prompt,
        }
    }
}

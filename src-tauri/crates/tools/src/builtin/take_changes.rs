//! `take_changes`: brings what a sub-agent changed in its worktree into the project, as a change that is judged and
//! reviewed like any other. Where worktrees are and what is in them is behind [`SubagentChanges`].

use crate::outcome::ToolError;
use crate::subagents::SubagentChanges;
use crate::tool::{Tool, arguments, writing};
use crate::touched::Touched;
use arki_domain::{SessionId, TAKE_CHANGES_TOOL};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The worktree's id.
    #[schemars(with = "String")]
    pub(crate) worktree: SessionId,
    /// Only these files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(crate) paths: Option<Vec<String>>,
}

#[must_use]
pub fn take_changes(changes: Arc<dyn SubagentChanges>) -> Tool {
    let (planned, touched) = (changes.clone(), changes.clone());
    let plan = move |project: &arki_files::Project, Arguments { worktree, paths }: Arguments| {
        planned.plan(project, &worktree, paths.as_deref()).map_err(ToolError::from)
    };
    let tool = Tool::new::<Arguments>(TAKE_CHANGES_TOOL, include_str!("take_changes/manual.md"), writing(plan));
    tool.touching(move |args| touches(touched.as_ref(), args)).taking(changes)
}

/// Every file that the change may be to: the strictest of them decides.
fn touches(changes: &dyn SubagentChanges, args: &Value) -> Touched {
    let Ok(Arguments { worktree, paths }) = arguments(args) else { return Touched::default() };
    Touched { paths: paths.unwrap_or_else(|| changes.paths(&worktree)), ..Touched::default() }
}

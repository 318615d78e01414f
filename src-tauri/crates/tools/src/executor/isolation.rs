//! Sub-agents in worktrees of their own: which calls get one, what the run above is told of it, and its end once its
//! changes were decided on.

use super::delegation::DelegatedCalls;
use super::record::Record;
use crate::builtin::delegate::Arguments;
use crate::builtin::take_changes;
use crate::subagents::Subagents;
use crate::tool::arguments;
use arki_domain::projection::{CallProgress, PendingCall};
use arki_domain::{Code, Error, EventBody, SubagentStarted, TAKE_CHANGES_TOOL};
use std::fmt::Write;

/// The files that the model is told by name.
const MAX_NAMED_FILES: usize = 50;

impl DelegatedCalls {
    /// Returns whether the call's sub-agent gets a worktree. One that only reads needs none.
    pub(super) fn is_isolated(&self, subagents: &dyn Subagents, arguments: &Arguments) -> bool {
        let agent = &arguments.agent;
        (arguments.isolation.is_some() || subagents.is_isolated(agent)) && !subagents.only_reads(agent)
    }

    /// Returns whether the call's sub-agent leaves the project's files as they are while it works.
    pub(super) fn keeps_apart(&self, subagents: &dyn Subagents, arguments: &Arguments) -> bool {
        subagents.only_reads(&arguments.agent) || self.is_isolated(subagents, arguments)
    }

    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where the folder can have no worktree, or nobody could take the changes afterwards.
    pub(super) fn ensure_can_be_taken(&self, subagents: &dyn Subagents, arguments: &Arguments) -> Result<(), Error> {
        if !self.is_isolated(subagents, arguments) {
            return Ok(());
        }
        subagents.ensure_can_isolate()?;
        match self.toolbox.offered.iter().any(|tool| *tool.name == *TAKE_CHANGES_TOOL) {
            true => Ok(()),
            false => Err(Error::new(
                Code::WORKTREE_UNAVAILABLE,
                format!(
                    "Nothing could take the changes out of the worktree: this run doesn't have `{TAKE_CHANGES_TOOL}`."
                ),
                "Do the work yourself, or choose an agent that works in the project.",
            )),
        }
    }

    /// Removes the worktree whose changes the call has taken or the user has rejected. One of which only some files were
    /// taken stays, and so does one whose changes could not be made.
    pub(super) async fn settle_taken(&self, pending: &PendingCall, record: &Record<'_>) {
        let call = &pending.call;
        let Some(changes) = self.toolbox.tool(&call.tool_id).and_then(|tool| tool.changes.as_ref()) else { return };
        let Ok(take_changes::Arguments { worktree, paths }) = arguments(&call.args) else { return };
        let result = record.events().iter().rev().find_map(|event| match event.body() {
            EventBody::ToolResult(result) if result.call_id == call.call_id => Some(result),
            _ => None,
        });
        let Some(result) = result else { return };
        let is_rejected =
            result.is_error && result.code.is_none() && matches!(pending.progress, CallProgress::Resolved(_));
        if is_rejected || (!result.is_error && paths.is_none()) {
            changes.settle(&worktree).await;
        }
    }
}

/// Returns the note for the model that follows the answer; empty if nothing was changed.
pub(super) fn told(started: &SubagentStarted, in_tree: &[String]) -> String {
    if in_tree.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n\n[The agent {} changed {} file(s) in its worktree. The project doesn't have these changes yet: call \
        {TAKE_CHANGES_TOOL} with worktree \"{}\" to bring them in. What isn't taken when this run ends is discarded.]",
        started.agent,
        in_tree.len(),
        started.session_id
    );
    for path in in_tree.iter().take(MAX_NAMED_FILES) {
        let _ = write!(text, "\n- {path}");
    }
    if in_tree.len() > MAX_NAMED_FILES {
        let _ = write!(text, "\n- and {} more", in_tree.len() - MAX_NAMED_FILES);
    }
    text
}

//! Changes brought back from sub-agents' worktrees: the port behind the tool `take_changes`. Commands that a sub-agent left
//! at work in its worktree end before that goes.

use crate::{blocking, blocking_for};
use arki_domain::{Error, SessionId};
use arki_files::{ChangeSet, Project};
use arki_tools::{BackgroundCommands, SubagentChanges, Tool};
use arki_worktrees::{DiscardedWorktree, SubagentWorktrees};
use async_trait::async_trait;
use std::path::Path;
use std::sync::Arc;

/// Worktrees, and the commands that sub-agents left at work in them.
struct TakenFromWorktrees {
    worktrees: Arc<SubagentWorktrees>,
    background: Arc<BackgroundCommands>,
}

#[async_trait]
impl SubagentChanges for TakenFromWorktrees {
    fn paths(&self, worktree: &SessionId) -> Vec<String> {
        self.worktrees.changed_files(worktree)
    }

    fn plan(&self, project: &Project, worktree: &SessionId, only: Option<&[String]>) -> Result<ChangeSet, Error> {
        self.worktrees.plan_changes(project, worktree, only)
    }

    async fn settle(&self, worktree: &SessionId) {
        if let Err(fault) = end_worktree(&self.worktrees, worktree, &self.background).await {
            tracing::warn!(session_id = %worktree, %fault, "a sub-agent's worktree was not removed");
        }
    }
}

/// Ends what the sub-agent left at work in its worktree, and removes that.
pub(crate) async fn end_worktree(
    worktrees: &Arc<SubagentWorktrees>,
    session_id: &SessionId,
    background: &BackgroundCommands,
) -> Result<(), Error> {
    background.stop_in_worktree(session_id).await;
    blocking_for(worktrees, session_id, move |worktrees, session| {
        worktrees.remove(session);
        Ok(())
    })
    .await
}

/// Returns the tool that takes the changes of worktrees, where the folder can have some.
pub(crate) fn take_changes_tool(
    worktrees: &Arc<SubagentWorktrees>,
    origin: &Path,
    background: &Arc<BackgroundCommands>,
) -> Option<Tool> {
    let taken = || TakenFromWorktrees { worktrees: worktrees.clone(), background: background.clone() };
    worktrees.ensure_can_be_of(origin).is_ok().then(|| arki_tools::take_changes(Arc::new(taken())))
}

/// Removes worktrees whose changes nobody can take any more. Returns those that had some and are gone.
pub(super) async fn discard_worktrees(
    worktrees: &Arc<SubagentWorktrees>,
    session_ids: Vec<SessionId>,
    background: &BackgroundCommands,
) -> Result<Vec<DiscardedWorktree>, Error> {
    let mut discarded = Vec::new();
    for session_id in session_ids {
        background.stop_in_worktree(&session_id).await;
        discarded.extend(blocking(worktrees, move |worktrees| Ok(worktrees.discard(session_id))).await?);
    }
    Ok(discarded)
}

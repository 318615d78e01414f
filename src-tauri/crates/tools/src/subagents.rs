//! Other agents that a run may hand work to, behind a port: the executor only knows that they work, and how they stop.

use arki_domain::{ApprovalId, CallContext, Error, FileChanged, LeftInBackground, SessionId, SubagentStarted, Usage};
use arki_files::{ChangeSet, Project};
use async_trait::async_trait;

/// An agent as the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentChoice {
    pub name: String,
    /// One line: what it is for. May be empty.
    pub description: String,
}

/// A task that was handed over, now or before the program was started anew.
pub struct SubagentTask<'a> {
    pub started: &'a SubagentStarted,
    /// All that the sub-agent is told.
    pub task: &'a str,
    /// The context of the call that hands the task over: when the call is cancelled or paused, so is the sub-agent.
    pub context: &'a CallContext,
}

/// The end of a sub-agent's run. Waiting for an approval and pausing are no ends: it goes on when it is told to work on
/// the same task again.
#[derive(Debug, Clone, PartialEq)]
pub enum SubagentEnd {
    Answered {
        response: String,
    },
    Failed(Error),
    /// The user stopped it.
    Stopped,
    OutOfBudget {
        last_said: String,
    },
    AwaitingApproval(ApprovalId),
    Paused,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SubagentStop {
    pub end: SubagentEnd,
    pub usage: Usage,
    /// The sum of all its changes, once a file.
    pub files: Vec<FileChanged>,
    /// The background calls of which nobody there will hear any more; empty where the run has not ended.
    pub background: Vec<LeftInBackground>,
    /// The files that it changed in its worktree, where it had one: nothing of them is in the project yet.
    pub in_tree: Vec<String>,
}

#[async_trait]
pub trait Subagents: Send + Sync {
    /// Returns whether the agent changes nothing, so that several such may work side by side.
    fn only_reads(&self, agent: &str) -> bool;

    /// Returns whether the agent always works in a worktree of its own.
    fn is_isolated(&self, agent: &str) -> bool;

    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where the folder can have no worktree.
    fn ensure_can_isolate(&self) -> Result<(), Error>;

    /// Returns the place of a sub-agent's worktree. Nothing is made.
    fn tree_of(&self, session_id: &SessionId) -> String;

    /// Has the sub-agent work on the task from wherever it stands, until its run stops.
    async fn work(&self, task: SubagentTask<'_>) -> Result<SubagentStop, Error>;

    /// Returns whether a sub-agent no longer waits for this approval: it was decided, its time is over, or the run that
    /// asked was stopped.
    async fn is_settled(&self, approval_id: &ApprovalId) -> Result<bool, Error>;

    /// The session that handed the task over knows now what was left in the background: it is told what has ended of it
    /// already. The rest it is told as it ends.
    async fn tell_of_background(&self, started: &SubagentStarted) -> Result<(), Error>;
}

/// The changes of sub-agents that have worked in a worktree, as long as nobody has decided on them.
#[async_trait]
pub trait SubagentChanges: Send + Sync {
    /// Returns the files that were changed in the worktree of a sub-agent's session, by their paths; none where there is
    /// no such worktree.
    fn paths(&self, worktree: &SessionId) -> Vec<String>;

    /// Computes the change that brings these files to the project as it is now; all where `only` is `None`.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `WORKTREE_CONFLICT` with the files' names, and what reading them says.
    fn plan(&self, project: &Project, worktree: &SessionId, only: Option<&[String]>) -> Result<ChangeSet, Error>;

    /// Removes the worktree: what was in it was decided on.
    async fn settle(&self, worktree: &SessionId);
}

//! Worktrees: copies of a project in which a session or a sub-agent works, and what becomes of their changes. A commit of
//! a session's changes in the project itself is made by the same git (`commit`).
//!
//! There are two kinds, by their owner. A session's is a repository of its own beside the project, so that commands can
//! commit there; its commits are brought back to a branch. A sub-agent's is quick to make and has no life of its own: its
//! files are compared with those that it began with, and reviewed as a change. Both have a note in Arki's data, files that
//! Arki copied (no filter or hook runs), and are unknown to git afterwards: commands have worked there.

mod blocking;
mod commit;
mod git;
mod notes;
mod session_worktrees;
mod subagent_worktrees;

pub use commit::{CommitGap, FileToCommit, NewCommit, WrittenCommit, commit, committable_root};
pub use session_worktrees::{BranchName, NewSessionWorktree, SessionWorktrees};
pub use subagent_worktrees::{DiscardedWorktree, NewSubagentWorktree, SubagentWorktrees};

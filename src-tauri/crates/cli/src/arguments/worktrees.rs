//! The grammar of `arki worktrees`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum WorktreesCommand {
    /// Make a worktree beside the project: a copy of its files and commits, with a new branch at the last commit; or go on
    /// with a branch that the project has, with that branch's files
    Add {
        /// The branch, such as feature/search
        #[arg(allow_hyphen_values = true)]
        branch: String,
    },
    /// List the project's worktrees, newest first
    List,
    /// Bring a worktree's commits back to the branch of the same name in the project; nothing is merged
    Bring {
        /// The worktree's branch
        #[arg(value_name = "NAME")]
        branch: String,
    },
    /// Remove a worktree, unless it has work that is nowhere else
    Rm {
        /// The worktree's branch
        #[arg(value_name = "NAME")]
        branch: String,
        /// Remove it all the same: changes that aren't committed, and commits that weren't brought back, are lost
        #[arg(long)]
        force: bool,
    },
}

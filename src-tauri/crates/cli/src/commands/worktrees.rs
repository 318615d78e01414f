//! `arki worktrees`: add, list, bring and rm.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, time, visible};
use arki_api::{RemovedWorktree, WorktreeEntry};
use arki_domain::plural;
use arki_engine::{Engine, WorktreeRemoval};
use clap::Subcommand;
use std::path::Path;

/// Have sessions work beside the project, each on a branch of its own: add, list, bring back or remove worktrees
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

pub(crate) async fn run(engine: &Engine, dir: &Path, command: WorktreesCommand, output: &Printer) -> CommandExit {
    let worktrees = engine.worktrees();
    match command {
        WorktreesCommand::Add { branch } => added(&worktrees.add(dir, &branch).await?, output),
        WorktreesCommand::List => {
            let worktrees = worktrees.list(dir)?;
            worktrees.iter().for_each(|worktree| list(worktree, output));
            output.aside_if_empty(&worktrees, "No worktrees. Add one with `arki worktrees add BRANCH`.");
        }
        WorktreesCommand::Bring { branch } => {
            let brought = worktrees.bring(dir, &branch).await?;
            output.tell(&brought, || {
                let (commits, branch) = (plural(brought.commits.into(), "commit"), &brought.branch);
                let to = &brought.project;
                visible(&format!("Brought {commits} on {branch} to {to}. Look at them there with `git log {branch}`."))
            });
        }
        WorktreesCommand::Rm { branch, force } => {
            let removal = if force { WorktreeRemoval::WithItsWork } else { WorktreeRemoval::Careful };
            worktrees.remove(dir, &branch, removal).await?;
            output.tell(&RemovedWorktree { removed: branch.clone() }, || {
                visible(&format!("Removed the worktree {branch}."))
            });
        }
    }
    Ok(Exit::Done)
}

fn added(worktree: &WorktreeEntry, output: &Printer) {
    if output.json {
        output.object(worktree);
        return;
    }
    output.line(visible(&worktree.folder));
    output.aside(visible(&format!(
        "Made a worktree on the branch {branch}. Run `arki exec --worktree {branch} PROMPT` to have the agent work in it.",
        branch = worktree.branch
    )));
}

fn list(worktree: &WorktreeEntry, output: &Printer) {
    output.tell(worktree, || {
        let state = match (worktree.is_whole, worktree.has_new_commits) {
            (false, _) => "incomplete or removed by hand",
            (true, Some(true)) => "has commits to bring back",
            (true, Some(false)) => "no new commits",
            (true, None) => "its branches can't be read",
        };
        let (branch, folder) = (visible(&worktree.branch), visible(&worktree.folder));
        format!("{branch}  {}  {state}  {}", time(worktree.created_at), dim(&folder))
    });
}

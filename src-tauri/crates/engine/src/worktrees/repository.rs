//! The state of a folder's repository: its branch is read from git's own files, and what differs from the last commit
//! is told by git itself, run like a command that only reads, under the policy and in the sandbox of such commands.

use crate::records::blocking;
use crate::worktrees::Worktrees;
use arki_agent::RunControl;
use arki_api::RepositoryState;
use arki_domain::Error;
use arki_git::Head;
use arki_tools::UnaskedRead;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One line for each file; a new folder is one.
const STATUS: &str = "git status --porcelain --no-renames --untracked-files=normal";
/// The longest output of `git status` that is read, in bytes.
const MAX_BYTES: usize = 256 * 1024;

impl Worktrees {
    /// The branch that is checked out and how many files differ; `None` where git doesn't keep the folder.
    ///
    /// # Errors
    /// When the folder can't be opened.
    pub async fn repository(self: &Arc<Self>, folder: PathBuf) -> Result<Option<RepositoryState>, Error> {
        blocking(self, move |worktrees| {
            let Some(head) = arki_git::head(&folder) else { return Ok(None) };
            let (branch, is_detached) = match head {
                Head::Branch(name) => (name, false),
                Head::Commit(hash) => (hash, true),
            };
            let changed_files = worktrees.changed_files(&folder);
            Ok(Some(RepositoryState { branch, is_detached, changed_files }))
        })
        .await
    }

    /// `None` where nobody may ask git, as in a folder that isn't trusted or without a sandbox.
    fn changed_files(&self, folder: &Path) -> Option<u32> {
        let executor = self.executors.judging_executor(folder).ok()?;
        let args = json!({ "command": STATUS });
        let control = RunControl::default();
        let read = UnaskedRead {
            tool_id: "run_command",
            args: &args,
            max_bytes: MAX_BYTES,
            session: None,
            cancel: &control.cancel,
        };
        match executor.unasked_reads().read(&read) {
            Ok(output) => u32::try_from(output.text.lines().filter(|line| is_entry(line)).count()).ok(),
            Err(fault) => {
                tracing::debug!(%fault, "git was not asked what has changed");
                None
            }
        }
    }
}

/// Two letters that say how a file stands in the index and in the folder, a space, and its path.
fn is_entry(line: &str) -> bool {
    let mut letters = line.chars();
    let states = [letters.next(), letters.next()];
    states.iter().all(|state| state.is_some_and(|state| " MTADRCU?!".contains(state))) && letters.next() == Some(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_files_are_told_from_others() {
        for entry in [" M a.txt", "?? new/", "MM b c", "A  \"q\"", "UU x"] {
            assert!(is_entry(entry), "{entry}");
        }
        for other in ["", "warning: x", "M", "M a", "fatal: not a git repository"] {
            assert!(!is_entry(other), "{other}");
        }
    }
}

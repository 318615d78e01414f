//! Worktrees for sessions, as the user has them made, brought back and removed. What is done to files is in
//! the crate `worktrees`; here it is seen to that nothing works in one that goes, and that nothing is lost unasked.
//!
//! The state of a folder's repository is told here too: its branch is read from git's own files, and what differs from the
//! last commit is told by git itself, run like a command that only reads, under the policy and in the sandbox of such
//! commands.

use crate::projects::folder_trust::agreed_files;
use crate::{BelowRuns, ExecutorFactory, FolderTrust, Projects, Records, SessionReader, blocking};
use arki_agent::RunControl;
use arki_api::{BroughtBranch, PlannedWorktree, RepositoryState, SessionSummary, WorktreeEntry};
use arki_domain::projection::SessionState;
use arki_domain::{Code, Error, plural};
use arki_git::Head;
use arki_tools::UnaskedRead;
use arki_worktrees::{BranchName, NewSessionWorktree, SessionWorktrees};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The branches that a refusal names.
const MAX_NAMED: usize = 5;

/// The way in which a worktree is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Only where nothing is lost.
    Careful,
    /// Removes the worktree with work in it that is nowhere else: the user has been told.
    WithItsWork,
}

/// Worktrees of projects, and the state of their repositories.
pub struct Worktrees {
    records: Arc<Records>,
    projects: Arc<Projects>,
    folder_trust: Arc<FolderTrust>,
    executors: Arc<ExecutorFactory>,
    reader: Arc<SessionReader>,
}

impl Worktrees {
    pub(crate) fn new(below: &BelowRuns, folder_trust: Arc<FolderTrust>) -> Self {
        let BelowRuns { records, projects, executors, reader, .. } = below.clone();
        Self { records, projects, folder_trust, executors, reader }
    }

    /// Returns the place that a worktree would get. Nothing is made.
    ///
    /// # Errors
    /// `BRANCH_NAME_INVALID`, `FOLDER_UNAVAILABLE`, `WORKTREE_UNAVAILABLE`.
    pub fn plan(&self, folder: &Path, branch: &str) -> Result<PlannedWorktree, Error> {
        let (project, branch) = (self.project_of_worktree(folder)?, BranchName::parse(branch)?);
        let place = SessionWorktrees::place_of(&project, &branch)?;
        let (folder, project) = (place.display().to_string(), project.display().to_string());
        Ok(PlannedWorktree { branch: branch.to_string(), folder, project })
    }

    /// Makes a worktree of a trusted project, with a new branch at the last commit or with one that the project has.
    /// It is trusted as the project is.
    ///
    /// # Errors
    /// `BRANCH_NAME_INVALID`, `UNTRUSTED`, `WORKTREE_UNAVAILABLE`, `WORKTREE_EXISTS`, `WORKTREE_TOO_LARGE`,
    /// `WORKTREE_FAILED`. Nothing is left then.
    pub async fn add(self: &Arc<Self>, folder: &Path, branch: &str) -> Result<WorktreeEntry, Error> {
        let (folder, branch) = (folder.to_owned(), BranchName::parse(branch)?);
        let name = branch.clone();
        let now = self.records.clock().now_ms();
        let (new, trust) = blocking(self, move |worktrees| {
            let project = worktrees.project_of_worktree(&folder)?;
            let (open, trust) = worktrees.projects.open_trusted(&project)?;
            let secrets = worktrees.projects.config_of(&open)?.secret_files.set;
            Ok((NewSessionWorktree { project, branch, secrets, agreed: agreed_files(&trust), now }, trust))
        })
        .await?;
        let project = new.project.clone();
        let place = self.projects.session_worktrees().make(new).await?;
        self.folder_trust.trust_worktree(&place, trust).await?;
        self.of_branch(&project, name.as_str()).await
    }

    /// Returns the project's worktree for a branch, which is made where there is none.
    ///
    /// # Errors
    /// Those of [`Self::add`].
    pub async fn find_or_add(self: &Arc<Self>, folder: &Path, branch: &str) -> Result<WorktreeEntry, Error> {
        let given = folder.to_owned();
        let project = blocking(self, move |worktrees| worktrees.project_of_worktree(&given)).await?;
        match self.of_branch(&project, branch).await {
            Err(fault) if fault.is(Code::WORKTREE_GONE) => self.add(&project, branch).await,
            found => found,
        }
    }

    /// The worktrees of the project that a folder is or belongs to, the newest first.
    ///
    /// # Errors
    /// `FOLDER_UNAVAILABLE`.
    pub fn list(&self, folder: &Path) -> Result<Vec<WorktreeEntry>, Error> {
        Ok(self.projects.session_worktrees().list(Some(&self.project_of_worktree(folder)?)))
    }

    /// Brings the commits of a worktree back to the branch of the same name in its project.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `WORKTREE_UNCHANGED`, `BRANCH_CHECKED_OUT`, `WORKTREE_CONFLICT`, `WORKTREE_UNAVAILABLE`,
    /// `WORKTREE_FAILED`, and `SESSION_BUSY` while something works there.
    pub async fn bring(self: &Arc<Self>, folder: &Path, branch: &str) -> Result<BroughtBranch, Error> {
        let place = self.idle_worktree(folder, branch).await?;
        self.projects.session_worktrees().bring(&place).await
    }

    /// Removes a worktree.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `SESSION_BUSY` while something works there, `IO_FAILED`, and where [`Removal::Careful`] would lose
    /// something: `WORKTREE_UNSAVED`.
    pub async fn remove(self: &Arc<Self>, folder: &Path, branch: &str, removal: Removal) -> Result<(), Error> {
        let place = self.idle_worktree(folder, branch).await?;
        if removal == Removal::Careful && place.exists() {
            self.ensure_saved(&place, branch).await?;
        }
        let removed = place.clone();
        self.folder_trust.untrust_worktree(&place).await?;
        blocking(self, move |worktrees| worktrees.projects.session_worktrees().remove(&removed)).await
    }

    /// The sessions for lists, the newest first, with the worktrees that their folders are or were.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn listed_sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, Error> {
        let places = self.projects.session_worktrees().places();
        let sessions = self.reader.list(limit)?.into_iter();
        Ok(sessions
            .map(|session| {
                let worktree = places.get(&session.project).cloned();
                SessionSummary { worktree, ..session.into() }
            })
            .collect())
    }

    fn project_of_worktree(&self, folder: &Path) -> Result<PathBuf, Error> {
        Ok(self.projects.session_worktrees().project_of(&self.projects.folder(folder)?))
    }

    async fn of_branch(self: &Arc<Self>, project: &Path, branch: &str) -> Result<WorktreeEntry, Error> {
        let (project, branch) = (project.to_owned(), branch.to_owned());
        blocking(self, move |worktrees| {
            let place = worktrees.projects.session_worktrees().find(&project, &branch)?.display().to_string();
            let listed = worktrees.projects.session_worktrees().list(Some(&project));
            listed.into_iter().find(|entry| entry.folder == place).ok_or_else(|| Error::internal("a note is gone"))
        })
        .await
    }

    /// Returns a worktree's folder, once nothing works there.
    async fn idle_worktree(self: &Arc<Self>, folder: &Path, branch: &str) -> Result<PathBuf, Error> {
        let (folder, branch) = (folder.to_owned(), branch.to_owned());
        blocking(self, move |worktrees| {
            let place =
                worktrees.projects.session_worktrees().find(&worktrees.project_of_worktree(&folder)?, &branch)?;
            worktrees.ensure_idle(&place)?;
            Ok(place)
        })
        .await
    }

    fn ensure_idle(&self, place: &Path) -> Result<(), Error> {
        let path = place.display().to_string();
        let sessions = self.reader.list(usize::MAX)?;
        let works = |session: &&arki_domain::projection::SessionSummary| {
            session.project == path && session.state == SessionState::Running
        };
        if let Some(session) = sessions.iter().find(works) {
            return Err(busy(&format!("The session {} works in the worktree.", session.session_id)));
        }
        let is_there =
            |command: &arki_process::RunningCommand| command.name.is_none() && command.directory.starts_with(place);
        match arki_process::running_commands().into_iter().find(is_there) {
            Some(command) => Err(busy(&format!("`{}` still runs in the worktree.", command.command_line))),
            None => Ok(()),
        }
    }

    async fn ensure_saved(self: &Arc<Self>, place: &Path, branch: &str) -> Result<(), Error> {
        let mut lost = Vec::new();
        match self.repository(place.to_owned()).await?.map(|repository| repository.changed_files) {
            Some(Some(0)) => {}
            Some(Some(files)) => {
                lost.push(format!("{} that {} not committed", plural(files.into(), "file"), are(files)))
            }
            Some(None) | None => lost.push("files that Arki can't ask git about".to_owned()),
        }
        match self.projects.session_worktrees().unsaved_commits(place).await {
            Ok(branches) if branches.is_empty() => {}
            Ok(branches) => {
                let named = branches.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
                lost.push(format!("commits on {named} that the project doesn't have"));
            }
            Err(fault) => lost.push(format!("commits that can't be compared with the project's ({})", fault.message)),
        }
        match lost.is_empty() {
            true => Ok(()),
            false => Err(Error::new(
                Code::WORKTREE_UNSAVED,
                format!("The worktree {branch} has {}.", lost.join(", and ")),
                format!(
                    "Commit, and bring the branch with `arki worktrees bring {branch}`; or remove it with `--force`, and all \
                     of that is lost."
                ),
            )),
        }
    }
}

fn are(count: u32) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn busy(what: &str) -> Error {
    Error::new(Code::SESSION_BUSY, what, "Wait until it stops, or stop it.")
}

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

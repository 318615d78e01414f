//! Worktrees for sessions: copies of a project beside it, each with a branch of its own, whose commits Arki brings back.
//!
//! A worktree is a repository that shares nothing with the project's, not even a file of an object: commands may write
//! all of it, so a commit works there and reaches nothing else. For the same reason nothing in it is believed
//! afterwards. The list comes from notes in Arki's data, and git never runs with a configuration that lies in a worktree.
//!
//! `worktrees`, above this, knows whether a session works in a worktree and whether its files are committed.

mod branch_name;
mod bringing;
mod making;

use crate::git::{Git, IN_THE_FOLDER, fitness};
use crate::notes::{Note, Notes};
use arki_api::WorktreeEntry;
use arki_disk::{FolderLock, create_private_dir, remove_private_dir};
use arki_domain::{Code, Error, WorktreeOf, sha256_hex};
use arki_files::remove_worktree_folder;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use branch_name::BranchName;
pub use making::NewSessionWorktree;

pub struct SessionWorktrees {
    notes: Notes<WorktreeNote>,
}

impl SessionWorktrees {
    /// `notes`: the folder for notes on them.
    #[must_use]
    pub fn new(notes: PathBuf) -> Self {
        Self { notes: Notes::new(notes) }
    }

    /// The worktrees of a project, or of all, the newest first. Blocking.
    pub fn list(&self, project: Option<&Path>) -> Vec<WorktreeEntry> {
        self.remove_unfinished();
        let notes = self.notes.all().into_iter().filter(|note| !note.is_removed);
        let of_project = notes.filter(|note| project.is_none_or(|project| project == note.project));
        let mut notes: Vec<WorktreeNote> = of_project.collect();
        notes.sort_by_key(|note| std::cmp::Reverse(note.created_at));
        notes.iter().map(entry).collect()
    }

    /// Returns the project and the branch of each folder that is a worktree or was one. Blocking.
    pub fn places(&self) -> BTreeMap<String, WorktreeOf> {
        let notes = self.notes.all().into_iter();
        notes.map(|note| (note.folder.display().to_string(), note.of())).collect()
    }

    /// Returns the worktree that a folder is. It is one small file that is read.
    pub fn worktree_at(&self, folder: &str) -> Option<WorktreeOf> {
        self.noted(Path::new(folder)).map(|note| note.of())
    }

    /// Checks that a folder is no worktree whose making was cut off; what is left of one is removed. Blocking.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `WORKTREE_UNAVAILABLE`.
    pub fn ensure_whole(&self, folder: &str) -> Result<(), Error> {
        let is_half = |note: &WorktreeNote| !note.is_made && !note.is_removed;
        let Some(half) = self.noted(Path::new(folder)).filter(is_half) else { return Ok(()) };
        self.remove_unfinished();
        match self.noted(Path::new(folder)).filter(is_half) {
            None => Err(gone(&half.branch)),
            Some(note) => Err(Error::new(
                Code::WORKTREE_UNAVAILABLE,
                format!("The worktree {} is still being created.", note.branch),
                "Wait until it is complete.",
            )),
        }
    }

    /// Removes what is left of worktrees whose making was cut off. Blocking.
    pub fn remove_unfinished(&self) {
        for WorktreeNote { folder, .. } in self.notes.all().into_iter().filter(|note| !note.is_made) {
            // Whoever makes it holds the lock.
            let Some(lock) = self.making(&folder) else { continue };
            // Meanwhile it may be complete.
            if let Some(note) = self.noted(&folder).filter(|note| !note.is_made && !note.is_removed) {
                let removed = remove_worktree_folder(&folder).map_err(|error| not_removed(&folder, &error));
                if let Err(fault) = removed.and_then(|()| self.notes.remove(&note)) {
                    tracing::warn!(%fault, "a worktree that was never complete is still there");
                }
            }
            self.made(&folder, lock);
        }
    }

    /// Returns the project that a folder belongs to: the folder itself where it is no worktree. Blocking.
    pub fn project_of(&self, folder: &Path) -> PathBuf {
        self.noted(folder).map_or_else(|| folder.to_owned(), |note| note.project)
    }

    /// Returns the folder of a project's worktree, by its branch. Blocking.
    ///
    /// # Errors
    /// `WORKTREE_GONE`.
    pub fn find(&self, project: &Path, branch: &str) -> Result<PathBuf, Error> {
        self.remove_unfinished();
        let listed = self.notes.all();
        let found = listed.into_iter().find(|note| {
            let is_it = note.project == project && note.branch == branch;
            is_it && !note.is_removed
        });
        found.map(|note| note.folder).ok_or_else(|| gone(branch))
    }

    /// Returns the names of branches, or of what else, that have commits which are nowhere in the project.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `WORKTREE_UNAVAILABLE` where its files can't be read as git writes them.
    pub async fn unsaved_commits(&self, folder: &Path) -> Result<Vec<String>, Error> {
        let note = self.note(folder)?;
        let refs = own_refs(&note.folder)?;
        let git = self.git_of(&note)?;
        let mut known = BTreeSet::from([note.base.clone()]);
        let mut unsaved = Vec::new();
        for (name, commit) in refs {
            if known.contains(&commit) {
                continue;
            }
            let contains = format!("--contains={commit}");
            let asked = git.in_repository(&["for-each-ref", "--count=1", &contains, "refs/heads", "refs/remotes"]);
            let answer = git.answer(asked).await?;
            match answer.exit_code == Some(0) && !answer.stdout.trim().is_empty() {
                true => drop(known.insert(commit)),
                false => unsaved.push(name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned()),
            }
        }
        Ok(unsaved)
    }

    /// Removes a worktree's folder with all that is in it. What is kept of it is where it was. Blocking.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `IO_FAILED`; then it is still listed.
    pub fn remove(&self, folder: &Path) -> Result<(), Error> {
        let note = self.note(folder)?;
        remove_worktree_folder(&note.folder).map_err(|error| not_removed(&note.folder, &error))?;
        self.notes.write(&WorktreeNote { is_removed: true, ..note })
    }

    fn git_of(&self, note: &WorktreeNote) -> Result<Git, Error> {
        Ok(Git::of(&note.project, self.notes.folder(), IN_THE_FOLDER)?
            .patient(note.folder.parent().unwrap_or(&note.folder)))
    }

    fn note(&self, folder: &Path) -> Result<WorktreeNote, Error> {
        let note = self.noted(folder).filter(|note| !note.is_removed);
        note.ok_or_else(|| gone(&folder.display().to_string()))
    }

    fn noted(&self, folder: &Path) -> Option<WorktreeNote> {
        self.notes.read(&key(folder))
    }

    /// Held while it is made; `None` where another process makes it. It goes with its process, and its folder with
    /// [`Self::made`].
    fn making(&self, folder: &Path) -> Option<FolderLock> {
        let place = self.making_mark(folder);
        create_private_dir(&place).ok()?;
        FolderLock::try_take(&place)
    }

    fn made(&self, folder: &Path, making_lock: FolderLock) {
        if let Err(error) = remove_private_dir(&self.making_mark(folder)) {
            tracing::debug!(%error, "the mark of a worktree's making stays");
        }
        drop(making_lock);
    }

    fn making_mark(&self, folder: &Path) -> PathBuf {
        self.notes.folder().join(format!("{}.making", key(folder)))
    }
}

fn entry(note: &WorktreeNote) -> WorktreeEntry {
    let commit = own_refs(&note.folder).ok().and_then(|mut refs| refs.remove(&format!("refs/heads/{}", note.branch)));
    WorktreeEntry {
        branch: note.branch.clone(),
        folder: note.folder.display().to_string(),
        project: note.project.display().to_string(),
        created_at: note.created_at,
        is_whole: note.is_made && note.folder.is_dir(),
        has_new_commits: commit.map(|commit| commit != note.base && Some(commit) != note.brought),
    }
}

/// Reads the branches of what commands have worked in.
///
/// # Errors
/// `WORKTREE_UNAVAILABLE` where it isn't what Arki made.
fn own_refs(folder: &Path) -> Result<BTreeMap<String, String>, Error> {
    fitness::ensure_keeps_to_itself(folder, IN_THE_FOLDER)?;
    arki_git::own_refs(&folder.join(".git")).ok_or_else(|| {
        let hint = format!("Look at {}.", folder.join(".git").display());
        Error::new(Code::WORKTREE_UNAVAILABLE, "The worktree's branches can't be read.", hint)
    })
}

fn gone(name: &str) -> Error {
    let hint = "`arki worktrees list` shows all worktrees.";
    Error::new(Code::WORKTREE_GONE, format!("There is no worktree {name} of this project."), hint)
}

fn not_removed(folder: &Path, error: &std::io::Error) -> Error {
    let message = format!("{} can't be removed: {}.", folder.display(), arki_domain::io_words(error.kind()));
    let hint = "Close what uses the folder, check its permissions, and remove the worktree again.";
    Error::new(Code::IO_FAILED, message, hint)
}

/// The note on a worktree: a file of its own, written before there is anything to note, and kept when the worktree is
/// gone, so that a session's list can still say what its folder was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorktreeNote {
    /// Canonical, as those of projects and sessions are.
    pub(super) folder: PathBuf,
    pub(super) project: PathBuf,
    pub(super) branch: String,
    /// The commit that it began at.
    pub(super) base: String,
    /// The last commit that was brought back.
    pub(super) brought: Option<String>,
    /// Milliseconds since 1970.
    pub(super) created_at: i64,
    pub(super) is_made: bool,
    pub(super) is_removed: bool,
}

impl WorktreeNote {
    pub(super) fn of(self) -> WorktreeOf {
        WorktreeOf { project: self.project.display().to_string(), branch: self.branch }
    }
}

impl Note for WorktreeNote {
    fn name(&self) -> String {
        key(&self.folder)
    }
}

/// The beginning of a hash of the folder: enough to tell worktrees apart.
pub(super) fn key(folder: &Path) -> String {
    const CHARS: usize = 32;
    sha256_hex(folder.as_os_str().as_encoded_bytes())[..CHARS].to_owned()
}

#[cfg(test)]
mod tests;

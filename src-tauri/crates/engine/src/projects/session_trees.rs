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
mod note;
mod trusting;

use super::git::{Git, Instead, fitness};
use crate::Directories;
use arki_api::WorktreeEntry;
use arki_disk::create_private_dir;
use arki_domain::{Code, Error, WorktreeOf, sha256_hex};
use arki_files::remove_worktree_folder;
use note::WorktreeNote;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) use branch_name::BranchName;
pub(crate) use making::NewWorktree;
pub(crate) use trusting::agreed_files;

pub(crate) struct SessionTrees {
    notes: PathBuf,
}

impl SessionTrees {
    pub(crate) fn new(directories: &Directories) -> Self {
        Self { notes: directories.session_tree_notes() }
    }

    /// The worktrees of a project, or of all, the newest first. Blocking.
    pub(crate) fn list(&self, project: Option<&Path>) -> Vec<WorktreeEntry> {
        self.remove_unfinished();
        let notes = WorktreeNote::all(&self.notes).into_iter().filter(|note| !note.is_removed);
        let of_project = notes.filter(|note| project.is_none_or(|project| project == note.project));
        let mut notes: Vec<WorktreeNote> = of_project.collect();
        notes.sort_by_key(|note| std::cmp::Reverse(note.created_at));
        notes.iter().map(entry).collect()
    }

    /// Returns the project and the branch of each folder that is a worktree or was one. Blocking.
    pub(crate) fn places(&self) -> BTreeMap<String, WorktreeOf> {
        let notes = WorktreeNote::all(&self.notes).into_iter();
        notes.map(|note| (note.folder.display().to_string(), note.of())).collect()
    }

    /// Returns the worktree that a folder is. It is one small file that is read.
    pub(crate) fn worktree_at(&self, folder: &str) -> Option<WorktreeOf> {
        self.noted(Path::new(folder)).map(|note| note.of())
    }

    /// Checks that a folder is no worktree whose making was cut off; what is left of one is removed. Blocking.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `WORKTREE_UNAVAILABLE`.
    pub(crate) fn ensure_whole(&self, folder: &str) -> Result<(), Error> {
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
    pub(crate) fn remove_unfinished(&self) {
        for WorktreeNote { folder, .. } in WorktreeNote::all(&self.notes).into_iter().filter(|note| !note.is_made) {
            // Whoever makes it holds the lock.
            let Some(lock) = WorktreeNote::making(&self.notes, &folder) else { continue };
            // Meanwhile it may be complete.
            if let Some(note) = self.noted(&folder).filter(|note| !note.is_made && !note.is_removed) {
                let removed = remove_worktree_folder(&folder).map_err(|error| not_removed(&folder, &error));
                if let Err(fault) = removed.and_then(|()| note.forget(&self.notes)) {
                    tracing::warn!(%fault, "a worktree that was never complete is still there");
                }
            }
            WorktreeNote::made(&self.notes, &folder, lock);
        }
    }

    /// Returns the project that a folder belongs to: the folder itself where it is no worktree. Blocking.
    pub(crate) fn project_of(&self, folder: &Path) -> PathBuf {
        self.noted(folder).map_or_else(|| folder.to_owned(), |note| note.project)
    }

    /// Returns the folder of a project's worktree, by its branch. Blocking.
    ///
    /// # Errors
    /// `WORKTREE_GONE`.
    pub(crate) fn find(&self, project: &Path, branch: &str) -> Result<PathBuf, Error> {
        self.remove_unfinished();
        let listed = WorktreeNote::all(&self.notes);
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
    pub(crate) async fn unsaved_commits(&self, folder: &Path) -> Result<Vec<String>, Error> {
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
    pub(crate) fn remove(&self, folder: &Path) -> Result<(), Error> {
        let note = self.note(folder)?;
        remove_worktree_folder(&note.folder).map_err(|error| not_removed(&note.folder, &error))?;
        WorktreeNote { is_removed: true, ..note }.write(&self.notes)
    }

    fn git_of(&self, note: &WorktreeNote) -> Result<Git, Error> {
        Ok(Git::of(&note.project, &self.notes, Instead::IN_THE_FOLDER)?
            .patient(note.folder.parent().unwrap_or(&note.folder)))
    }

    fn note(&self, folder: &Path) -> Result<WorktreeNote, Error> {
        let note = self.noted(folder).filter(|note| !note.is_removed);
        note.ok_or_else(|| gone(&folder.display().to_string()))
    }

    fn noted(&self, folder: &Path) -> Option<WorktreeNote> {
        WorktreeNote::read(&self.notes, folder)
    }

    fn ensure_folders(&self) -> Result<(), Error> {
        Ok(create_private_dir(&self.notes)?)
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
    fitness::ensure_keeps_to_itself(folder, Instead::IN_THE_FOLDER)?;
    arki_git::own_refs(&folder.join(".git")).ok_or_else(|| {
        Error::new(
            Code::WORKTREE_UNAVAILABLE,
            "The worktree's branches can't be read.",
            format!("Look at {}.", folder.join(".git").display()),
        )
    })
}

fn gone(name: &str) -> Error {
    Error::new(
        Code::WORKTREE_GONE,
        format!("There is no worktree {name} of this project."),
        "`arki worktrees list` shows all worktrees.",
    )
}

fn not_removed(folder: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Code::IO_FAILED,
        format!("{} can't be removed: {}.", folder.display(), arki_domain::io_words(error.kind())),
        "Close what uses the folder, check its permissions, and remove the worktree again.",
    )
}

/// The beginning of a hash of the folder: enough to tell worktrees apart.
fn key(folder: &Path) -> String {
    const CHARS: usize = 32;
    sha256_hex(folder.as_os_str().as_encoded_bytes())[..CHARS].to_owned()
}

#[cfg(test)]
mod tests;

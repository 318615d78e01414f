//! The worktrees of sub-agents: made outside the sandbox, worked in inside it, compared with what they began with, and
//! removed once somebody has decided on their changes.
//!
//! A worktree lies beside Arki's data, where commands may work. A note on it, and the files it began with, lie in the
//! data, where nothing but Arki writes. So the note says which project a worktree is of: what was agreed to there holds
//! in it, and no worktree is ever trusted by itself.

mod note;
mod taking;

use super::git::{Git, Instead, fitness};
use crate::Directories;
use crate::records::blocking;
use arki_disk::{create_private_dir, remove_private_dir};
use arki_domain::{Code, Error, ParentCall, SessionId};
use arki_files::{CopyLimits, Project, copy_files, differing_files, forget_worktree};
use arki_tools::{BackgroundCommands, Tool};
use globset::GlobSet;
use note::TreeNote;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taking::Taking;

/// The most that is copied into one worktree: the number of files, and the bytes of all of them together.
const LIMITS: CopyLimits = CopyLimits { files: 50_000, bytes: 1 << 30 };

pub(crate) struct Trees {
    trees: PathBuf,
    notes: PathBuf,
    /// Git names its own folders for worktrees one after another.
    making: tokio::sync::Mutex<()>,
}

/// A worktree that is to be made.
pub(crate) struct NewTree {
    /// The project's folder, canonical.
    pub(crate) origin: PathBuf,
    /// The session of the sub-agent.
    pub(crate) session_id: SessionId,
    pub(crate) parent: ParentCall,
    /// Files that are not copied.
    pub(crate) secrets: GlobSet,
}

/// A worktree that is there no more, though nobody has decided on what was in it.
pub(crate) struct Discarded {
    /// The project's folder.
    pub(crate) origin: PathBuf,
    session_id: SessionId,
    /// `None` where it could not be read.
    changed: Option<Vec<String>>,
}

impl Trees {
    pub(crate) fn new(directories: &Directories) -> Self {
        Self { trees: directories.trees(), notes: directories.tree_notes(), making: tokio::sync::Mutex::default() }
    }

    /// Returns the tool that takes the changes of worktrees, where the folder can have some.
    pub(crate) fn take_tool(self: &Arc<Self>, origin: &Path, background: &Arc<BackgroundCommands>) -> Option<Tool> {
        let taking = || Taking { trees: self.clone(), background: background.clone() };
        self.ensure_can_be_of(origin).is_ok().then(|| arki_tools::take_changes(Arc::new(taking())))
    }

    /// # Errors
    /// `WORKTREE_UNAVAILABLE`, as far as the folder's files tell.
    pub(crate) fn ensure_can_be_of(&self, origin: &Path) -> Result<(), Error> {
        fitness::ensure_fit(origin, Instead::WITHOUT_ISOLATION)
    }

    /// Returns the place of a session's worktree, whether it is there or not.
    pub(crate) fn place_of(&self, session_id: &SessionId) -> PathBuf {
        let trees = self.trees.canonicalize().unwrap_or_else(|_| self.trees.clone());
        trees.join(session_id.as_str())
    }

    /// Returns the project whose worktree is at `path`; `None` where Arki has made none there.
    pub(crate) fn origin_of(&self, path: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().ok()?;
        let note = TreeNote::read(&self.notes, path.file_name()?.to_str()?)?;
        (path == self.place_of(&note.session_id)).then_some(note.origin)
    }

    /// Makes a worktree with the project's files as they are: those that git tracks or doesn't ignore, but secret ones.
    /// What an interrupted attempt left is removed before.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE`, `WORKTREE_TOO_LARGE`, `WORKTREE_FAILED`, and what the disk says. Nothing is left then.
    pub(crate) async fn make(self: &Arc<Self>, new: NewTree) -> Result<(), Error> {
        let _making = self.making.lock().await;
        let (session_id, origin) = (new.session_id.clone(), new.origin.clone());
        let session = session_id.clone();
        blocking(self, move |trees| {
            fitness::ensure_fit(&origin, Instead::WITHOUT_ISOLATION)?;
            trees.remove(&session);
            create_private_dir(&trees.trees)?;
            create_private_dir(&trees.notes)?;
            Ok(())
        })
        .await?;
        let made = self.made(new).await;
        if made.is_err() {
            blocking(self, move |trees| {
                trees.remove(&session_id);
                Ok(())
            })
            .await?;
        }
        made
    }

    async fn made(self: &Arc<Self>, NewTree { origin, session_id, parent, secrets }: NewTree) -> Result<(), Error> {
        let git = Git::of(&origin, &self.trees, Instead::WITHOUT_ISOLATION)?;
        git.last_commit().await?;
        let paths: Vec<String> = git.files().await?.into_iter().collect();
        let note = TreeNote { session_id, origin: origin.clone(), parent, files: None, changed: None };
        note.write(&self.notes)?;
        git.add_worktree(&self.place_of(&note.session_id)).await?;
        blocking(self, move |trees| {
            let (tree, base) = (trees.place_of(&note.session_id), trees.base_of(&note.session_id));
            create_private_dir(&tree)?;
            create_private_dir(&base)?;
            let (origin, tree, base) = (Project::open(&note.origin)?, Project::open(&tree)?, Project::open(&base)?);
            let files = copy_files(&origin, &[&base, &tree], &paths, &secrets, LIMITS)?;
            TreeNote { files: Some(files), ..note }.write(&trees.notes)
        })
        .await
    }

    /// Returns whether the session's worktree is there as a whole.
    pub(crate) fn is_made(&self, session_id: &SessionId) -> bool {
        self.note(session_id).is_some_and(|note| note.files.is_some()) && self.place_of(session_id).is_dir()
    }

    /// Returns the files that the sub-agent, which has ended, changed in its worktree. Blocking.
    ///
    /// # Errors
    /// When a file can't be read.
    pub(crate) fn changes_at_end(&self, session_id: &SessionId) -> Result<Vec<String>, Error> {
        let Some(note) = self.note(session_id) else { return Ok(Vec::new()) };
        if let Some(changed) = note.changed {
            return Ok(changed);
        }
        let Some(files) = &note.files else { return Ok(Vec::new()) };
        let (base, tree) = (Project::open(&self.base_of(session_id))?, Project::open(&self.place_of(session_id))?);
        let changed = differing_files(&base, &tree, files)?;
        TreeNote { changed: Some(changed.clone()), ..note }.write(&self.notes)?;
        Ok(changed)
    }

    /// Returns the sessions of the worktrees that `is_it` means, by their project's folder and the call above. Blocking.
    pub(crate) fn those(&self, mut is_it: impl FnMut(&Path, &ParentCall) -> bool) -> Vec<SessionId> {
        let notes = TreeNote::all(&self.notes).into_iter();
        notes.filter(|note| is_it(&note.origin, &note.parent)).map(|note| note.session_id).collect()
    }

    /// Removes worktrees whose changes nobody can take any more. Returns those that had some and are gone.
    pub(crate) async fn discard(
        self: &Arc<Self>,
        session_ids: Vec<SessionId>,
        background: &BackgroundCommands,
    ) -> Result<Vec<Discarded>, Error> {
        let mut discarded = Vec::new();
        for session_id in session_ids {
            background.stop_in_worktree(&session_id).await;
            discarded.extend(blocking(self, move |trees| Ok(trees.discarded(session_id))).await?);
        }
        Ok(discarded)
    }

    fn discarded(&self, session_id: SessionId) -> Option<Discarded> {
        let origin = self.note(&session_id)?.origin;
        let changed = self.changes_at_end(&session_id);
        if let Err(fault) = &changed {
            tracing::warn!(%session_id, %fault, "what a sub-agent changed in its worktree could not be read");
        }
        let is_untouched = changed.as_ref().is_ok_and(Vec::is_empty);
        let is_removed = self.remove(&session_id);
        (is_removed && !is_untouched).then(|| Discarded { origin, session_id, changed: changed.ok() })
    }

    /// Ends what the sub-agent left at work in its worktree, and removes that.
    pub(crate) async fn end(
        self: &Arc<Self>,
        session_id: &SessionId,
        background: &BackgroundCommands,
    ) -> Result<(), Error> {
        background.stop_in_worktree(session_id).await;
        let session_id = session_id.clone();
        blocking(self, move |trees| {
            trees.remove(&session_id);
            Ok(())
        })
        .await
    }

    /// Removes a worktree with all that belongs to it; returns whether nothing of it is left. What can't be removed now
    /// stays noted, and is tried again by whoever begins the next run in the project.
    fn remove(&self, session_id: &SessionId) -> bool {
        let Some(note) = self.note(session_id) else { return true };
        let tree = self.place_of(session_id);
        let removed = forget_worktree(&note.origin, &tree)
            .and_then(|()| remove_private_dir(&tree))
            .and_then(|()| remove_private_dir(&self.base_of(session_id)))
            .and_then(|()| note.remove(&self.notes));
        if let Err(error) = &removed {
            tracing::warn!(%session_id, %error, "a sub-agent's worktree could not be removed");
        }
        removed.is_ok()
    }

    fn base_of(&self, session_id: &SessionId) -> PathBuf {
        self.notes.join(format!("{session_id}.base"))
    }

    fn note(&self, session_id: &SessionId) -> Option<TreeNote> {
        TreeNote::read(&self.notes, session_id.as_str())
    }
}

impl Discarded {
    /// Returns the message for the session's log.
    pub(crate) fn told(&self) -> String {
        const MAX_NAMED: usize = 20;
        let removed = format!("Removed the worktree of the sub-agent {}", self.session_id);
        let Some(changed) = &self.changed else {
            return format!("{removed}. Its changes were not taken, and the list of changed files can't be read.");
        };
        let named: Vec<&str> = changed.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = match changed.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{removed}. These changed files were not taken: {}{more}.", named.join(", "))
    }
}

fn gone(worktree: &SessionId) -> Error {
    Error::new(
        Code::WORKTREE_GONE,
        format!("There is no worktree {worktree} with changes to take."),
        "They were taken, rejected, or discarded when the run ended. The result of `delegate` names the worktree.",
    )
}

#[cfg(test)]
mod tests;

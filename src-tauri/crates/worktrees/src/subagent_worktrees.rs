//! The worktrees of sub-agents: made outside the sandbox, worked in inside it, compared with what they began with, and
//! removed once somebody has decided on their changes.
//!
//! A worktree lies beside Arki's data, where commands may work. A note on it, and the files it began with, lie in the
//! data, where nothing but Arki writes. So the note says which project a worktree is of: what was agreed to there holds
//! in it, and no worktree is ever trusted by itself.

mod changes;

use crate::blocking::blocking;
use crate::git::{Git, WITHOUT_ISOLATION, fitness};
use crate::notes::{Note, Notes};
use arki_disk::{create_private_dir, remove_private_dir};
use arki_domain::{Error, ParentCall, SessionId};
use arki_files::{CopyLimits, Project, copy_files, differing_files, forget_worktree};
use globset::GlobSet;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most that is copied into one worktree: the number of files, and the bytes of all of them together.
const LIMITS: CopyLimits = CopyLimits { files: 50_000, bytes: 1 << 30 };

pub struct SubagentWorktrees {
    trees: PathBuf,
    notes: Notes<SubagentNote>,
    /// Git names its own folders for worktrees one after another.
    making: tokio::sync::Mutex<()>,
}

/// A worktree that is to be made.
pub struct NewSubagentWorktree {
    /// The project's folder, canonical.
    pub origin: PathBuf,
    /// The session of the sub-agent.
    pub session_id: SessionId,
    pub parent: ParentCall,
    /// Files that are not copied.
    pub secrets: GlobSet,
}

/// A worktree that is there no more, though nobody has decided on what was in it.
pub struct DiscardedWorktree {
    /// The project's folder.
    pub origin: PathBuf,
    session_id: SessionId,
    /// `None` where it could not be read.
    changed: Option<Vec<String>>,
}

impl SubagentWorktrees {
    /// `trees`: the folder in which they lie; `notes`: that for notes on them, and for the files that they began with.
    #[must_use]
    pub fn new(trees: PathBuf, notes: PathBuf) -> Self {
        Self { trees, notes: Notes::new(notes), making: tokio::sync::Mutex::default() }
    }

    /// # Errors
    /// `WORKTREE_UNAVAILABLE`, as far as the folder's files tell.
    pub fn ensure_can_be_of(&self, origin: &Path) -> Result<(), Error> {
        fitness::ensure_fit(origin, WITHOUT_ISOLATION)
    }

    /// Returns the place of a session's worktree, whether it is there or not.
    pub fn place_of(&self, session_id: &SessionId) -> PathBuf {
        let trees = self.trees.canonicalize().unwrap_or_else(|_| self.trees.clone());
        trees.join(session_id.as_str())
    }

    /// Returns the project whose worktree is at `path`; `None` where Arki has made none there.
    pub fn origin_of(&self, path: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().ok()?;
        let note = self.notes.read(path.file_name()?.to_str()?)?;
        (path == self.place_of(&note.session_id)).then_some(note.origin)
    }

    /// Makes a worktree with the project's files as they are: those that git tracks or doesn't ignore, but secret ones.
    /// What an interrupted attempt left is removed before.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE`, `WORKTREE_TOO_LARGE`, `WORKTREE_FAILED`, and what the disk says. Nothing is left then.
    pub async fn make(self: &Arc<Self>, new: NewSubagentWorktree) -> Result<(), Error> {
        let _making = self.making.lock().await;
        let (session_id, origin) = (new.session_id.clone(), new.origin.clone());
        let session = session_id.clone();
        blocking(self, move |trees| {
            fitness::ensure_fit(&origin, WITHOUT_ISOLATION)?;
            trees.remove(&session);
            create_private_dir(&trees.trees)?;
            trees.notes.ensure_folder()?;
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

    async fn made(
        self: &Arc<Self>,
        NewSubagentWorktree { origin, session_id, parent, secrets }: NewSubagentWorktree,
    ) -> Result<(), Error> {
        let git = Git::of(&origin, &self.trees, WITHOUT_ISOLATION)?;
        git.last_commit().await?;
        let paths: Vec<String> = git.files().await?.into_iter().collect();
        let note = SubagentNote { session_id, origin: origin.clone(), parent, files: None, changed: None };
        self.notes.write(&note)?;
        git.add_worktree(&self.place_of(&note.session_id)).await?;
        blocking(self, move |trees| {
            let (tree, base) = (trees.place_of(&note.session_id), trees.base_of(&note.session_id));
            create_private_dir(&tree)?;
            create_private_dir(&base)?;
            let (origin, tree, base) = (Project::open(&note.origin)?, Project::open(&tree)?, Project::open(&base)?);
            let files = copy_files(&origin, &[&base, &tree], &paths, &secrets, LIMITS)?;
            trees.notes.write(&SubagentNote { files: Some(files), ..note })
        })
        .await
    }

    /// Returns whether the session's worktree is there as a whole.
    pub fn is_made(&self, session_id: &SessionId) -> bool {
        self.note(session_id).is_some_and(|note| note.files.is_some()) && self.place_of(session_id).is_dir()
    }

    /// Returns the files that the sub-agent, which has ended, changed in its worktree. Blocking.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn changes_at_end(&self, session_id: &SessionId) -> Result<Vec<String>, Error> {
        let Some(note) = self.note(session_id) else { return Ok(Vec::new()) };
        if let Some(changed) = note.changed {
            return Ok(changed);
        }
        let Some(files) = &note.files else { return Ok(Vec::new()) };
        let (base, tree) = (Project::open(&self.base_of(session_id))?, Project::open(&self.place_of(session_id))?);
        let changed = differing_files(&base, &tree, files)?;
        self.notes.write(&SubagentNote { changed: Some(changed.clone()), ..note })?;
        Ok(changed)
    }

    /// Returns the sessions of the worktrees that `is_it` means, by their project's folder and the call above. Blocking.
    pub fn those(&self, mut is_it: impl FnMut(&Path, &ParentCall) -> bool) -> Vec<SessionId> {
        let notes = self.notes.all().into_iter();
        notes.filter(|note| is_it(&note.origin, &note.parent)).map(|note| note.session_id).collect()
    }

    /// Removes a worktree whose changes nobody can take any more. Returns it where it had some and is gone. Blocking.
    pub fn discard(&self, session_id: SessionId) -> Option<DiscardedWorktree> {
        let origin = self.note(&session_id)?.origin;
        let changed = self.changes_at_end(&session_id);
        if let Err(fault) = &changed {
            tracing::warn!(%session_id, %fault, "what a sub-agent changed in its worktree could not be read");
        }
        let is_untouched = changed.as_ref().is_ok_and(Vec::is_empty);
        let is_removed = self.remove(&session_id);
        (is_removed && !is_untouched).then(|| DiscardedWorktree { origin, session_id, changed: changed.ok() })
    }

    /// Removes a worktree with all that belongs to it; returns whether nothing of it is left. What can't be removed now
    /// stays noted, and is tried again by whoever begins the next run in the project. Blocking.
    pub fn remove(&self, session_id: &SessionId) -> bool {
        let Some(note) = self.note(session_id) else { return true };
        let tree = self.place_of(session_id);
        let removed = forget_worktree(&note.origin, &tree)
            .and_then(|()| remove_private_dir(&tree))
            .and_then(|()| remove_private_dir(&self.base_of(session_id)))
            .and_then(|()| self.notes.remove(&note).map_err(io::Error::other));
        if let Err(error) = &removed {
            tracing::warn!(%session_id, %error, "a sub-agent's worktree could not be removed");
        }
        removed.is_ok()
    }

    fn base_of(&self, session_id: &SessionId) -> PathBuf {
        self.notes.folder().join(format!("{session_id}.base"))
    }

    fn note(&self, session_id: &SessionId) -> Option<SubagentNote> {
        self.notes.read(session_id.as_str())
    }
}

impl DiscardedWorktree {
    /// Returns the message for the session's log.
    pub fn told(&self) -> String {
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

/// The note on a sub-agent's worktree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubagentNote {
    /// The session of the sub-agent.
    pub(super) session_id: SessionId,
    /// The project's folder, canonical.
    pub(super) origin: PathBuf,
    pub(super) parent: ParentCall,
    /// The files that it began with, once all are there.
    pub(super) files: Option<Vec<String>>,
    /// The files that are changed in it, once the sub-agent has ended.
    pub(super) changed: Option<Vec<String>>,
}

impl Note for SubagentNote {
    fn name(&self) -> String {
        self.session_id.to_string()
    }
}

#[cfg(test)]
mod tests;

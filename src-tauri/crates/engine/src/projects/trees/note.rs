//! The note on a worktree: a file of its own, written before there is anything to note.

use arki_disk::{remove_private_file, write_private_file};
use arki_domain::{Error, ParentCall, SessionId};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};

const ENDING: &str = "json";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TreeNote {
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

impl TreeNote {
    /// `None` where there is none, or it can't be read. The id may be a model's word: only one that can't lead to
    /// another folder is looked for.
    pub(super) fn read(notes: &Path, session_id: &str) -> Option<Self> {
        if !session_id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return None;
        }
        let bytes = fs::read(file(notes, session_id)).ok()?;
        let note: Self = serde_json::from_slice(&bytes).ok()?;
        (note.session_id.as_str() == session_id).then_some(note)
    }

    /// The oldest first: their names are times.
    pub(super) fn all(notes: &Path) -> Vec<Self> {
        let entries = fs::read_dir(notes).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|it| it == ENDING)).collect();
        files.sort();
        files.iter().filter_map(|path| Self::read(notes, path.file_stem()?.to_str()?)).collect()
    }

    pub(super) fn write(&self, notes: &Path) -> Result<(), Error> {
        let bytes = serde_json::to_vec(self).map_err(Error::internal)?;
        Ok(write_private_file(&file(notes, self.session_id.as_str()), &bytes)?)
    }

    pub(super) fn remove(&self, notes: &Path) -> io::Result<()> {
        remove_private_file(&file(notes, self.session_id.as_str())).map_err(io::Error::other)
    }
}

fn file(notes: &Path, session_id: &str) -> PathBuf {
    notes.join(format!("{session_id}.{ENDING}"))
}

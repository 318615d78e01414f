//! Notes on worktrees: a file each, in Arki's data, where nothing but Arki writes. A note is written before there is
//! anything to note, so what an interruption leaves is found by it.

use arki_disk::{create_private_dir, remove_private_file, write_private_file};
use arki_domain::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

const ENDING: &str = "json";

pub(crate) trait Note: Serialize + DeserializeOwned {
    /// Its file's name, without the ending: letters, digits and `-`.
    fn name(&self) -> String;
}

/// A folder with notes of one kind.
pub(crate) struct Notes<N> {
    folder: PathBuf,
    of: PhantomData<fn() -> N>,
}

impl<N: Note> Notes<N> {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, of: PhantomData }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn ensure_folder(&self) -> Result<(), Error> {
        Ok(create_private_dir(&self.folder)?)
    }

    /// `None` where there is none, or it can't be read. The name may be a model's word: only one that can't lead to
    /// another folder is looked for.
    pub(crate) fn read(&self, name: &str) -> Option<N> {
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return None;
        }
        let note: N = serde_json::from_slice(&fs::read(self.file(name)).ok()?).ok()?;
        (note.name() == name).then_some(note)
    }

    /// By their names.
    pub(crate) fn all(&self) -> Vec<N> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|it| it == ENDING)).collect();
        files.sort();
        files.iter().filter_map(|path| self.read(path.file_stem()?.to_str()?)).collect()
    }

    pub(crate) fn write(&self, note: &N) -> Result<(), Error> {
        let bytes = serde_json::to_vec(note).map_err(Error::internal)?;
        Ok(write_private_file(&self.file(&note.name()), &bytes)?)
    }

    pub(crate) fn remove(&self, note: &N) -> Result<(), Error> {
        Ok(remove_private_file(&self.file(&note.name()))?)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ENDING}"))
    }
}

//! The indexes of all folders: where they lie in Arki's data, which are being brought up to date, and when they go.

use crate::database::{note_of, noted_folder};
use crate::plan::IndexLimits;
use crate::update::{Update, UpdateThread, Waited};
use arki_disk::{remove_private_dir, remove_private_file};
use arki_domain::sha256_hex;
use arki_files::CancellationToken;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Enough of a hash to tell folders apart; some programs have trouble with long paths.
const NAME_CHARS: usize = 16;

/// Tells of a folder, by its canonical path, whether the user trusts it.
type IsTrusted = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// The indexes in one folder of Arki's data, an index for each trusted folder and each worktree of it.
pub struct ProjectIndexes {
    folder: PathBuf,
    pub(crate) limits: IndexLimits,
    is_trusted: IsTrusted,
    /// The last update of each index in this process.
    updates: Mutex<HashMap<PathBuf, Arc<UpdateThread>>>,
    is_tidied: AtomicBool,
}

impl ProjectIndexes {
    /// `folder` need not exist yet.
    pub fn new(
        folder: PathBuf,
        limits: IndexLimits,
        is_trusted: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        let is_trusted = Box::new(is_trusted);
        Self { folder, limits, is_trusted, updates: Mutex::default(), is_tidied: AtomicBool::default() }
    }

    /// Removes what is indexed of a folder, its worktrees too. Blocking.
    pub fn remove(&self, trusted: &str) {
        let folder = self.folder.join(name(trusted));
        let mut updates = self.updates.lock().unwrap_or_else(PoisonError::into_inner);
        updates.iter().filter(|(place, _)| place.starts_with(&folder)).for_each(|(_, update)| update.stop());
        updates.retain(|place, _| !place.starts_with(&folder));
        remove_folder(&folder);
    }

    pub(crate) fn trusts(&self, folder: &str) -> bool {
        (self.is_trusted)(folder)
    }

    /// The folder of an index.
    pub(crate) fn place(&self, trusted: &str, workplace: &Path) -> PathBuf {
        self.folder.join(name(trusted)).join(name(&workplace.display().to_string()))
    }

    /// Waits until an update has ended that was begun after this was called: one that is at work may have passed by
    /// what has changed just now.
    pub(crate) fn wait_for_update(
        self: &Arc<Self>,
        update: impl Fn() -> Update,
        until: Instant,
        cancel: &CancellationToken,
    ) -> Waited {
        loop {
            let (thread, is_new) = self.update(&update);
            match thread.wait(until, cancel) {
                Waited::UpToDate | Waited::Failed(_) if !is_new => {}
                waited => return waited,
            }
        }
    }

    /// Returns the update that is at work, or a new one.
    fn update(self: &Arc<Self>, update: impl Fn() -> Update) -> (Arc<UpdateThread>, bool) {
        let update = update();
        let mut updates = self.updates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = updates.get(&update.folder).filter(|thread| thread.is_at_work()) {
            return (thread.clone(), false);
        }
        let (indexes, place) = (self.clone(), update.folder.clone());
        let thread = UpdateThread::start(update, move || indexes.tidy_once());
        updates.insert(place, thread.clone());
        (thread, true)
    }

    /// Removes the indexes of folders that are gone or not trusted any more, once in the life of a process.
    fn tidy_once(&self) {
        if self.is_tidied.swap(true, Ordering::Relaxed) {
            return;
        }
        for project in folders_in(&self.folder) {
            let indexes: Vec<PathBuf> = folders_in(&project).collect();
            let (kept, gone): (Vec<_>, Vec<_>) = indexes.into_iter().partition(|index| self.is_wanted(index, &project));
            for index in gone {
                remove_folder(&index);
                let _ = remove_private_file(&note_of(&index));
            }
            if kept.is_empty() {
                remove_folder(&project);
            }
        }
    }

    fn is_wanted(&self, index: &Path, project: &Path) -> bool {
        let Some(folder) = noted_folder(index) else { return false };
        let is_project = project.file_name().is_some_and(|known| known == name(&folder).as_str());
        Path::new(&folder).is_dir() && (!is_project || self.trusts(&folder))
    }
}

fn name(folder: &str) -> String {
    sha256_hex(folder.as_bytes())[..NAME_CHARS].to_owned()
}

fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

fn remove_folder(folder: &Path) {
    if let Err(error) = remove_private_dir(folder) {
        tracing::warn!(%error, folder = %folder.display(), "a search index stays");
    }
}

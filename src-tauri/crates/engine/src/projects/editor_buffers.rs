//! The editors that have files of a folder open, for as long as they are there.

use arki_tools::OpenBuffers;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

#[derive(Default)]
pub struct EditorBuffers(Mutex<Vec<(PathBuf, Weak<dyn OpenBuffers>)>>);

impl EditorBuffers {
    /// Has runs that begin in the folder look at these buffers, until nobody holds them any more.
    pub fn add(&self, folder: &Path, buffers: &Arc<dyn OpenBuffers>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, buffers)| buffers.strong_count() > 0);
        all.push((folder.to_owned(), Arc::downgrade(buffers)));
    }

    /// Returns those that came last.
    #[must_use]
    pub fn of(&self, folder: &Path) -> Option<Arc<dyn OpenBuffers>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().rev().filter(|(of, _)| of == folder).find_map(|(_, buffers)| buffers.upgrade())
    }
}

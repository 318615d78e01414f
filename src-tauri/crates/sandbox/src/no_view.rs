//! Systems without views: nobody gets one, and who asks is told so by `Sandbox::has_views`.

use std::io;
use std::path::{Path, PathBuf};

use super::view_change::{ViewChanges, ViewEntry};

/// A view's own folder; there is none.
#[derive(Debug)]
pub struct OverlayView {
    never: std::convert::Infallible,
}

impl OverlayView {
    /// # Errors
    /// Always.
    pub fn create(_: &Path, _: Vec<PathBuf>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns why there are none.
    #[must_use]
    pub fn fault(_: &Path, _: &Path) -> Option<String> {
        Some("There are no views on this system.".to_owned())
    }

    pub(super) fn bound(&self) -> &[PathBuf] {
        match self.never {}
    }

    /// # Errors
    /// Never comes to it.
    pub fn changes(&self, _: &Path, _: usize, _: impl Fn(&Path) -> bool) -> io::Result<ViewChanges> {
        match self.never {}
    }

    /// # Errors
    /// Never comes to it.
    pub fn all_changes(&self, _: &Path, _: usize, _: impl Fn(&Path) -> bool) -> io::Result<ViewChanges> {
        match self.never {}
    }

    /// # Errors
    /// Never comes to it.
    pub fn begin_call(&self) -> io::Result<()> {
        match self.never {}
    }

    /// # Errors
    /// Never comes to it.
    pub fn move_out(&self, _: &Path, _: &Path) -> io::Result<()> {
        match self.never {}
    }

    /// # Errors
    /// Never comes to it.
    pub fn entry(&self, _: &Path, _: u64) -> io::Result<ViewEntry> {
        match self.never {}
    }
}

/// There are none.
pub fn remove_abandoned_views(_: &Path, _: std::time::Duration) {}

//! Tells whether a project is small enough for all its git directories to be looked after, and whether it has secrets.

use std::path::Path;

use globset::GlobSet;
#[cfg(unix)]
use std::sync::Mutex;

#[cfg(unix)]
use super::{listings::Listings, sensitive};

/// A sandbox's view of a project's git directories; remembers what folders hold from one look to the next.
#[derive(Debug, Default)]
pub struct GitSight {
    #[cfg(unix)]
    listings: Mutex<Listings>,
}

impl GitSight {
    /// Looks for files of secrets too: those that always are, and these.
    #[must_use]
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is no sandbox"))]
    pub fn with_secrets(secrets: GlobSet) -> Self {
        #[cfg(unix)]
        return Self { listings: Mutex::new(Listings::with_secrets(Some(secrets))) };
        #[cfg(not(unix))]
        Self::default()
    }

    /// Returns whether the project has a file of secrets. Blocks as [`GitSight::is_partial`] does.
    #[must_use]
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is no sandbox"))]
    pub fn has_secrets(&self, root: &Path) -> bool {
        #[cfg(unix)]
        return !sensitive::find(root, &self.listings).secrets.is_empty();
        #[cfg(not(unix))]
        false
    }

    /// Returns whether there is more than is looked through, so that a git directory that lies deep would be neither
    /// read-only for commands nor looked at when they end. Blocks for as long as it takes to look through the project,
    /// within bounds.
    #[must_use]
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is no sandbox"))]
    pub fn is_partial(&self, root: &Path) -> bool {
        #[cfg(unix)]
        return sensitive::find(root, &self.listings).is_cut;
        #[cfg(not(unix))]
        false
    }
}

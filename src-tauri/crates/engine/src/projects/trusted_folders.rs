//! The folders that are trusted, and the end of that: also of a folder that is gone, at whose place another may appear.

use crate::projects::Projects;
use crate::projects::open::canonical;
use crate::records::blocking;
use arki_domain::Error;
use arki_store::TrustRecord;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder that the user trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedFolder {
    pub path: String,
    /// Milliseconds since 1970.
    pub trusted_at: i64,
    pub is_there: bool,
}

impl Projects {
    /// The trusted folders, the newest decision first. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn trusted_folders(&self) -> Result<Vec<TrustedFolder>, Error> {
        let folders = self.records.decisions().trusted_folders()?;
        let folder = |(path, trusted_at): (String, i64)| {
            let is_there = Path::new(&path).is_dir();
            TrustedFolder { path, trusted_at, is_there }
        };
        Ok(folders.into_iter().map(folder).collect())
    }

    /// Stops trusting a folder, whether it is still there or not; returns its path.
    ///
    /// # Errors
    /// `FOLDER_UNAVAILABLE` for a folder that isn't there and isn't trusted, or when the database cannot be written.
    pub async fn withdraw_trust(self: &Arc<Self>, path: &Path) -> Result<String, Error> {
        let path = path.to_owned();
        let folder = blocking(self, move |projects| projects.folder_to_withdraw(&path)).await?;
        let record = TrustRecord { trusted: false, pins: Vec::new(), decided_at: self.records.clock().now_ms() };
        self.records.store().set_trust(&folder, record).await?;
        Ok(folder)
    }

    fn folder_to_withdraw(&self, path: &Path) -> Result<String, Error> {
        // First as it is named: where a trusted folder was there may be a link to another one now.
        for place in places(path) {
            if self.records.decisions().trust(&place)?.is_some_and(|trust| trust.trusted) {
                return Ok(place);
            }
        }
        let unavailable = match canonical(path) {
            Ok(folder) => return Ok(folder.display().to_string()),
            Err(unavailable) => unavailable,
        };
        Err(Error { hint: "Check the path: `arki trust --list` prints the trusted folders.".to_owned(), ..unavailable })
    }
}

/// The paths by which a folder may have been known: as it is named, and with the links in what is left of
/// its path followed.
fn places(path: &Path) -> impl Iterator<Item = String> {
    let named = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let followed = named.ancestors().find_map(|above| {
        let rest = named.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    });
    [Some(named), followed].into_iter().flatten().map(|place: PathBuf| place.display().to_string())
}

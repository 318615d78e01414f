//! Folders that are trusted, by what is in them as the user saw it, and the end of that: also of a folder that is gone, at
//! whose place another may appear.
//!
//! The trust in a worktree covers what the user has agreed to in its project, and nothing else.

use crate::projects::config_in_force::ProjectConfig;
use crate::projects::hooks::READERS;
use crate::projects::open::{canonical, kind_word, pin_record};
use crate::{Projects, Records, blocking};
use arki_api::ProjectState;
use arki_config::PROJECT_CONFIG;
use arki_disk::FolderLock;
use arki_domain::{Error, TrustPin};
use arki_files::{CLAUDE_SETTINGS, PinKind, Project};
use arki_retrieval::{IndexLimits, ProjectIndexes};
use arki_store::{PinRecord, TrustRecord};
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

/// The trust that the user gives folders, and withdraws.
pub struct FolderTrust {
    records: Arc<Records>,
    projects: Arc<Projects>,
    indexes: Arc<ProjectIndexes>,
}

impl FolderTrust {
    pub(crate) fn new(records: Arc<Records>, projects: Arc<Projects>, indexes: Arc<ProjectIndexes>) -> Self {
        Self { records, projects, indexes }
    }

    /// Trusts a folder as it is now, and puts the project's template into it. `unpinned` are the hashes of what can't be
    /// pinned and the user agrees to now.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub async fn trust(self: &Arc<Self>, path: &Path, unpinned: Vec<String>) -> Result<ProjectState, Error> {
        let path = path.to_owned();
        let _trusting = lock_trust(&self.records).await?;
        let (root, record) = blocking(self, move |trust| trust.trusted_as_it_is(&path, &unpinned)).await?;
        self.records.store().set_trust(&root.display().to_string(), record).await?;
        blocking(&self.projects, move |projects| projects.project(&root)).await
    }

    fn trusted_as_it_is(&self, path: &Path, unpinned: &[String]) -> Result<(PathBuf, TrustRecord), Error> {
        let open = self.projects.load_folder(path)?;
        let project = &open.project;
        if let Err(error) = arki_files::install_template(project.root()) {
            tracing::warn!(%error, "the project's template was not written");
        }
        let pins = arki_files::scan(project.root(), READERS)?.pins;
        let pins = pins.iter().filter(|pin| !open.is_left_off(pin) || unpinned.contains(&pin.hash));
        let mut pins: Vec<PinRecord> = pins.map(|pin| pin_record(project, pin, self.records.redactor())).collect();
        self.keep_what_is_unreadable(project, &mut pins)?;
        let record = TrustRecord { trusted: true, pins, decided_at: self.records.clock().now_ms() };
        Ok((project.root().to_owned(), record))
    }

    /// Keeps the pins of a configuration that can't be read. Nobody can approve it, so the approved version and what it
    /// forbade stay.
    fn keep_what_is_unreadable(&self, project: &Project, pins: &mut Vec<PinRecord>) -> Result<(), Error> {
        let before = self.records.decisions().trust(&project.root().display().to_string())?;
        for name in [PROJECT_CONFIG].into_iter().chain(CLAUDE_SETTINGS) {
            if !ProjectConfig::read(project, before.as_ref(), name).is_readable() {
                let is_of_config = |record: &&PinRecord| record.pin.path.starts_with(name);
                pins.retain(|record| !is_of_config(&record));
                let before = before.iter().filter(|before| before.trusted).flat_map(|before| &before.pins);
                pins.extend(before.filter(is_of_config).cloned());
            }
        }
        Ok(())
    }

    /// Withdraws trust: from now on nothing of the folder is loaded, and only reading is allowed in it.
    ///
    /// # Errors
    /// When the folder or the database cannot be used.
    pub async fn untrust(self: &Arc<Self>, path: &Path) -> Result<ProjectState, Error> {
        let folder = self.withdraw_trust(path).await?;
        blocking(&self.projects, move |projects| projects.project(Path::new(&folder))).await
    }

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
        let folder = blocking(self, move |trust| trust.folder_to_withdraw(&path)).await?;
        let record = TrustRecord { trusted: false, pins: Vec::new(), decided_at: self.records.clock().now_ms() };
        self.records.store().set_trust(&folder, record).await?;
        let untrusted = folder.clone();
        blocking(&self.indexes, move |indexes| {
            indexes.remove(&untrusted);
            Ok(())
        })
        .await?;
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

/// Returns the search indexes of the folders that are trusted whenever one is asked.
pub(crate) fn search_indexes(records: &Arc<Records>) -> Arc<ProjectIndexes> {
    let (folder, records) = (records.directories().indexes(), records.clone());
    let is_trusted = move |folder: &str| {
        records.decisions().trust(folder).is_ok_and(|trust| trust.is_some_and(|trust| trust.trusted))
    };
    Arc::new(ProjectIndexes::new(folder, IndexLimits::default(), is_trusted))
}

/// Held while what is trusted is read and changed: of two changes at once, in any process, neither is lost.
pub(super) async fn lock_trust(records: &Records) -> Result<FolderLock, Error> {
    let data = records.directories().data.clone();
    let taken = tokio::task::spawn_blocking(move || FolderLock::take(&data)).await;
    Ok(taken.map_err(Error::internal)??)
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

impl FolderTrust {
    /// Trusts a worktree as its project is trusted: by the same pins, so that what differs there is off. Of git's own, only
    /// those of what is there in the same form: the worktree's repository has a configuration of its own.
    ///
    /// # Errors
    /// When the folder can't be read, or the database can't be written.
    pub(crate) async fn trust_worktree(self: &Arc<Self>, folder: &Path, agreed: TrustRecord) -> Result<(), Error> {
        let place = folder.to_owned();
        let pins = blocking(self, move |_| {
            let there = arki_files::scan(&place, READERS)?.pins;
            let is_of_git =
                |kind: &str| [PinKind::GitConfig, PinKind::GitHook].map(kind_word).iter().any(|it| it == kind);
            let is_there = |pin: &TrustPin| {
                there.iter().any(|it| it.path == pin.path && it.hash == pin.hash && kind_word(it.kind) == pin.kind)
            };
            let pins = agreed.pins.into_iter();
            Ok(pins.filter(|record| !is_of_git(&record.pin.kind) || is_there(&record.pin)).collect())
        });
        let record = TrustRecord { trusted: true, pins: pins.await?, decided_at: self.records.clock().now_ms() };
        Ok(self.records.store().set_trust(&folder.display().to_string(), record).await?)
    }

    /// Stops trusting the place of a worktree, before another folder lies there.
    ///
    /// # Errors
    /// When the database can't be written.
    pub(crate) async fn untrust_worktree(self: &Arc<Self>, folder: &Path) -> Result<(), Error> {
        let record = TrustRecord { trusted: false, pins: Vec::new(), decided_at: self.records.clock().now_ms() };
        Ok(self.records.store().set_trust(&folder.display().to_string(), record).await?)
    }
}

/// The files that the user has agreed to, by their paths: also those that git ignores.
pub(crate) fn agreed_files(agreed: &TrustRecord) -> Vec<String> {
    let files = agreed.pins.iter().map(|record| record.pin.path.split('#').next().unwrap_or_default().to_owned());
    let mut files: Vec<String> = files.filter(|path| !path.is_empty()).collect();
    files.sort();
    files.dedup();
    files
}

//! What a worktree is trusted with: what the user has agreed to in its project, and nothing else.

use crate::projects::Projects;
use crate::projects::open::{OpenProject, kind_word};
use arki_domain::{Code, Fault};
use arki_files::PinKind;
use arki_store::TrustRecord;
use std::path::Path;
use std::sync::Arc;

impl Projects {
    /// Trusts a worktree as its project is trusted: by the same pins, so that what differs there is off. Git's own are
    /// left out, since the worktree's repository has no hooks and a configuration of its own.
    ///
    /// # Errors
    /// When the database can't be written.
    pub(crate) async fn trust_worktree(self: &Arc<Self>, folder: &Path, agreed: &TrustRecord) -> Result<(), Fault> {
        let of_git = [PinKind::GitConfig, PinKind::GitHook].map(kind_word);
        let pins = agreed.pins.iter().filter(|record| !of_git.contains(&record.pin.kind)).cloned().collect();
        let record = TrustRecord { trusted: true, pins, decided_at: self.records.clock().now_ms() };
        Ok(self.records.store().set_trust(&folder.display().to_string(), record).await?)
    }

    /// Stops trusting the place of a worktree, before another folder lies there.
    ///
    /// # Errors
    /// When the database can't be written.
    pub(crate) async fn untrust_worktree(self: &Arc<Self>, folder: &Path) -> Result<(), Fault> {
        let record = TrustRecord { trusted: false, pins: Vec::new(), decided_at: self.records.clock().now_ms() };
        Ok(self.records.store().set_trust(&folder.display().to_string(), record).await?)
    }

    /// Opens a project of which there is to be a worktree, and returns what the user has agreed to in it.
    ///
    /// # Errors
    /// `UNTRUSTED`, `FOLDER_UNAVAILABLE`.
    pub(crate) fn open_trusted(&self, folder: &Path) -> Result<(OpenProject, TrustRecord), Fault> {
        let open = self.load_project(folder)?;
        let agreed = open.trust.clone().filter(|trust| trust.trusted);
        match agreed {
            Some(agreed) => Ok((open, agreed)),
            None => Err(Fault::new(
                Code::UNTRUSTED,
                format!("{} is not trusted, so there can be no worktree of it.", open.path()),
                "Trust the folder first: `arki trust` shows what that enables.",
            )),
        }
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

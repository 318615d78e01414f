//! The trust in a worktree: it covers what the user has agreed to in its project, and nothing else.

use crate::projects::folder_trust::FolderTrust;
use crate::projects::hook_pins::READERS;
use crate::projects::open::kind_word;
use crate::records::blocking;
use arki_domain::{Error, TrustPin};
use arki_files::PinKind;
use arki_store::TrustRecord;
use std::path::Path;
use std::sync::Arc;

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

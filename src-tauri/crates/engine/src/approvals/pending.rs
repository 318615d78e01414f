//! The approvals that no one has answered yet, and the time that they have.

use crate::records::Records;
use arki_domain::{ApprovalId, Code, Error};
use arki_store::ApprovalRecord;
use std::sync::Arc;

/// More pending approvals than this are not listed.
const MAX_APPROVALS: usize = 1000;

/// Approvals as the lists have them, whatever they are about.
pub struct PendingApprovals {
    pub(super) records: Arc<Records>,
}

impl PendingApprovals {
    /// Returns the pending approvals of all sessions, the newest first. What came with an export waits where it was
    /// asked.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pending_approvals(&self) -> Result<Vec<ApprovalRecord>, Error> {
        let mut pending = Vec::new();
        for record in self.records.reader().lists().pending_approvals(MAX_APPROVALS)? {
            let is_imported =
                record.run_id.as_ref().map(|run_id| self.records.reader().is_imported(run_id)).transpose()?;
            if is_imported != Some(true) {
                pending.push(record);
            }
        }
        Ok(pending)
    }

    /// One approval, decided or not.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`.
    pub fn approval(&self, approval_id: &ApprovalId) -> Result<ApprovalRecord, Error> {
        self.records.reader().lists().approval(approval_id)?.ok_or_else(|| {
            Error::new(
                Code::APPROVAL_NOT_FOUND,
                format!("There is no approval {approval_id}."),
                "`arki approvals list` shows the pending approvals.",
            )
        })
    }

    pub(crate) async fn approval_now(&self, approval_id: &ApprovalId) -> Option<ApprovalRecord> {
        let approval_id = approval_id.clone();
        self.records.store().read(move |reader| reader.lists().approval(&approval_id)).await.ok().flatten()
    }
}

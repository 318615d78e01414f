//! The approvals that no one has answered yet, the time that they have, and the one that a name on the command line means.
//!
//! The time is noted with the question. Whoever goes on with the run after it was over rejects it, so that the model hears
//! of it; a program that stays, as the desktop app does, goes on by itself.

use crate::session_names::{LAST, MAX_CANDIDATES, ambiguous, found, shown, unknown, with_title};
use crate::{Records, refuse_last};
use arki_domain::{ApprovalId, ApprovalRequested, ApprovalResolved, Code, Error, SessionId};
use arki_store::{ApprovalRecord, IdKind, MIN_ID_PART_BYTES, NamedId};
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
            let message = format!("There is no approval {approval_id}.");
            Error::new(Code::APPROVAL_NOT_FOUND, message, "`arki approvals list` shows the pending approvals.")
        })
    }

    pub(crate) async fn approval_now(&self, approval_id: &ApprovalId) -> Option<ApprovalRecord> {
        let approval_id = approval_id.clone();
        self.records.store().read(move |reader| reader.lists().approval(&approval_id)).await.ok().flatten()
    }
}

impl PendingApprovals {
    /// The rejection, where the time is over.
    pub(crate) fn timed_out(&self, asked: &ApprovalRequested) -> Option<ApprovalResolved> {
        let record = self.records.reader().lists().approval(&asked.approval_id).ok()??;
        (self.milliseconds_to_answer(&record)? == 0).then(|| ApprovalResolved::timed_out(asked))
    }

    /// Returns whether its time is over, so that it counts as rejected.
    #[must_use]
    pub fn has_expired(&self, record: &ApprovalRecord) -> bool {
        self.milliseconds_to_answer(record) == Some(0)
    }

    pub(crate) fn ensure_in_time(&self, record: &ApprovalRecord) -> Result<(), Error> {
        if !self.has_expired(record) {
            return Ok(());
        }
        let hint = format!("`arki resume {}` continues and tells the model, which may ask again.", record.session_id);
        Err(Error::new(Code::APPROVAL_EXPIRED, "Nobody answered in time, so the call was rejected.", hint))
    }

    /// `None` where it may wait for ever.
    pub(crate) fn milliseconds_to_answer(&self, record: &ApprovalRecord) -> Option<u64> {
        let expires = record.request()?.expires_at_ms(record.requested.ts)?;
        Some(u64::try_from(expires.saturating_sub(self.records.clock().now_ms())).unwrap_or(0))
    }
}

/// The use of an approval that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalUse {
    Show,
    /// Only one that waits can be decided.
    Reject,
    /// Approves. Like [`Self::Reject`], but the approval has to be named: the newest may be another than the one that
    /// was seen.
    Approve,
}

impl PendingApprovals {
    /// The approval that is named; the only one that waits where nothing is. A session or run names the one that waits in
    /// it.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`, `ID_AMBIGUOUS`, and `USAGE` where `last` is to be approved.
    pub fn find_approval(&self, name: Option<&str>, wanted: ApprovalUse) -> Result<ApprovalRecord, Error> {
        let Some(name) = name else { return self.only_approval(None) };
        if wanted == ApprovalUse::Approve {
            refuse_last(name)?;
        }
        if name == LAST {
            return self.pending_approvals()?.into_iter().next().ok_or_else(none_waits);
        }
        // One that was decided before is told as that, where nothing else fits.
        let kinds: &[IdKind] = match wanted {
            ApprovalUse::Show => &[IdKind::Approval],
            ApprovalUse::Reject | ApprovalUse::Approve => &[IdKind::WaitingApproval, IdKind::Approval],
        };
        for kind in kinds {
            let named = self.records.reader().lists().named_ids(*kind, name, MAX_CANDIDATES + 1)?;
            match named.as_slice() {
                [] => {}
                [one] => return self.approval(&ApprovalId::from(one.id.as_str())),
                several => return Err(self.ambiguous_approvals(&format!("\"{}\" fits", shown(name)), several)),
            }
        }
        match found(self.records.reader(), name)? {
            Some(found) => self.only_approval(Some(&found.session_id)),
            None => Err(unknown(Code::APPROVAL_NOT_FOUND, "approval", name, "arki approvals list")),
        }
    }

    /// The shortest name of an approval that waits: none where it is the only one, else an ending that no other has.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn short_name(&self, approval_id: &ApprovalId) -> Result<Option<String>, Error> {
        let pending = self.pending_approvals()?;
        if pending.iter().all(|record| record.approval_id == *approval_id) {
            return Ok(None);
        }
        let id = approval_id.as_str();
        for start in (0..=id.len().saturating_sub(MIN_ID_PART_BYTES)).rev() {
            let Some(ending) = id.get(start..) else { continue };
            if self.records.reader().lists().named_ids(IdKind::Approval, ending, 2)?.len() == 1 {
                return Ok(Some(ending.to_owned()));
            }
        }
        Ok(Some(id.to_owned()))
    }

    fn only_approval(&self, session: Option<&SessionId>) -> Result<ApprovalRecord, Error> {
        let mut waiting = self.pending_approvals()?;
        waiting.retain(|record| session.is_none_or(|session| record.session_id == *session));
        if waiting.len() > 1 {
            let several: Vec<NamedId> = waiting.iter().take(MAX_CANDIDATES + 1).map(named).collect();
            return Err(self.ambiguous_approvals("There are", &several));
        }
        waiting.pop().ok_or_else(none_waits)
    }

    fn ambiguous_approvals(&self, what: &str, several: &[NamedId]) -> Error {
        let told = several.iter().map(|named| {
            let record = self.approval(&ApprovalId::from(named.id.as_str())).ok();
            let tool = record.and_then(|record| Some(record.request()?.tool_id));
            with_title(&named.id, tool.as_deref().unwrap_or_default())
        });
        ambiguous(what, "approvals", told.collect())
    }
}

fn named(record: &ApprovalRecord) -> NamedId {
    NamedId { id: record.approval_id.to_string(), session_id: record.session_id.clone() }
}

fn none_waits() -> Error {
    let message = "No approval is pending.";
    Error::new(Code::APPROVAL_NOT_FOUND, message, "`arki approvals list` shows the pending approvals.")
}

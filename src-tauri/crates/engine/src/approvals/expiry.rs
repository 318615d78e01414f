//! Approvals that nobody answers in the time they have: rejected, so that the model hears of it.
//!
//! The time is noted with the question. Whoever goes on with the run after it was over rejects it; a program that stays,
//! as the desktop app does, goes on by itself.

use crate::approvals::pending::PendingApprovals;
use arki_domain::{ApprovalRequested, ApprovalResolved, Code, Error};
use arki_store::ApprovalRecord;

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
        Err(Error::new(
            Code::APPROVAL_EXPIRED,
            "Nobody answered in time, so the call was rejected.",
            format!("`arki resume {}` continues and tells the model, which may ask again.", record.session_id),
        ))
    }

    /// `None` where it may wait for ever.
    pub(crate) fn milliseconds_to_answer(&self, record: &ApprovalRecord) -> Option<u64> {
        let expires = record.request()?.expires_at_ms(record.requested.ts)?;
        Some(u64::try_from(expires.saturating_sub(self.records.clock().now_ms())).unwrap_or(0))
    }
}

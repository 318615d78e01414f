//! Approvals that nobody answers in the time they have: rejected, so that the model hears of it.
//!
//! The time is noted with the question. Whoever goes on with the run after it was over rejects it; a program that stays,
//! as the desktop app does, goes on by itself.

use crate::Engine;
use arki_domain::{ApprovalId, ApprovalRequested, ApprovalResolved, Code, Fault, SessionId};
use arki_store::{ApprovalRecord, ApprovalStatus};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Engine {
    /// The rejection, where the time is over.
    pub(crate) fn timed_out(&self, asked: &ApprovalRequested) -> Option<ApprovalResolved> {
        let record = self.reader().approval(&asked.approval_id).ok()??;
        (self.milliseconds_to_answer(&record)? == 0).then(|| ApprovalResolved::timed_out(asked))
    }

    /// Whether its time is over, so that it counts as rejected.
    #[must_use]
    pub fn has_expired(&self, record: &ApprovalRecord) -> bool {
        self.milliseconds_to_answer(record) == Some(0)
    }

    pub(crate) fn ensure_in_time(&self, record: &ApprovalRecord) -> Result<(), Fault> {
        if !self.has_expired(record) {
            return Ok(());
        }
        Err(Fault::new(
            Code::APPROVAL_EXPIRED,
            "Nobody answered this in the time that it had, so that it counts as rejected.",
            format!("`arki resume {}` goes on and tells the model, which may ask again.", record.session_id),
        ))
    }

    /// Rejects it once its time is over, if this program stays and nobody has answered by then.
    pub(crate) fn expire_in_time(self: &Arc<Self>, session_id: &SessionId, approval_id: &ApprovalId) {
        let waits = self.reader().approval(approval_id).ok().flatten();
        let left = waits
            .filter(|_| self.follows_up.load(Ordering::Relaxed))
            .and_then(|record| self.milliseconds_to_answer(&record));
        let Some(left) = left else { return };
        let (engine, session_id, approval_id) = (self.clone(), session_id.clone(), approval_id.clone());
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(left)).await;
            let record = engine.reader().approval(&approval_id).ok().flatten();
            if record.is_some_and(|record| record.status == ApprovalStatus::Pending)
                && let Err(fault) = engine.go_on_after_decision(&session_id).await
            {
                tracing::warn!(%session_id, %fault, "what nobody answered in time waits on");
            }
        });
    }

    /// For what waited before this program began. To be called within the runtime.
    pub fn expire_waiting(self: &Arc<Self>) {
        for record in self.pending_approvals().unwrap_or_default() {
            if let Some(asked) = record.request() {
                self.expire_in_time(&record.session_id, &asked.approval_id);
            }
        }
    }

    /// `None` where it may wait for ever.
    fn milliseconds_to_answer(&self, record: &ApprovalRecord) -> Option<u64> {
        let expires = record.request()?.expires_at_ms(record.requested.ts)?;
        Some(u64::try_from(expires.saturating_sub(self.clock.now_ms())).unwrap_or(0))
    }
}

//! Approvals whose time runs out while a program stays: it goes on with their runs, which rejects them.

use crate::client::Presence;
use crate::runs::Runs;
use arki_domain::{ApprovalId, SessionId};
use arki_store::ApprovalStatus;
use std::sync::Arc;
use std::time::Duration;

impl Runs {
    /// Rejects it once its time is over, if this program stays and nobody has answered by then.
    pub(crate) fn expire_in_time(
        self: &Arc<Self>,
        presence: Presence,
        session_id: &SessionId,
        approval_id: &ApprovalId,
    ) {
        let waits = self.records.reader().approval(approval_id).ok().flatten();
        let left = waits.filter(|_| presence.stays).and_then(|record| self.approvals.milliseconds_to_answer(&record));
        let Some(left) = left else { return };
        let (runs, session_id, approval_id) = (self.clone(), session_id.clone(), approval_id.clone());
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(left)).await;
            let record = runs.records.reader().approval(&approval_id).ok().flatten();
            if record.is_some_and(|record| record.status == ApprovalStatus::Pending)
                && let Err(fault) = runs.go_on_after_decision(presence, &session_id).await
            {
                tracing::warn!(%session_id, %fault, "what nobody answered in time waits on");
            }
        });
    }

    /// Rejects, in time, the approvals that were pending before this program began. To be called within the runtime.
    pub(crate) fn expire_waiting(self: &Arc<Self>, presence: Presence) {
        for record in self.approvals.pending_approvals().unwrap_or_default() {
            if let Some(asked) = record.request() {
                self.expire_in_time(presence, &record.session_id, &asked.approval_id);
            }
        }
    }
}

//! Approvals whose time runs out while a program stays: it goes on with their runs, which rejects them.

use crate::client_capabilities::ClientCapabilities;
use crate::records::blocking;
use crate::runs::Runs;
use arki_domain::{ApprovalId, SessionId};
use arki_store::ApprovalStatus;
use std::sync::Arc;
use std::time::Duration;

impl Runs {
    /// Rejects it once its time is over, if this program stays and nobody has answered by then.
    pub(crate) fn expire_in_time(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
        approval_id: &ApprovalId,
    ) {
        if !presence.stays {
            return;
        }
        let (runs, session_id, approval_id) = (self.clone(), session_id.clone(), approval_id.clone());
        tokio::spawn(async move {
            let waits = runs.approvals.pending().approval_now(&approval_id).await;
            let left = waits.and_then(|record| runs.approvals.pending().milliseconds_to_answer(&record));
            let Some(left) = left else { return };
            tokio::time::sleep(Duration::from_millis(left)).await;
            let record = runs.approvals.pending().approval_now(&approval_id).await;
            if record.is_some_and(|record| record.status == ApprovalStatus::Pending)
                && let Err(fault) = runs.go_on_after_decision(presence, &session_id).await
            {
                tracing::warn!(%session_id, %fault, "what nobody answered in time waits on");
            }
        });
    }

    /// Rejects, in time, the approvals that were pending before this program began. To be called within the runtime.
    pub(crate) fn expire_waiting(self: &Arc<Self>, presence: ClientCapabilities) {
        let runs = self.clone();
        tokio::spawn(async move {
            let pending = blocking(&runs, |runs| runs.approvals.pending().pending_approvals()).await;
            for record in pending.unwrap_or_default() {
                if let Some(asked) = record.request() {
                    runs.expire_in_time(presence, &record.session_id, &asked.approval_id);
                }
            }
        });
    }
}

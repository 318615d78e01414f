//! The approval inbox.

use crate::database::row;
use crate::database::statements::{find, list};
use crate::read::event_pages::one;
use crate::{SessionLists, StoreError};
use arki_domain::{ApprovalDecision, ApprovalId, ApprovalRequested, Event, EventBody, RunId, SessionId};
use rusqlite::Row;

/// A question put to the user, and what became of it.
#[derive(Debug, Clone)]
pub struct ApprovalRecord {
    pub approval_id: ApprovalId,
    pub session_id: SessionId,
    pub run_id: Option<RunId>,
    /// The event that asked.
    pub requested: Event,
    pub status: ApprovalStatus,
    /// The event that answered.
    pub resolved: Option<Event>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalStatus {
    Pending,
    Resolved(ApprovalDecision),
    /// Its file changed, and a new approval asks instead.
    Superseded,
    /// The run ended without waiting for it.
    RunEnded,
}

impl ApprovalRecord {
    /// Returns the user's decision; `None` where none was made, or none could be.
    #[must_use]
    pub fn decision(&self) -> Option<ApprovalDecision> {
        match self.status {
            ApprovalStatus::Resolved(decision) => Some(decision),
            ApprovalStatus::Pending | ApprovalStatus::Superseded | ApprovalStatus::RunEnded => None,
        }
    }

    /// Returns what was asked; `None` when this version cannot read it.
    #[must_use]
    pub fn request(&self) -> Option<ApprovalRequested> {
        match self.requested.body() {
            EventBody::ApprovalRequested(requested) => Some(requested),
            _ => None,
        }
    }
}

const APPROVALS: &str = "SELECT approval_id, session_id, run_id, requested_seq, resolved_seq, outcome FROM approvals";

impl SessionLists<'_> {
    pub fn approval(self, approval: &ApprovalId) -> Result<Option<ApprovalRecord>, StoreError> {
        let sql = format!("{APPROVALS} WHERE approval_id = ?1");
        self.reader.read(|connection| {
            let entry = find(connection, &sql, [approval.as_str()], ApprovalRow::read)?;
            entry.map_or(Ok(None), |entry| entry.with_events(connection))
        })
    }

    /// Returns what waits for the user in all sessions, the newest first.
    pub fn pending_approvals(self, limit: usize) -> Result<Vec<ApprovalRecord>, StoreError> {
        let sql = format!("{APPROVALS} WHERE outcome IS NULL ORDER BY requested_at DESC, approval_id DESC LIMIT ?1");
        self.reader.read(|connection| {
            let entries: Vec<_> = list(connection, &sql, [row::signed(limit as u64)], ApprovalRow::read)?;
            entries.into_iter().filter_map(|entry| entry.with_events(connection).transpose()).collect()
        })
    }
}

struct ApprovalRow {
    approval_id: ApprovalId,
    session_id: SessionId,
    run_id: Option<RunId>,
    requested_seq: i64,
    resolved_seq: Option<i64>,
    status: ApprovalStatus,
}

impl ApprovalRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            approval_id: row.get::<_, String>(0)?.into(),
            session_id: row.get::<_, String>(1)?.into(),
            run_id: row.get::<_, Option<String>>(2)?.map(Into::into),
            requested_seq: row.get(3)?,
            resolved_seq: row.get(4)?,
            status: match row.get::<_, Option<String>>(5)?.as_deref() {
                None => ApprovalStatus::Pending,
                Some("approve") => ApprovalStatus::Resolved(ApprovalDecision::Approve),
                Some("superseded") => ApprovalStatus::Superseded,
                Some("run_ended") => ApprovalStatus::RunEnded,
                Some(_) => ApprovalStatus::Resolved(ApprovalDecision::Reject),
            },
        })
    }

    /// `None` when the event that asked is gone.
    fn with_events(self, connection: &rusqlite::Connection) -> Result<Option<ApprovalRecord>, StoreError> {
        let Some(requested) = one(connection, &self.session_id, self.requested_seq)? else { return Ok(None) };
        let resolved = self.resolved_seq.map(|seq| one(connection, &self.session_id, seq)).transpose()?.flatten();
        Ok(Some(ApprovalRecord {
            approval_id: self.approval_id,
            session_id: self.session_id,
            run_id: self.run_id,
            requested,
            status: self.status,
            resolved,
        }))
    }
}

//! The rows that lists need, kept up to date in the transaction that appends.

use crate::StoreError;
use crate::database::row;
use crate::database::statements::{change, find};
use arki_domain::projection::{SessionState, SessionSummary};
use arki_domain::{
    ApprovalDecision, ApprovalRequested, ApprovalResolved, Event, EventBody, GENESIS_HASH, RunId, SessionId,
};
use rusqlite::{Connection, Row, params};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The longest name of a run, in characters: the beginning of its prompt.
const MAX_RUN_NAME: usize = 80;

const LOAD_SESSION: &str = "SELECT session_id, title, project, created_at, updated_at, state, run_id, \
     pending_approval, last_seq, last_hash, pinned, archived FROM sessions WHERE session_id = ?1";

const SAVE_SESSION: &str = "INSERT INTO sessions (session_id, title, project, created_at, updated_at, state, run_id, \
     pending_approval, last_seq, last_hash, pinned, archived) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) \
     ON CONFLICT (session_id) DO UPDATE SET title = ?2, project = ?3, created_at = ?4, updated_at = ?5, state = ?6, \
     run_id = ?7, pending_approval = ?8, last_seq = ?9, last_hash = ?10, pinned = ?11, archived = ?12";

/// Most events change nothing that a list shows but when the session was last spoken in; the row has an index over the
/// rest.
const EXTEND_SESSION: &str = "UPDATE sessions SET updated_at = ?2, last_seq = ?3, last_hash = ?4 WHERE session_id = ?1";

/// Events that the row of a running session may lag behind its log, so that most appends need not write it.
pub(crate) const MAX_LAG_EVENTS: u64 = 32;
/// The same by their times.
const MAX_LAG: Duration = Duration::from_secs(1);

/// A session as listed, and where its chain ends.
pub(crate) struct SessionRow {
    pub(crate) summary: SessionSummary,
    pub(crate) last_seq: u64,
    pub(crate) last_hash: String,
    saved: Option<Saved>,
}

/// A session's row in the table.
struct Saved {
    /// But for `updated_at`.
    summary: SessionSummary,
    updated_at: i64,
    last_seq: u64,
}

impl SessionRow {
    /// The row of a session without events.
    pub(crate) fn new(summary: SessionSummary) -> Self {
        Self { summary, last_seq: 0, last_hash: GENESIS_HASH.to_owned(), saved: None }
    }

    /// A session that does not exist yet is an empty one. That of a running one may lag behind its log (`heads`).
    pub(crate) fn load(connection: &Connection, session_id: &SessionId) -> Result<Self, StoreError> {
        let found = find(connection, LOAD_SESSION, [session_id.as_str()], Self::read)?;
        let Some(mut row) = found else { return Ok(Self::new(SessionSummary::new(session_id.clone()))) };
        row.note_saved();
        Ok(row)
    }

    /// The columns in the order of the table.
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |column| row.get_ref(column).map(row::lossy_text);
        Ok(Self {
            summary: SessionSummary {
                session_id: text(0)?.into(),
                title: text(1)?,
                project: text(2)?,
                created_at: row.get(3)?,
                updated_at: row.get(4)?,
                state: SessionState::from_word(&text(5)?),
                run_id: row.get::<_, Option<String>>(6)?.map(Into::into),
                pending_approval: row.get::<_, Option<String>>(7)?.map(Into::into),
                origin: None,
                parent: None,
                agent: String::new(),
                pinned: row.get(10)?,
                archived: row.get(11)?,
            },
            last_seq: row::unsigned(row.get(8)?),
            last_hash: text(9)?,
            saved: None,
        })
    }

    pub(crate) fn id(&self) -> &str {
        self.summary.session_id.as_str()
    }

    pub(crate) fn apply(&mut self, event: &Event, body: &EventBody) {
        self.summary.apply(event, body);
        self.last_seq = event.seq;
        self.last_hash.clone_from(&event.hash);
    }

    /// Returns how many events of its log the row may know nothing of. Where nothing runs it knows the end, so that a
    /// log that was cut off or goes on too far shows.
    pub(crate) fn allowed_lag(state: SessionState) -> u64 {
        if state == SessionState::Running { MAX_LAG_EVENTS } else { 0 }
    }

    /// Saves the row where lists would miss it, or it lags too far behind.
    pub(crate) fn save_if_due(&mut self, transaction: &Connection) -> Result<(), StoreError> {
        let updated_at = self.summary.updated_at;
        let Some(saved) = &mut self.saved else { return self.save(transaction) };
        saved.summary.updated_at = updated_at;
        if saved.summary != self.summary {
            return self.save(transaction);
        }
        let is_recent = u128::from(updated_at.abs_diff(saved.updated_at)) < MAX_LAG.as_millis();
        if is_recent && self.last_seq - saved.last_seq <= Self::allowed_lag(self.summary.state) {
            return Ok(());
        }
        (saved.updated_at, saved.last_seq) = (updated_at, self.last_seq);
        let columns = params![self.id(), updated_at, row::signed(self.last_seq), self.last_hash];
        change(transaction, EXTEND_SESSION, columns).map(drop)
    }

    fn note_saved(&mut self) {
        let summary = self.summary.clone();
        self.saved = Some(Saved { updated_at: summary.updated_at, summary, last_seq: self.last_seq });
    }

    pub(crate) fn save(&mut self, transaction: &Connection) -> Result<(), StoreError> {
        self.note_saved();
        let summary = &self.summary;
        let columns = params![
            self.id(),
            summary.title,
            summary.project,
            summary.created_at,
            summary.updated_at,
            summary.state.as_str(),
            summary.run_id.as_ref().map(RunId::as_str),
            summary.pending_approval.as_ref().map(|id| id.as_str()),
            row::signed(self.last_seq),
            self.last_hash,
            summary.pinned,
            summary.archived,
        ];
        change(transaction, SAVE_SESSION, columns).map(drop)
    }
}

/// Brings the runs and approvals up to date with events that were just stored. `open_run`: one that is known to go on,
/// so that nothing need be written of it.
pub(crate) fn apply(
    transaction: &Connection,
    open_run: &mut Option<RunId>,
    events: &[Arc<Event>],
    bodies: &[EventBody],
) -> Result<(), StoreError> {
    let mut runs = BTreeSet::new();
    for (event, body) in events.iter().zip(bodies) {
        apply_one(transaction, event, body)?;
        if matches!(body, EventBody::RunCompleted(_) | EventBody::RunFailed(_) | EventBody::RunCancelled(_)) {
            *open_run = None;
        }
        runs.extend(event.run_id.as_ref());
    }
    for run_id in runs {
        if open_run.as_ref() != Some(run_id) {
            let has_ended = extend_ended_run(transaction, run_id, events)?;
            *open_run = (!has_ended).then(|| run_id.clone());
        }
    }
    Ok(())
}

/// A run that has ended may still be spoken of, for instance by what it left to be remembered.
fn extend_ended_run(transaction: &Connection, run_id: &RunId, events: &[Arc<Event>]) -> Result<bool, StoreError> {
    let Some(last) = events.last() else { return Ok(false) };
    let sql = "UPDATE runs SET last_seq = ?2 WHERE run_id = ?1 AND last_seq IS NOT NULL";
    Ok(change(transaction, sql, params![run_id.as_str(), row::signed(last.seq)])? > 0)
}

fn apply_one(transaction: &Connection, event: &Event, body: &EventBody) -> Result<(), StoreError> {
    let Some(run_id) = &event.run_id else { return Ok(()) };
    match body {
        EventBody::RunStarted(started) => start_run(transaction, event, run_id, &started.prompt),
        EventBody::RunPaused(paused) if paused.waits_for_user() => {
            set_run_state(transaction, run_id, SessionState::Waiting)
        }
        EventBody::RunPaused(_) => set_run_state(transaction, run_id, SessionState::Paused),
        EventBody::RunResumed(_) => set_run_state(transaction, run_id, SessionState::Running),
        EventBody::RunCompleted(_) => end_run(transaction, event, run_id, SessionState::Done),
        EventBody::RunFailed(_) => end_run(transaction, event, run_id, SessionState::Failed),
        EventBody::RunCancelled(_) => end_run(transaction, event, run_id, SessionState::Cancelled),
        EventBody::ApprovalRequested(requested) => request_approval(transaction, event, run_id, requested),
        EventBody::ApprovalResolved(resolved) => resolve_approval(transaction, event, resolved),
        _ => Ok(()),
    }
}

fn start_run(transaction: &Connection, event: &Event, run_id: &RunId, prompt: &str) -> Result<(), StoreError> {
    let name: String = prompt.lines().next().unwrap_or_default().chars().take(MAX_RUN_NAME).collect();
    let sql = "INSERT INTO runs (run_id, session_id, name, state, started_at, first_seq) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
    let (state, seq) = (SessionState::Running.as_str(), row::signed(event.seq));
    let columns = params![run_id.as_str(), event.session_id.as_str(), name, state, event.ts, seq];
    change(transaction, sql, columns).map(drop)
}

fn set_run_state(transaction: &Connection, run_id: &RunId, state: SessionState) -> Result<(), StoreError> {
    let sql = "UPDATE runs SET state = ?2, last_seq = NULL WHERE run_id = ?1";
    change(transaction, sql, [run_id.as_str(), state.as_str()]).map(drop)
}

/// Ends a run and withdraws its open approvals: nobody waits for the answers any more.
fn end_run(transaction: &Connection, event: &Event, run_id: &RunId, state: SessionState) -> Result<(), StoreError> {
    let ended = "UPDATE runs SET state = ?2, last_seq = ?3 WHERE run_id = ?1";
    change(transaction, ended, params![run_id.as_str(), state.as_str(), row::signed(event.seq)])?;
    let unanswered = "UPDATE approvals SET outcome = 'run_ended' WHERE outcome IS NULL AND run_id = ?1";
    change(transaction, unanswered, [run_id.as_str()]).map(drop)
}

fn request_approval(
    transaction: &Connection,
    event: &Event,
    run_id: &RunId,
    requested: &ApprovalRequested,
) -> Result<(), StoreError> {
    if let Some(stale) = &requested.supersedes {
        let sql = "UPDATE approvals SET outcome = 'superseded' WHERE approval_id = ?1 AND outcome IS NULL";
        change(transaction, sql, [stale.as_str()])?;
    }
    let sql = "INSERT INTO approvals (approval_id, session_id, run_id, requested_at, requested_seq) \
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
    let (approval, session) = (requested.approval_id.as_str(), event.session_id.as_str());
    change(transaction, sql, params![approval, session, run_id.as_str(), event.ts, row::signed(event.seq)]).map(drop)
}

fn resolve_approval(transaction: &Connection, event: &Event, resolved: &ApprovalResolved) -> Result<(), StoreError> {
    let outcome = match resolved.decision {
        ApprovalDecision::Approve => "approve",
        ApprovalDecision::Reject => "reject",
    };
    let sql = "UPDATE approvals SET outcome = ?2, resolved_seq = ?3 WHERE approval_id = ?1 AND outcome IS NULL";
    let columns = params![resolved.approval_id.as_str(), outcome, row::signed(event.seq)];
    if change(transaction, sql, columns)? == 0 {
        // Of two who decide at the same time the second is told, and its event is taken back.
        return Err(StoreError::ApprovalDecided { approval_id: resolved.approval_id.clone() });
    }
    Ok(())
}

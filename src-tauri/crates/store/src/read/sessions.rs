//! Sessions and runs as lists show them.

use crate::chain::projections::SessionRow;
use crate::database::row;
use crate::database::statements::{find, get, list};
use crate::leases::{Lease, is_live};
use crate::{SessionLists, StoreError};
use arki_domain::projection::{SessionState, SessionSummary};
use arki_domain::{RunId, SessionId};
use rusqlite::{Params, Row, params};

/// A run as listed. Its events are [`LogReader::run_events`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    pub run_id: RunId,
    pub session_id: SessionId,
    /// The beginning of its prompt.
    pub name: String,
    pub state: SessionState,
    /// Milliseconds since 1970.
    pub started_at: i64,
    pub first_seq: u64,
}

/// The runs that a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedRuns {
    All,
    /// Those that work, wait or are paused.
    Unfinished,
}

const SESSIONS: &str = "SELECT s.session_id, s.title, s.project, s.created_at, s.updated_at, s.state, s.run_id, \
     s.pending_approval, s.last_seq, s.last_hash, s.pinned, s.archived, l.owner, l.pid, l.renewed_at, s.origin, s.parent, s.agent \
     FROM sessions s LEFT JOIN leases l ON l.session_id = s.session_id";
/// A session that a program opened and nobody has said anything in yet isn't listed.
pub(super) const BEGUN: &str = "(s.run_id IS NOT NULL OR s.origin IS NOT NULL OR s.archived = 0)";
const NEWEST_FIRST: &str = "ORDER BY s.updated_at DESC, s.session_id DESC";
const RUNS: &str = "SELECT r.run_id, r.session_id, r.name, r.state, r.started_at, r.first_seq, l.owner, l.pid, \
     l.renewed_at FROM runs r LEFT JOIN leases l ON l.session_id = r.session_id";

impl SessionLists<'_> {
    /// The most recently used first.
    pub fn sessions(self, limit: usize, offset: usize) -> Result<Vec<SessionSummary>, StoreError> {
        let sql = format!("{SESSIONS} WHERE {BEGUN} {NEWEST_FIRST} LIMIT ?1 OFFSET ?2");
        self.list_sessions(&sql, params![row::signed(limit as u64), row::signed(offset as u64)])
    }

    /// Lists the sessions of one folder (its canonical path), the most recently used first.
    pub fn sessions_of_project(self, project: &str, limit: usize) -> Result<Vec<SessionSummary>, StoreError> {
        let sql = format!("{SESSIONS} WHERE s.project = ?1 {NEWEST_FIRST} LIMIT ?2");
        self.list_sessions(&sql, params![project, row::signed(limit as u64)])
    }

    /// The most recently used session of a folder (its canonical path) that is the user's own and no sub-agent's.
    pub fn latest_session(self, project: &str) -> Result<Option<SessionSummary>, StoreError> {
        let sql = format!("{SESSIONS} WHERE s.project = ?1 AND s.parent IS NULL AND {BEGUN} {NEWEST_FIRST} LIMIT 1");
        Ok(self.list_sessions(&sql, [project])?.pop())
    }

    pub fn session(self, session: &SessionId) -> Result<Option<SessionSummary>, StoreError> {
        let sql = format!("{SESSIONS} WHERE s.session_id = ?1");
        Ok(self.list_sessions(&sql, [session.as_str()])?.pop())
    }

    /// Lists the sessions that were last used before that moment (milliseconds since 1970), the oldest first. A session
    /// and those of its sub-agents are as old as the youngest of them, and only the first is named.
    pub fn sessions_older_than(self, before_ms: i64) -> Result<Vec<SessionSummary>, StoreError> {
        let sql = format!(
            "{SESSIONS} WHERE s.updated_at < ?1 \
             AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.session_id = s.parent) \
             AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent = s.session_id AND c.updated_at >= ?1) \
             ORDER BY s.updated_at, s.session_id"
        );
        self.list_sessions(&sql, [before_ms])
    }

    /// Lists the sessions that wait for the user for something other than an approval, the most recently used first.
    pub fn asking_sessions(self) -> Result<Vec<SessionId>, StoreError> {
        let sql = format!("{SESSIONS} WHERE s.state = ?1 AND s.pending_approval IS NULL {NEWEST_FIRST}");
        let waiting = self.list_sessions(&sql, [SessionState::Waiting.as_str()])?;
        Ok(waiting.into_iter().map(|session| session.session_id).collect())
    }

    /// The sessions that began where this one stood, the most recently used first.
    pub fn forks(self, session: &SessionId) -> Result<Vec<SessionSummary>, StoreError> {
        let sql = format!("{SESSIONS} WHERE s.origin = ?1 {NEWEST_FIRST}");
        self.list_sessions(&sql, [session.as_str()])
    }

    /// The sessions of the sub-agents that worked for this one, the oldest first. An import of an earlier version may
    /// have left one that says that it works for itself.
    pub fn subagent_sessions(self, session: &SessionId) -> Result<Vec<SessionSummary>, StoreError> {
        let sql = format!("{SESSIONS} WHERE s.parent = ?1 AND s.session_id <> ?1 ORDER BY s.created_at, s.session_id");
        self.list_sessions(&sql, [session.as_str()])
    }

    pub fn fork_count(self, session: &SessionId) -> Result<u64, StoreError> {
        self.reader.read(|connection| {
            let sql = "SELECT count(*) FROM sessions WHERE origin = ?1";
            get(connection, sql, [session.as_str()], |row| row.get(0).map(row::unsigned))
        })
    }

    pub fn run(self, run_id: &RunId) -> Result<Option<RunRecord>, StoreError> {
        let sql = format!("{RUNS} WHERE r.run_id = ?1");
        self.reader.read(|connection| find(connection, &sql, [run_id.as_str()], |row| self.run_record(row)))
    }

    /// Lists runs, the newest first.
    pub fn runs(self, listed: ListedRuns, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        let states = [SessionState::Running, SessionState::Waiting, SessionState::Paused].map(|state| state.as_str());
        let sql = format!(
            "{RUNS} WHERE ?1 = 0 OR r.state IN (?2, ?3, ?4) ORDER BY r.started_at DESC, r.run_id DESC LIMIT ?5"
        );
        let limit = row::signed(limit as u64);
        self.list_runs(&sql, params![listed == ListedRuns::Unfinished, states[0], states[1], states[2], limit])
    }

    /// The runs of sessions that were begun as this agent's and work for no other, the newest first.
    pub fn runs_of_agent(self, agent: &str, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        let sql = format!(
            "{RUNS} JOIN sessions s ON s.session_id = r.session_id WHERE s.agent = ?1 AND s.parent IS NULL \
             ORDER BY r.started_at DESC, r.run_id DESC LIMIT ?2"
        );
        self.list_runs(&sql, params![agent, row::signed(limit as u64)])
    }

    fn list_runs(self, sql: &str, bounds: impl Params) -> Result<Vec<RunRecord>, StoreError> {
        self.reader.read(|connection| list(connection, sql, bounds, |row| self.run_record(row)))
    }

    fn list_sessions(self, sql: &str, bounds: impl Params) -> Result<Vec<SessionSummary>, StoreError> {
        self.reader.read(|connection| {
            list(connection, sql, bounds, |row| {
                let mut summary = SessionRow::read(row)?.summary;
                summary.state = self.state_now(summary.state, Lease::read(row, 12)?.as_ref());
                summary.origin = row.get::<_, Option<String>>(15)?.map(Into::into);
                summary.parent = row.get::<_, Option<String>>(16)?.map(Into::into);
                summary.agent = row.get(17)?;
                Ok(summary)
            })
        })
    }

    fn run_record(self, row: &Row<'_>) -> rusqlite::Result<RunRecord> {
        let state = SessionState::from_word(&row.get::<_, String>(3)?);
        Ok(RunRecord {
            run_id: row.get::<_, String>(0)?.into(),
            session_id: row.get::<_, String>(1)?.into(),
            name: row.get(2)?,
            state: self.state_now(state, Lease::read(row, 6)?.as_ref()),
            started_at: row.get(4)?,
            first_seq: row::unsigned(row.get(5)?),
        })
    }

    /// Returns the session's state; a session that is running without a process to run it was interrupted.
    fn state_now(self, state: SessionState, lease: Option<&Lease>) -> SessionState {
        let runs = || lease.is_some_and(|lease| is_live(lease, self.reader));
        match state {
            SessionState::Running if !runs() => SessionState::Interrupted,
            other => other,
        }
    }
}

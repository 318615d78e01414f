//! The requests over HTTP that were answered under an `Idempotency-Key`: noted in the transaction that starts the run or
//! decides the approval, so that the same request can't do it twice, whatever became of its answer.

use crate::database::row;
use crate::database::statements::{change, find};
use crate::{SessionLists, StoreError};
use arki_domain::{AnsweredRequest, Event, EventBody, RunId, SessionId};
use rusqlite::{Connection, params};
use std::sync::Arc;
use std::time::Duration;

/// The time for which an answer is kept.
pub const KEPT_ANSWERS: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) const COLUMNS: &str = "token, key_hash, path, body_hash, session_id, run_id, answered_at";

/// A request that was answered, and the run that it started or decided in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    pub path: String,
    pub body_hash: String,
    pub session_id: SessionId,
    pub run_id: RunId,
}

impl SessionLists<'_> {
    /// The answer under a token's key, as long as it is kept.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn kept_answer(self, token: &str, key_hash: &str) -> Result<Option<KeptAnswer>, StoreError> {
        let sql = "SELECT path, body_hash, session_id, run_id FROM answered_requests \
             WHERE token = ?1 AND key_hash = ?2 AND answered_at > ?3";
        let since = oldest_kept(self.reader.clock.now_ms());
        self.reader.read(|connection| {
            let read = |row: &rusqlite::Row<'_>| {
                let text = |column| row.get_ref(column).map(row::lossy_text);
                Ok(KeptAnswer {
                    path: text(0)?,
                    body_hash: text(1)?,
                    session_id: text(2)?.into(),
                    run_id: text(3)?.into(),
                })
            };
            find(connection, sql, params![token, key_hash, since], read)
        })
    }
}

/// Notes the requests that these events answer, and forgets those that are too old.
///
/// # Errors
/// `RequestAnswered` where another server was faster; whoever appends takes everything back then.
pub(crate) fn note(transaction: &Connection, events: &[Arc<Event>], bodies: &[EventBody]) -> Result<(), StoreError> {
    for (event, body) in events.iter().zip(bodies) {
        if let (Some(request), Some(run_id)) = (body.answered_request(), &event.run_id) {
            note_one(transaction, event, run_id, request)?;
        }
    }
    Ok(())
}

fn note_one(
    transaction: &Connection,
    event: &Event,
    run_id: &RunId,
    request: &AnsweredRequest,
) -> Result<(), StoreError> {
    change(transaction, "DELETE FROM answered_requests WHERE answered_at <= ?1", [oldest_kept(event.ts)])?;
    let sql =
        format!("INSERT INTO answered_requests ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING");
    let AnsweredRequest { token, key_hash, path, body_hash } = request;
    let (session, run) = (event.session_id.as_str(), run_id.as_str());
    let noted = change(transaction, &sql, params![token, key_hash, path, body_hash, session, run, event.ts])?;
    if noted == 0 { Err(StoreError::RequestAnswered) } else { Ok(()) }
}

fn oldest_kept(now_ms: i64) -> i64 {
    now_ms.saturating_sub(i64::try_from(KEPT_ANSWERS.as_millis()).unwrap_or(i64::MAX))
}

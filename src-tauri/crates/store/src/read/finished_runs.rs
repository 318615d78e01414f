//! The runs that ended after a place in the log: what is to be handed on when they are over.

use crate::database::row::lossy_text;
use crate::database::statements::list;
use crate::read::cursor::LogCursor;
use crate::{CommitFeed, StoreError};
use arki_domain::RunId;
use rusqlite::Connection;

/// The events that end a run, but for those of sessions that are being removed.
const ENDS: &str = "SELECT e.rowid, e.run_id, r.started_at, e.ts FROM events e JOIN runs r ON r.run_id = e.run_id \
     WHERE e.rowid > ?1 AND e.type IN ('run.completed', 'run.failed', 'run.cancelled') \
     AND e.session_id NOT IN (SELECT session_id FROM session_removals) ORDER BY e.rowid";

/// An event that ends a run. A run that goes on after its end has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    pub run_id: RunId,
    /// Milliseconds since 1970.
    pub started_at: i64,
    pub ended_at: i64,
    /// The place right behind the event.
    pub after: LogCursor,
}

/// The ends of runs, the oldest first.
#[derive(Debug)]
pub struct FinishedRuns {
    pub runs: Vec<FinishedRun>,
    /// Older ones, which are too many.
    pub left_out: usize,
    /// The place right behind those that are left out.
    pub begin: LogCursor,
    /// The end of the log: no other run ended before it.
    pub next: LogCursor,
}

impl CommitFeed<'_> {
    /// The newest ends of runs after a cursor, at most `limit`.
    ///
    /// # Errors
    /// `CursorUnknown` for a cursor that this database has not given out, or when it cannot be read.
    pub async fn finished_runs(self, cursor: LogCursor, limit: usize) -> Result<FinishedRuns, StoreError> {
        self.ensure_known(&cursor).await?;
        self.store.read(move |reader| reader.read(|connection| finished_after(connection, &cursor, limit))).await
    }
}

fn finished_after(connection: &Connection, cursor: &LogCursor, limit: usize) -> Result<FinishedRuns, StoreError> {
    let snapshot = connection.unchecked_transaction()?;
    let (from, next) = cursor.range(&snapshot)?;
    let mut runs: Vec<_> = list(&snapshot, ENDS, [from], |row| {
        let run_id = row.get_ref(1).map(lossy_text)?.into();
        let after = next.at_row(row.get(0)?);
        Ok(FinishedRun { run_id, started_at: row.get(2)?, ended_at: row.get(3)?, after })
    })?;
    let left_out = runs.len().saturating_sub(limit);
    let begin = runs.drain(..left_out).next_back().map_or_else(|| next.at_row(from), |last| last.after);
    Ok(FinishedRuns { runs, left_out, begin, next })
}

//! The ends of the chains that were appended to last, so that the next append need not ask for them.
//!
//! What is known here was read or written by this connection, and SQLite's `data_version` tells whether another one
//! has committed since: then everything is forgotten and read anew. The connection's own writes do not show in it, so
//! that whoever writes anything but events says so with [`Heads::forget`].

use crate::StoreError;
use crate::chain::cross_references::KnownImages;
use crate::chain::last_seq;
use crate::chain::projections::SessionRow;
use crate::database::row::{self, OF_SESSION};
use crate::database::statements::get;
use arki_domain::{RunId, SessionId};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// Sessions whose ends are known at once; past that, all of them are read anew.
pub(crate) const MAX_HEADS: usize = 1024;

/// A session's end, proven to be that of its log.
pub(crate) struct SessionHead {
    pub(crate) session: SessionRow,
    /// A run that is known not to have ended.
    pub(crate) open_run: Option<RunId>,
    /// The holder of the session's lease, if nobody has written since it was looked up.
    pub(crate) held_by: Option<String>,
    pub(crate) images: KnownImages,
}

#[derive(Default)]
pub(crate) struct Heads {
    known: HashMap<SessionId, SessionHead>,
    version: Option<i64>,
}

impl Heads {
    /// Begins a transaction. Call it within each one, before anything else.
    pub(crate) fn begin(&mut self, transaction: &Connection) -> Result<(), StoreError> {
        let version = get(transaction, "PRAGMA data_version", [], |row| row.get(0))?;
        if self.version != Some(version) {
            self.known.clear();
            self.version = Some(version);
        }
        Ok(())
    }

    /// Taken out, so that an append that fails leaves nothing behind: only one that succeeds gives it back.
    pub(crate) fn take(&mut self, transaction: &Connection, session_id: &SessionId) -> Result<SessionHead, StoreError> {
        match self.known.remove(session_id) {
            Some(head) => Ok(head),
            None => SessionHead::read(transaction, session_id),
        }
    }

    pub(crate) fn keep(&mut self, head: SessionHead) {
        if self.known.len() >= MAX_HEADS {
            self.known.clear();
        }
        self.known.insert(head.session.summary.session_id.clone(), head);
    }

    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }
}

impl SessionHead {
    fn read(transaction: &Connection, session_id: &SessionId) -> Result<Self, StoreError> {
        let mut session = SessionRow::load(transaction, session_id)?;
        // Nothing is added to a log that was cut off or rewritten: that would hide it.
        if !go_to_end(transaction, &mut session)? {
            let seq = last_seq(transaction, session.id())?.min(session.last_seq) + 1;
            return Err(StoreError::SessionBroken { session_id: session_id.clone(), seq });
        }
        Ok(Self { session, open_run: None, held_by: None, images: KnownImages::default() })
    }
}

/// Brings a session's row, as it was loaded, to the end of its log. `false` where the log does not end as the row
/// remembers, or does not lead on from there as far as the row may lag behind.
pub(crate) fn go_to_end(connection: &Connection, session: &mut SessionRow) -> Result<bool, StoreError> {
    let allowed = SessionRow::allowed_lag(session.summary.state);
    let sql = format!(
        "SELECT seq, ts, prev_hash, hash FROM events WHERE {OF_SESSION} AND seq >= ?2 ORDER BY seq LIMIT {}",
        allowed + 2
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![session.id(), row::signed(session.last_seq)])?;
    let (last_known, mut found) = (session.last_seq, session.last_seq == 0);
    while let Some(row) = rows.next()? {
        let (seq, ts) = (row::unsigned(row.get(0)?), row.get::<_, i64>(1)?);
        let [prev_hash, hash] = [2, 3].map(|column| row.get_ref(column).map(row::lossy_text));
        let hash = hash?;
        if !found && seq == last_known && hash == session.last_hash {
            found = true;
        } else if found && seq == session.last_seq + 1 && seq <= last_known + allowed && prev_hash? == session.last_hash
        {
            (session.last_seq, session.last_hash) = (seq, hash);
            session.summary.updated_at = session.summary.updated_at.max(ts);
        } else {
            return Ok(false);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::connection::Location;
    use arki_domain::projection::SessionSummary;

    fn head(number: usize) -> SessionHead {
        let summary = SessionSummary::new(SessionId::from(number.to_string()));
        SessionHead { session: SessionRow::new(summary), open_run: None, held_by: None, images: KnownImages::default() }
    }

    #[test]
    fn no_more_ends_are_kept_than_the_limit() {
        let mut heads = Heads::default();
        for number in 0..=MAX_HEADS {
            heads.keep(head(number));
            assert!(heads.known.len() <= MAX_HEADS);
        }
        assert_eq!(heads.known.len(), 1);
    }

    #[test]
    fn what_another_connection_commits_makes_everything_be_read_anew() {
        let location = Location::memory();
        let (ours, other) = (location.open_writer().unwrap(), location.open_writer().unwrap());
        let mut heads = Heads::default();
        heads.begin(&ours).unwrap();
        heads.keep(head(1));
        heads.begin(&ours).unwrap();
        assert_eq!(heads.known.len(), 1);
        ours.execute("INSERT INTO meta VALUES ('a', 'b')", []).unwrap();
        heads.begin(&ours).unwrap();
        assert_eq!(heads.known.len(), 1);
        other.execute("INSERT INTO meta VALUES ('c', 'd')", []).unwrap();
        heads.begin(&ours).unwrap();
        assert_eq!(heads.known.len(), 0);
    }
}

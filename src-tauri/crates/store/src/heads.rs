//! Where the chains end that were appended to last, so that the next append need not ask for it.
//!
//! What is known here was read or written by this connection, and SQLite's `data_version` tells whether another one
//! has committed since: then everything is forgotten and read anew. The connection's own writes do not show in it, so
//! that whoever writes anything but events says so with [`Heads::forget`].

use crate::projections::SessionRow;
use crate::{StoreError, row};
use arki_domain::{GENESIS_HASH, RunId, SessionId};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;

/// Sessions whose ends are known at once; past that, all of them are read anew.
pub(crate) const MAX_HEADS: usize = 1024;

const LAST: &str = "SELECT seq, hash FROM events WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1";

/// A session's end, proven to be that of its log.
pub(crate) struct Head {
    pub(crate) session: SessionRow,
    /// A run that is known not to have ended.
    pub(crate) open_run: Option<RunId>,
}

#[derive(Default)]
pub(crate) struct Heads {
    known: HashMap<SessionId, Head>,
    version: Option<i64>,
}

impl Heads {
    /// To be called within each transaction, before anything else.
    pub(crate) fn begin(&mut self, transaction: &Connection) -> Result<(), StoreError> {
        let version = transaction.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if self.version != Some(version) {
            self.known.clear();
            self.version = Some(version);
        }
        Ok(())
    }

    /// Taken out, so that an append that fails leaves nothing behind: only one that succeeds gives it back.
    pub(crate) fn take(&mut self, transaction: &Connection, session_id: &SessionId) -> Result<Head, StoreError> {
        match self.known.remove(session_id) {
            Some(head) => Ok(head),
            None => Head::read(transaction, session_id),
        }
    }

    pub(crate) fn keep(&mut self, head: Head) {
        if self.known.len() >= MAX_HEADS {
            self.known.clear();
        }
        self.known.insert(head.session.summary.session_id.clone(), head);
    }

    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }
}

impl Head {
    fn read(transaction: &Connection, session_id: &SessionId) -> Result<Self, StoreError> {
        let session = SessionRow::load(transaction, session_id)?;
        ensure_unbroken(transaction, &session)?;
        Ok(Self { session, open_run: None })
    }
}

/// Nothing is added to a log that was cut off or rewritten: that would hide it.
fn ensure_unbroken(transaction: &Connection, session: &SessionRow) -> Result<(), StoreError> {
    let last: Option<(i64, String)> = transaction
        .prepare_cached(LAST)?
        .query_row([session.id()], |row| Ok((row.get(0)?, row::lossy_text(row.get_ref(1)?))))
        .optional()?;
    let (seq, hash) = last.unwrap_or_else(|| (0, GENESIS_HASH.to_owned()));
    if row::unsigned(seq) != session.last_seq || hash != session.last_hash {
        let seq = row::unsigned(seq).min(session.last_seq) + 1;
        return Err(StoreError::SessionBroken { session_id: session.summary.session_id.clone(), seq });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Location;
    use arki_domain::projection::SessionSummary;

    fn head(number: usize) -> Head {
        let summary = SessionSummary::new(SessionId::from(number.to_string()));
        let session = SessionRow { summary, last_seq: 0, last_hash: GENESIS_HASH.to_owned() };
        Head { session, open_run: None }
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

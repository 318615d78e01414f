//! Proves that the log is what was appended: every hash, every link, no gap, and the end that the session remembers.
//!
//! Nothing in a row is trusted to have its type. The rows are found by the index but read from the table, so that the
//! two cannot disagree unnoticed. Whoever can rewrite a whole chain and its end can still deceive this; an anchor, made
//! with a key from outside of the database, is what shows that (`anchors`).

pub(crate) mod anchors;
pub(crate) mod contents;
pub(crate) mod report;

use crate::chain::hash_at;
use crate::chain::projections::SessionRow;
use crate::chain::seal::{MAX_EVENT_BYTES, Unhashed, is_canonical_text};
use crate::contents::blobs;
use crate::database::row::{self, OF_SESSION, lossy_text};
use crate::database::statements::list;
use crate::{LogVerifier, StoreError};
use arki_domain::projection::SessionState;
use arki_domain::{Event, GENESIS_HASH, SessionId};
use report::VerifyReport;
use rusqlite::types::{FromSqlResult, Value, ValueRef};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};
use std::collections::HashSet;

/// The rows in the order of the index, and what it lacks in an order of its own.
const ROWS: &str = "SELECT rowid, session_id FROM events ORDER BY substr(session_id, -8), session_id, seq";
const ROW: &str = "SELECT event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash FROM events \
     WHERE rowid = ?1";
const END: &str = "SELECT last_seq, last_hash, state FROM sessions WHERE session_id = ?1";
const WITHOUT_EVENTS: &str = "SELECT session_id FROM sessions WHERE NOT EXISTS (SELECT 1 FROM events \
     WHERE substr(events.session_id, -8) = substr(sessions.session_id, -8) AND events.session_id = sessions.session_id)";

impl LogVerifier<'_> {
    /// Checks one session or all of them, the newest first. A broken chain is a report, not an error.
    ///
    /// # Errors
    /// `SessionNotFound`, or when the database cannot be read or its tables are not Arki's.
    pub fn verify(self, session: Option<&SessionId>) -> Result<Vec<VerifyReport>, StoreError> {
        self.verify_anchored(session, None)
    }

    /// Checks one session, and hands out its events on the way, the oldest first, up to the first that is broken: whoever
    /// goes on with a session reads it once.
    ///
    /// # Errors
    /// Those of [`Self::verify`].
    pub fn verify_each(self, session: &SessionId, mut each: impl FnMut(&Event)) -> Result<VerifyReport, StoreError> {
        self.reader.read(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let walk = ChainWalk::new(&snapshot)?.handing_out(&mut each);
            let mut reports = walk.run(Some(session)).map_err(as_damage)?;
            verify_diffs(&snapshot, Some(session), &mut reports).map_err(as_damage)?;
            let removals = unfinished_removals(&snapshot).map_err(as_damage)?;
            reports.retain(|report| !removals.contains(report.session_id.as_str()));
            reports.pop().ok_or_else(|| StoreError::SessionNotFound { wanted: session.to_string() })
        })
    }

    /// The same, and with a key also whether the logs are the ones that [`crate::Store::anchor`] vouched for.
    ///
    /// # Errors
    /// Those of [`Self::verify`].
    pub fn verify_anchored(
        self,
        session: Option<&SessionId>,
        key: Option<&[u8; 32]>,
    ) -> Result<Vec<VerifyReport>, StoreError> {
        self.reader.read_settled(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let mut reports = ChainWalk::new(&snapshot)?.run(session).map_err(as_damage)?;
            verify_diffs(&snapshot, session, &mut reports).map_err(as_damage)?;
            let removals = unfinished_removals(&snapshot).map_err(as_damage)?;
            reports.retain(|report| !removals.contains(report.session_id.as_str()));
            if let Some(key) = key {
                anchors::check(&snapshot, session, key, &mut reports).map_err(as_damage)?;
            }
            match session {
                Some(session) if reports.is_empty() => Err(StoreError::SessionNotFound { wanted: session.to_string() }),
                _ => Ok(reports),
            }
        })
    }
}

/// Large diffs lie beside the log, and the event that speaks of one has its hash: a diff that is another one, or gone,
/// breaks the session there.
fn verify_diffs(
    connection: &Connection,
    session: Option<&SessionId>,
    reports: &mut [VerifyReport],
) -> Result<(), StoreError> {
    let of_session = session.map(|_| format!("{OF_SESSION} AND ")).unwrap_or_default();
    let sql = format!(
        "SELECT session_id, seq, CASE WHEN json_valid(payload) THEN \
         json_extract(payload, '$.preview.diffHash') END AS hash FROM events \
         WHERE {of_session}type = 'approval.requested' AND hash IS NOT NULL"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query(rusqlite::params_from_iter(session.map(SessionId::as_str)))?;
    while let Some(row) = rows.next()? {
        // A value of the wrong type is found by its hash.
        let (Ok(id), Ok(seq), Ok(hash)) = (row.get::<_, String>(0), row.get(1), row.get::<_, String>(2)) else {
            continue;
        };
        let is_kept = matches!(blobs::read(connection, &hash), Ok(Some(_)));
        let report = reports.iter_mut().find(|report| report.session_id.as_str() == id);
        if let (false, Some(report)) = (is_kept, report) {
            report.break_at(row::unsigned(seq));
        }
    }
    Ok(())
}

/// Returns the sessions whose removal a crash cut off: they are not broken.
fn unfinished_removals(connection: &Connection) -> Result<HashSet<String>, StoreError> {
    let sql = "SELECT session_id FROM session_removals \
         WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = session_removals.session_id)";
    list(connection, sql, [], |row| row.get(0))
}

/// A statement that does not fit the tables says that these were changed.
fn as_damage(error: StoreError) -> StoreError {
    match error {
        StoreError::Internal { detail } => StoreError::damaged(detail),
        other => other,
    }
}

struct ChainWalk<'a> {
    connection: &'a Connection,
    row: CachedStatement<'a>,
    end: CachedStatement<'a>,
    rows: i64,
    reports: Vec<VerifyReport>,
    /// The receiver of the events.
    each: Option<&'a mut dyn FnMut(&Event)>,
}

impl<'a> ChainWalk<'a> {
    fn new(connection: &'a Connection) -> Result<Self, StoreError> {
        let prepare = |sql| connection.prepare_cached(sql).map_err(|error| as_damage(error.into()));
        Ok(Self { connection, row: prepare(ROW)?, end: prepare(END)?, rows: 0, reports: Vec::new(), each: None })
    }

    fn handing_out(self, each: &'a mut dyn FnMut(&Event)) -> Self {
        Self { each: Some(each), ..self }
    }

    fn run(mut self, session: Option<&SessionId>) -> Result<Vec<VerifyReport>, StoreError> {
        match session {
            Some(session) => self.walk_one(session)?,
            None => self.walk_all()?,
        }
        self.reports.reverse();
        Ok(self.reports)
    }

    fn walk_one(&mut self, session: &SessionId) -> Result<(), StoreError> {
        let id = Value::Text(session.to_string());
        self.walk(&format!("SELECT rowid, session_id FROM events WHERE {OF_SESSION} ORDER BY seq"), Some(&id))?;
        if self.reports.is_empty() && self.end_of(&id)?.is_some() {
            self.close(&id, Chain::new())?;
        }
        Ok(())
    }

    fn walk_all(&mut self) -> Result<(), StoreError> {
        self.walk(ROWS, None)?;
        let there: i64 = self.connection.query_row("SELECT count(*) FROM events NOT INDEXED", [], |row| row.get(0))?;
        if there != self.rows {
            return Err(StoreError::damaged(format!("{there} events are stored, but {} can be found", self.rows)));
        }
        let mut statement = self.connection.prepare(WITHOUT_EVENTS)?;
        let mut sessions = statement.query([])?;
        while let Some(row) = sessions.next()? {
            self.close(&owned(row.get_ref(0)?), Chain::new())?;
        }
        self.reports.sort_by(|one, other| one.session_id.cmp(&other.session_id));
        Ok(())
    }

    /// Streams the rows, one session after the other.
    fn walk(&mut self, sql: &str, session: Option<&Value>) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(session))?;
        let mut open: Option<(Value, Chain)> = None;
        while let Some(found) = rows.next()? {
            let id = found.get_ref(1)?;
            if open.as_ref().is_none_or(|(session, _)| id != ValueRef::from(session)) {
                let next = (owned(id), Chain::new());
                if let Some((session, chain)) = open.replace(next) {
                    self.close(&session, chain)?;
                }
            }
            if let Some((session, chain)) = &mut open {
                let each = &mut self.each;
                self.row.query_row([found.get::<_, i64>(0)?], |row| {
                    chain.add(session, row)?;
                    if let Some(each) = each.as_mut().filter(|_| chain.broken.is_none()) {
                        each(&row::event(row)?);
                    }
                    Ok(())
                })?;
                self.rows += 1;
            }
        }
        open.map_or(Ok(()), |(session, chain)| self.close(&session, chain))
    }

    /// Compares the end of the chain with the one that the session remembers; while it runs, that may be an earlier one.
    fn close(&mut self, session: &Value, mut chain: Chain) -> Result<(), StoreError> {
        match self.end_of(session)? {
            None => chain.break_at(1),
            Some(RecordedEnd { seq: None, .. }) => chain.break_at(chain.last_seq + 1),
            Some(RecordedEnd { seq: Some(seq), hash, lag }) => {
                if seq > chain.last_seq || chain.last_seq - seq > lag {
                    chain.break_at(seq.min(chain.last_seq) + 1);
                } else if hash != self.hash_after(session, seq, &chain)? {
                    chain.break_at(seq);
                }
            }
        }
        let mut report = VerifyReport::sound(lossy_text(session.into()).into(), chain.events);
        if let Some(seq) = chain.broken {
            report.break_at(seq);
        }
        self.reports.push(report);
        Ok(())
    }

    /// The hash of an event of a chain that was gone through.
    fn hash_after(&self, session: &Value, seq: u64, chain: &Chain) -> Result<Option<String>, StoreError> {
        match session {
            Value::Text(session) if seq > 0 && seq < chain.last_seq => hash_at(self.connection, session, seq),
            _ => Ok(Some(chain.last_hash.clone())),
        }
    }

    fn end_of(&mut self, session: &Value) -> Result<Option<RecordedEnd>, StoreError> {
        let end = self.end.query_row([session], |row| {
            let seq = row.get_ref(0)?.as_i64().ok().and_then(|seq| u64::try_from(seq).ok());
            let state = SessionState::from_word(&lossy_text(row.get_ref(2)?));
            let hash = row.get_ref(1)?.as_str().ok().map(str::to_owned);
            Ok(RecordedEnd { seq, hash, lag: SessionRow::allowed_lag(state) })
        });
        Ok(end.optional()?)
    }
}

/// The recorded end of a session, where it is valid.
struct RecordedEnd {
    seq: Option<u64>,
    hash: Option<String>,
    /// The number of events by which its log may go on.
    lag: u64,
}

/// Copies a value; one that is not text is nobody's id.
fn owned(id: ValueRef<'_>) -> Value {
    match id {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_owned()),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Blob(bytes.to_owned()),
        },
    }
}

/// One session's chain as far as it was followed.
struct Chain {
    events: u64,
    last_seq: u64,
    last_hash: String,
    broken: Option<u64>,
}

impl Chain {
    fn new() -> Self {
        Self { events: 0, last_seq: 0, last_hash: GENESIS_HASH.to_owned(), broken: None }
    }

    /// Numbers start at 1, and an earlier break is never made later.
    fn break_at(&mut self, seq: u64) {
        let seq = seq.max(1);
        self.broken = Some(self.broken.map_or(seq, |earlier| earlier.min(seq)));
    }

    fn add(&mut self, session: &Value, row: &Row<'_>) -> rusqlite::Result<()> {
        self.events += 1;
        let found = row.get_ref(3)?.as_i64().ok().and_then(|seq| u64::try_from(seq).ok());
        let expected = self.last_seq + 1;
        let sound = self.broken.is_none() && row.get_ref(2)? == ValueRef::from(session) && found == Some(expected);
        match Self::proven_hash(row, &self.last_hash)? {
            Some(hash) if sound => hash.clone_into(&mut self.last_hash),
            _ => self.break_at(found.unwrap_or(expected).min(expected)),
        }
        // Beyond a break only the end still matters.
        self.last_seq = found.unwrap_or(expected).max(self.last_seq);
        Ok(())
    }

    /// The stored hash, if it is the right one for the row and the row follows `prev_hash`.
    fn proven_hash<'r>(row: &'r Row<'_>, prev_hash: &str) -> rusqlite::Result<Option<&'r str>> {
        let columns = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|column| row.get_ref(column));
        let [event_id, run_id, session_id, seq, ts, kind, payload, prev, hash] = columns;
        let columns = [event_id?, run_id?, session_id?, seq?, ts?, kind?, payload?, prev?, hash?];
        Ok(prove(columns, prev_hash).ok().flatten())
    }
}

/// An error is a value of the wrong type.
fn prove<'r>(columns: [ValueRef<'r>; 9], follows: &str) -> FromSqlResult<Option<&'r str>> {
    let [event_id, run_id, session_id, seq, ts, kind, payload, prev_hash, hash] = columns;
    let unhashed = Unhashed {
        event_id: event_id.as_str()?,
        run_id: run_id.as_str_or_null()?,
        session_id: session_id.as_str()?,
        seq: u64::try_from(seq.as_i64()?).unwrap_or(u64::MAX),
        ts: ts.as_i64()?,
        kind: kind.as_str()?,
        prev_hash: prev_hash.as_str()?,
    };
    let (payload, hash) = (payload.as_str()?, hash.as_str()?);
    let is_proven = unhashed.prev_hash == follows
        && payload.len() <= MAX_EVENT_BYTES
        && unhashed.hash(payload).is_some_and(|computed| computed == hash)
        && is_canonical_text(payload);
    Ok(is_proven.then_some(hash))
}

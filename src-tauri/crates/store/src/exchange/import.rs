//! Bringing sessions in from an export: the same events, byte for byte, under the same hashes.
//!
//! Everything is proven before anything is stored: the events go into a private file of SQLite's own first, whose name
//! nobody knows, and from there into the log in one transaction. So an export that is cut off or changed leaves no
//! trace, no reader ever sees a part, and the transaction only writes; how long it can hold up others is bounded by
//! [`MAX_IMPORT_BYTES`] and [`MAX_IMPORT_EVENTS`]: well below the time that they wait.

use crate::chain::projections::SessionRow;
use crate::chain::replay::Replay;
use crate::chain::{Log, hash_at, heads};
use crate::contents::blobs::Blob;
use crate::database::row::{EVENT_COLUMNS, event, signed, unsigned};
use crate::database::statements::{change, each, find};
use crate::exchange::exported::{ExportedChains, ExportedLine, invalid};
use crate::exchange::exported_contents::ExportedContents;
use crate::writer::write::Durability;
use crate::{MAX_BLOB_BYTES, Store, StoreError, StoreReader, leases, settings};
use arki_domain::projection::SessionState;
use arki_domain::{Event, EventBody, GENESIS_HASH, RunId, SessionId};
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// The payloads of one import together, in bytes.
pub const MAX_IMPORT_BYTES: u64 = 256 << 20;
/// The events of one import.
pub const MAX_IMPORT_EVENTS: u64 = 200_000;

/// Asks whether a session is found among those that it works for or was forked from, and those of theirs.
const LEADS_TO_ITSELF: &str = "WITH RECURSIVE origins (id) AS (\
         SELECT parent FROM sessions WHERE session_id = ?1 \
         UNION SELECT origin FROM sessions WHERE session_id = ?1 \
         UNION SELECT above.parent FROM origins JOIN sessions AS above ON above.session_id = origins.id \
         UNION SELECT above.origin FROM origins JOIN sessions AS above ON above.session_id = origins.id) \
     SELECT 1 FROM origins WHERE id = ?1";

const SPOOL: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; \
     CREATE TABLE events (event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash); \
     CREATE TABLE blobs (hash TEXT NOT NULL PRIMARY KEY, size, kept_at, content);";

/// The result of importing one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedSession {
    pub session_id: SessionId,
    pub outcome: ImportOutcome,
    /// The number of events stored.
    pub events: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    Added,
    /// Its beginning was there, and the rest was added.
    Extended,
    /// All of it was there.
    Unchanged,
}

impl Store {
    /// Stores the sessions of an export: all of them, or none. An item's number counts as its line. A session that is
    /// there is left alone or extended, never changed; whoever ran an imported run is not here, so that it shows as
    /// interrupted. Of the contents beside the log an export has the large diffs, and all of them.
    ///
    /// # Errors
    /// `ExportInvalid`, `ImportTooLarge`, `SessionExists`, `SessionBusy` for one that would be extended while it runs,
    /// the errors of `events`, or when the database cannot be written.
    pub async fn import<E: Into<StoreError>>(
        &self,
        lines: impl Iterator<Item = Result<ExportedLine, E>> + Send + 'static,
    ) -> Result<Vec<ImportedSession>, StoreError> {
        let spool =
            self.read(move |_| Spool::fill(lines.map(|line| line.map_err(Into::into)), ImportLimits::DEFAULT)).await?;
        let reader = self.reader().clone();
        self.write(Durability::Full, move |transaction| spool.store(transaction, &reader)).await
    }
}

/// The setting that keeps the number of the last event that came from elsewhere.
pub(crate) fn imported_to(session: &SessionId) -> String {
    format!("imported_to:{session}")
}

impl StoreReader {
    /// The number of a session's last event that came from elsewhere; 0 where none did.
    pub fn imported_to(&self, session: &SessionId) -> Result<u64, StoreError> {
        Ok(self.meta(&imported_to(session))?.and_then(|seq| seq.parse().ok()).unwrap_or(0))
    }

    /// Returns whether the run was begun elsewhere and came here with an export: nobody here granted what its log says.
    pub fn is_imported(&self, run_id: &RunId) -> Result<bool, StoreError> {
        let Some(run) = self.lists().run(run_id)? else { return Ok(false) };
        Ok(run.first_seq <= self.imported_to(&run.session_id)?)
    }
}

#[derive(Clone, Copy)]
struct ImportLimits {
    bytes: u64,
    events: u64,
}

impl ImportLimits {
    const DEFAULT: Self = Self { bytes: MAX_IMPORT_BYTES, events: MAX_IMPORT_EVENTS };

    fn ensure(self, events: u64, bytes: u64) -> Result<(), StoreError> {
        if bytes > self.bytes || events > self.events {
            return Err(StoreError::ImportTooLarge { events: self.events, bytes: self.bytes });
        }
        Ok(())
    }
}

/// Events and contents that were proven and wait to be stored; an event's row has the event's place among the events.
struct Spool {
    connection: Connection,
    ends: Vec<ImportedEnd>,
}

struct ImportedEnd {
    session_id: SessionId,
    seq: u64,
    first_row: u64,
}

impl Spool {
    fn fill(
        lines: impl Iterator<Item = Result<ExportedLine, StoreError>>,
        limits: ImportLimits,
    ) -> Result<Self, StoreError> {
        // No name: a file that only this connection can find, and that goes with it.
        let connection = Connection::open("")?;
        connection.execute_batch(SPOOL)?;
        let mut spool = Self { connection, ends: Vec::new() };
        let (mut chains, mut contents) = (ExportedChains::default(), ExportedContents::default());
        let (mut bytes, mut events) = (0, 0);
        for (line, read) in (1..).zip(lines) {
            let event = match read? {
                ExportedLine::Event(event) => *event,
                ExportedLine::Piece(piece) => {
                    bytes += piece.text.len() as u64;
                    limits.ensure(events, bytes)?;
                    let whole = contents.add(&piece, MAX_BLOB_BYTES).map_err(|detail| invalid(line, detail))?;
                    if let Some((_, text)) = whole {
                        Blob::pack(text.as_bytes())?.keep(&spool.connection, 0)?;
                    }
                    continue;
                }
            };
            events += 1;
            chains.follow(&event).map_err(|detail| invalid(line, detail))?;
            if event.seq == 1 && !matches!(event.body(), EventBody::SessionCreated(_)) {
                return Err(invalid(line, "a session begins with session.created"));
            }
            contents.note_event(&event, line).map_err(|detail| invalid(line, detail))?;
            bytes += event.payload.get().len() as u64;
            limits.ensure(events, bytes)?;
            Log::open(&spool.connection)?.insert(&event)?;
            spool.note_end(event, events);
        }
        if let Some(line) = contents.missing().min() {
            return Err(invalid(line, "the diff it refers to is not in the file"));
        }
        if spool.ends.is_empty() {
            return Err(invalid(1, "it has no events"));
        }
        spool.connection.execute_batch("COMMIT")?;
        Ok(spool)
    }

    fn note_end(&mut self, event: Event, row: u64) {
        match self.ends.last_mut() {
            Some(end) if end.session_id == event.session_id => end.seq = event.seq,
            _ => self.ends.push(ImportedEnd { session_id: event.session_id, seq: event.seq, first_row: row }),
        }
    }

    fn store(&self, transaction: &Connection, reader: &StoreReader) -> Result<Vec<ImportedSession>, StoreError> {
        self.store_contents(transaction, reader.clock.now_ms())?;
        let imported = self.ends.iter().map(|end| self.store_session(transaction, reader, end));
        let imported = imported.collect::<Result<Vec<_>, _>>()?;
        for end in &self.ends {
            ensure_has_beginning(transaction, end)?;
        }
        Ok(imported)
    }

    /// Stores the contents. Those of sessions that are not stored belong to nobody, and go with the next cleanup.
    fn store_contents(&self, transaction: &Connection, now_ms: i64) -> Result<(), StoreError> {
        each(&self.connection, "SELECT hash, size, content FROM blobs", [], |row| {
            Blob::packed(row.get(0)?, unsigned(row.get(1)?), row.get(2)?).keep(transaction, now_ms)
        })
    }

    fn store_session(
        &self,
        transaction: &Connection,
        reader: &StoreReader,
        end: &ImportedEnd,
    ) -> Result<ImportedSession, StoreError> {
        let mut session = SessionRow::load(transaction, &end.session_id)?;
        let is_whole = heads::go_to_end(transaction, &mut session)?;
        let there = session.last_seq;
        if !(is_whole && self.is_same(transaction, &session, end)?) {
            return Err(StoreError::SessionExists { session_id: end.session_id.clone() });
        }
        let outcome = match there {
            0 => ImportOutcome::Added,
            there if there >= end.seq => ImportOutcome::Unchanged,
            _ => {
                ensure_idle(transaction, reader, &end.session_id)?;
                ImportOutcome::Extended
            }
        };
        if outcome != ImportOutcome::Unchanged {
            self.add(transaction, session, end)?;
            settings::set_meta(transaction, &imported_to(&end.session_id), &end.seq.to_string())?;
        }
        Ok(ImportedSession { session_id: end.session_id.clone(), outcome, events: end.seq.saturating_sub(there) })
    }

    /// Returns whether both logs are the same as far as both go: a hash vouches for everything before it.
    fn is_same(&self, transaction: &Connection, session: &SessionRow, end: &ImportedEnd) -> Result<bool, StoreError> {
        let both = session.last_seq.min(end.seq);
        Ok(hash_after(transaction, session.id(), both)? == self.hash_at_line(end, both)?)
    }

    fn hash_at_line(&self, end: &ImportedEnd, seq: u64) -> Result<Option<String>, StoreError> {
        let Some(before) = seq.checked_sub(1) else { return Ok(Some(GENESIS_HASH.to_owned())) };
        let sql = "SELECT hash FROM events WHERE rowid = ?1";
        find(&self.connection, sql, [signed(end.first_row + before)], |row| row.get(0))
    }

    fn add(&self, transaction: &Connection, session: SessionRow, end: &ImportedEnd) -> Result<(), StoreError> {
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let (first, last) = (end.first_row + session.last_seq, end.first_row + end.seq - 1);
        let mut rows = statement.query(params![signed(first), signed(last)])?;
        let (mut replay, mut runs) = (Replay::after(session), HashSet::new());
        let (mut log, mut line) = (Log::open(transaction)?, first);
        while let Some(row) = rows.next()? {
            let event = event(row)?;
            let body = event.body();
            if let Some(run) = &event.run_id
                && runs.insert(run.clone())
            {
                let sql = "SELECT 1 FROM runs WHERE run_id = ?1 AND session_id <> ?2";
                ensure_own(transaction, sql, run.as_str(), &event, line)?;
            }
            for approval in approvals_of(&body) {
                let sql = "SELECT 1 FROM approvals WHERE approval_id = ?1 AND session_id <> ?2";
                ensure_own(transaction, sql, approval, &event, line)?;
            }
            log.insert(&event)?;
            replay.note(transaction, event, &body)?;
            line += 1;
        }
        replay.save(transaction)?;
        interrupt(transaction, &end.session_id)
    }
}

/// A run that waits, for a decision or to go on, does so where its log is from; here nobody can.
fn interrupt(transaction: &Connection, session: &SessionId) -> Result<(), StoreError> {
    let [interrupted, waiting, paused] = [SessionState::Interrupted, SessionState::Waiting, SessionState::Paused];
    let states = params![session.as_str(), interrupted.as_str(), waiting.as_str(), paused.as_str()];
    for table in ["sessions", "runs"] {
        let sql = format!("UPDATE {table} SET state = ?2 WHERE session_id = ?1 AND state IN (?3, ?4)");
        change(transaction, &sql, states)?;
    }
    Ok(())
}

/// Checks that a session does not come before itself: nobody could remove it, nor find where its conversation begins.
fn ensure_has_beginning(transaction: &Connection, end: &ImportedEnd) -> Result<(), StoreError> {
    match transaction.prepare_cached(LEADS_TO_ITSELF)?.exists([end.session_id.as_str()])? {
        true => Err(invalid(end.first_row, "its session is its own parent, or leads back to itself")),
        false => Ok(()),
    }
}

/// A file from elsewhere must not end runs or decide approvals of other sessions by naming them.
fn ensure_own(transaction: &Connection, sql: &str, id: &str, event: &Event, line: u64) -> Result<(), StoreError> {
    if transaction.prepare_cached(sql)?.exists([id, event.session_id.as_str()])? {
        return Err(invalid(line, "it refers to a run or an approval of another session"));
    }
    Ok(())
}

fn approvals_of(body: &EventBody) -> Vec<&str> {
    match body {
        EventBody::ApprovalRequested(requested) => {
            let ids = std::iter::once(&requested.approval_id).chain(&requested.supersedes);
            ids.map(|id| id.as_str()).collect()
        }
        EventBody::ApprovalResolved(resolved) => vec![resolved.approval_id.as_str()],
        _ => Vec::new(),
    }
}

fn hash_after(transaction: &Connection, session: &str, seq: u64) -> Result<Option<String>, StoreError> {
    if seq == 0 { Ok(Some(GENESIS_HASH.to_owned())) } else { hash_at(transaction, session, seq) }
}

fn ensure_idle(transaction: &Connection, reader: &StoreReader, session: &SessionId) -> Result<(), StoreError> {
    match leases::live(transaction, session, reader)? {
        Some(lease) => Err(StoreError::SessionBusy { session_id: session.clone(), pid: lease.pid }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

//! Recovers the content of a damaged database into a new one.
//!
//! How much is lost is told by what remembers a session's last number: its row, the index of the events, and the lists
//! that name one. A session has every number up to its last.
//!
//! First what SQLite can read in order, from either end up to the damage, and what lies in the pages beyond it, as far
//! as its hash proves it; then what SQLite reads and nothing proves, which was tampered with before it was damaged and
//! is not for us to drop. Lists are made anew by going through the log. What is remembered outside of it is taken only
//! where SQLite reads it: a decision of trust that was taken back must not return from a forgotten page.

use super::Salvaged;
use super::damaged_files::Scratch;
use super::leaves::{Leaves, PAGE_COUNT};
use crate::StoreError;
use crate::answered_requests;
use crate::chain::projections::SessionRow;
use crate::chain::replay::Replay;
use crate::contents::blobs::unpack;
use crate::database::row::{self, EVENT_COLUMNS, OF_SESSION};
use crate::exchange::exported::prove;
use arki_domain::projection::SessionSummary;
use arki_domain::{SessionId, sha256_hex};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Row, params, params_from_iter};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// The size of a database file's header; its fields: <https://www.sqlite.org/fileformat2.html#the_database_header>.
const HEADER_BYTES: usize = 100;
const FREE_PAGES: std::ops::Range<usize> = 32..40;

/// The columns that sessions have in every layout; the marks of later layouts come back with the events that set them.
const SESSION_COLUMNS: &str = "session_id, title, project, created_at, updated_at, state, run_id, pending_approval, last_seq, \
     last_hash, 0, 0";

/// The tables that name events by their session and number. That of the events themselves is read from their index
/// alone, which before layout 3 had another name; it has only the end of a session's id.
const NUMBERS: &[(&str, &str)] = &[
    ("anchors", "session_id, seq"),
    ("snapshots", "session_id, last_seq"),
    ("runs", "session_id, max(first_seq, ifnull(last_seq, 0))"),
    ("approvals", "session_id, max(requested_seq, ifnull(resolved_seq, 0))"),
    ("file_changes", "session_id, seq"),
    ("events INDEXED BY events_by_session", "substr(session_id, -8), seq"),
    ("events INDEXED BY sqlite_autoindex_events_1", "session_id, seq"),
];
/// The length of an ID's end, in characters.
const ID_END: usize = 8;

/// `fresh` is the empty database at `scratch.fresh`.
pub(super) fn recover(scratch: &Scratch, fresh: &mut Connection) -> Result<Salvaged, StoreError> {
    let source = open_damaged(&scratch.damaged, fresh)?;
    std::fs::copy(&scratch.damaged, &scratch.leaves)?;
    let transaction = fresh.transaction()?;
    let mut recovery = Recovery {
        target: &transaction,
        sessions: BTreeMap::new(),
        knows_sessions: false,
        last_numbers: BTreeMap::new(),
        recovered: Salvaged { lost_uncounted: true, lost_settings: true, ..Salvaged::default() },
    };
    if let Some(source) = &source {
        recovery.read_sessions(source)?;
        recovery.read_numbers(source)?;
        recovery.read_events(source, Wanted::Proven)?;
    }
    Leaves::open(&scratch.leaves)?.each(|leaf| {
        recovery.read_events(leaf, Wanted::ProvenOfKnownSessions)?;
        recovery.read_contents(leaf)
    })?;
    if let Some(source) = &source {
        recovery.read_events(source, Wanted::Unproven)?;
        recovery.read_contents(source)?;
        recovery.read_the_rest(source)?;
    }
    let recovered = recovery.replay()?;
    transaction.commit()?;
    Ok(recovered)
}

/// `None` when SQLite can't make anything of it.
fn open_damaged(path: &Path, fresh: &Connection) -> Result<Option<Connection>, StoreError> {
    // Of an empty file SQLite would throw away the log.
    if path.metadata()?.len() > 0
        && let Some(source) = try_open(path)
    {
        return Ok(Some(source));
    }
    replace_header(path, fresh)?;
    Ok(try_open(path))
}

fn try_open(path: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(path, flags).ok()?;
    // The first lets a layout be read of which a part makes no sense, the second finds damage within a page.
    source.execute_batch("PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON").ok()?;
    source.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).ok()?;
    // So that the pages are all in one file. What can't be copied is still read through the log.
    let _ = source.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    Some(source)
}

/// The header of a new database, which was made in the same way.
fn replace_header(path: &Path, fresh: &Connection) -> Result<(), StoreError> {
    fresh.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    let mut header = [0; HEADER_BYTES];
    File::open(fresh.path().unwrap_or_default())?.read_exact(&mut header)?;
    header[PAGE_COUNT].fill(0);
    header[FREE_PAGES].fill(0);
    Ok(File::options().write(true).open(path)?.write_all(&header)?)
}

/// The events that are taken of those that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Proven,
    /// A session that was removed leaves pages behind.
    ProvenOfKnownSessions,
    Unproven,
}

struct Recovery<'a> {
    target: &'a Connection,
    /// The sessions as their rows describe them.
    sessions: BTreeMap<SessionId, SessionRow>,
    /// True if these are all sessions there were.
    knows_sessions: bool,
    /// The highest number that anything names, by the end of a session's id.
    last_numbers: BTreeMap<String, u64>,
    recovered: Salvaged,
}

impl Recovery<'_> {
    fn read_sessions(&mut self, source: &Connection) -> Result<(), StoreError> {
        let sessions = &mut self.sessions;
        self.knows_sessions = each_row(source, "sessions", SESSION_COLUMNS, "session_id", |row| {
            if let Ok(session) = SessionRow::read(row)
                && !session.id().is_empty()
            {
                sessions.entry(session.summary.session_id.clone()).or_insert(session);
            }
            Ok(())
        })?;
        Ok(())
    }

    fn read_numbers(&mut self, source: &Connection) -> Result<(), StoreError> {
        let numbers = &mut self.last_numbers;
        let mut knows_events = false;
        for (table, columns) in NUMBERS {
            let is_whole = each_row(source, table, columns, "1, 2", |row| {
                if let (Ok(id), Ok(seq)) = (row.get_ref(0).map(row::lossy_text), row.get(1)) {
                    let last = numbers.entry(end_of(&id)).or_default();
                    *last = row::unsigned(seq).max(*last);
                }
                Ok(())
            })?;
            knows_events |= is_whole && table.starts_with("events ");
        }
        self.recovered.lost_uncounted = !(knows_events && self.knows_sessions);
        // What is still there of removed sessions was not lost.
        each_row(source, "session_removals", "session_id", "1", |row| {
            numbers.remove(&end_of(&row.get_ref(0).map(row::lossy_text).unwrap_or_default()));
            Ok(())
        })?;
        Ok(())
    }

    fn read_events(&mut self, source: &Connection, wanted: Wanted) -> Result<(), StoreError> {
        let columns = format!("{EVENT_COLUMNS}, rowid");
        each_row(source, "events WHERE hash IS NOT NULL", &columns, "rowid", |row| self.keep_event(row, wanted))?;
        Ok(())
    }

    fn keep_event(&mut self, row: &Row<'_>, wanted: Wanted) -> Result<(), StoreError> {
        let values = (0..10).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>();
        let (Ok(mut values), Ok(event)) = (values, row::event(row)) else { return Ok(()) };
        let (Value::Text(_), Value::Integer(seq @ 1..)) = (&values[2], &values[3]) else { return Ok(()) };
        let is_forgotten = self.knows_sessions && !self.sessions.contains_key(&event.session_id);
        if prove(&event).is_ok() == (wanted == Wanted::Unproven)
            || wanted == Wanted::ProvenOfKnownSessions && is_forgotten
            || self.has(&event.session_id, *seq)?
        {
            return Ok(());
        }
        // The order of the rows is that in which they were stored.
        if self.target.prepare_cached("SELECT 1 FROM events WHERE rowid = ?1")?.exists([&values[9]])? {
            values[9] = Value::Null;
        }
        let sql = format!("INSERT INTO events ({EVENT_COLUMNS}, rowid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        let is_kept = unless_refused(self.target.prepare_cached(&sql)?.execute(params_from_iter(values)))?;
        self.recovered.unproven_events += u64::from(is_kept && wanted == Wanted::Unproven);
        Ok(())
    }

    fn has(&self, session: &SessionId, seq: i64) -> Result<bool, StoreError> {
        let sql = format!("SELECT 1 FROM events WHERE {OF_SESSION} AND seq = ?2");
        let mut statement = self.target.prepare_cached(&sql)?;
        Ok(statement.exists(params![session.as_str(), seq])?)
    }

    fn read_contents(&self, source: &Connection) -> Result<(), StoreError> {
        // In the first layout the content came before the size.
        each_row(source, "blobs", "hash, iif(typeof(size) = 'blob', size, content)", "rowid", |row| {
            let (Ok(hash), Ok(content)) = (row.get::<_, String>(0), row.get::<_, Vec<u8>>(1)) else { return Ok(()) };
            let Some(bytes) = unpack(&content).filter(|bytes| sha256_hex(bytes) == hash) else { return Ok(()) };
            let sql = "INSERT INTO blobs (hash, size, kept_at, content) VALUES (?1, ?2, 0, ?3) ON CONFLICT DO NOTHING";
            let row = params![hash, row::signed(bytes.len() as u64), content];
            unless_refused(self.target.prepare_cached(sql)?.execute(row)).map(drop)
        })?;
        Ok(())
    }

    fn read_the_rest(&mut self, source: &Connection) -> Result<(), StoreError> {
        let copy = |table: &str, columns: &str, key: &str| {
            let count = columns.split(", ").count();
            let places = vec!["?"; count].join(", ");
            let sql = format!("INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT DO NOTHING");
            each_row(source, table, columns, key, |row| {
                let values = (0..count).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>();
                let Ok(values) = values else { return Ok(()) };
                unless_refused(self.target.prepare_cached(&sql)?.execute(params_from_iter(values))).map(drop)
            })
        };
        self.recovered.lost_settings =
            !copy("trust", "project, trusted, pins, decided_at", "project")? | !copy("meta", "key, value", "key")?;
        let in_pieces = source.prepare("SELECT piece FROM partials").is_ok();
        copy("partials", if in_pieces { "session_id, piece, partial" } else { "session_id, partial" }, "session_id")?;
        copy("anchors", "session_id, seq, hash, mac", "session_id")?;
        copy("answered_requests", answered_requests::COLUMNS, "token, key_hash")?;
        copy("blob_refs", "session_id, hash, kind", "session_id, hash")?;
        self.recovered.lost_contents = self.lost_contents(source)?;
        // What is made anew is not as far as it was.
        self.target
            .execute("DELETE FROM meta WHERE key LIKE 'search%' OR key LIKE 'usage%' OR key = 'database_id'", [])?;
        Ok(())
    }

    /// Counts the lost contents by their index, which has the hashes; none if it cannot be read.
    fn lost_contents(&self, source: &Connection) -> Result<u64, StoreError> {
        let mut lost = BTreeSet::new();
        each_row(source, "blobs INDEXED BY sqlite_autoindex_blobs_1", "hash", "1", |row| {
            let hash = row.get_ref(0).map(row::lossy_text)?;
            let is_kept = self.target.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?.exists([&hash])?;
            if !is_kept {
                lost.insert(hash);
            }
            Ok(())
        })?;
        Ok(lost.len() as u64)
    }

    fn replay(mut self) -> Result<Salvaged, StoreError> {
        let mut statement = self.target.prepare("SELECT DISTINCT session_id FROM events")?;
        let found = statement.query_map([], |row| Ok(SessionId::from(row.get_ref(0).map(row::lossy_text)?)))?;
        for session in found.collect::<Result<Vec<_>, _>>()? {
            let known = self.sessions.remove(&session);
            let last_number = self.last_numbers.remove(&end_of(session.as_str())).unwrap_or_default();
            let (events, lost) = replay_session(self.target, &session, known, last_number)?;
            self.recovered.recovered_events += events;
            self.recovered.lost_events = self.recovered.lost_events.saturating_add(lost);
        }
        // Of which nothing is left but that they were there.
        for (id, mut session) in self.sessions {
            session.last_seq = self.last_numbers.remove(&end_of(id.as_str())).unwrap_or_default().max(session.last_seq);
            self.recovered.lost_events = self.recovered.lost_events.saturating_add(session.last_seq);
            session.save(self.target)?;
        }
        // And not even that.
        self.recovered.lost_events =
            self.last_numbers.into_values().fold(self.recovered.lost_events, u64::saturating_add);
        Ok(self.recovered)
    }
}

/// Returns how many events there are, and how many there should be besides. `last_number`: the highest that is known
/// of.
fn replay_session(
    target: &Connection,
    session: &SessionId,
    known: Option<SessionRow>,
    last_number: u64,
) -> Result<(u64, u64), StoreError> {
    let mut summary = SessionSummary::new(session.clone());
    if let Some(known) = &known {
        (summary.title, summary.project) = (known.summary.title.clone(), known.summary.project.clone());
        summary.created_at = known.summary.created_at;
    }
    let mut replay = Replay::after(SessionRow::new(summary));
    let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} ORDER BY seq");
    let mut statement = target.prepare(&sql)?;
    let mut rows = statement.query([session.as_str()])?;
    let mut events = 0;
    while let Some(row) = rows.next()? {
        let event = row::event(row)?;
        let body = event.body();
        replay.note(target, event, &body)?;
        events += 1;
    }
    // What it remembers of its end says that more was there.
    if let Some(known) = known.filter(|known| known.last_seq > replay.session.last_seq) {
        replay.session = known;
    }
    if last_number > replay.session.last_seq {
        // The hash of which is not known: nothing is added to it.
        (replay.session.last_seq, replay.session.last_hash) = (last_number, String::new());
    }
    replay.save(target)?;
    Ok((events, replay.session.last_seq.saturating_sub(events)))
}

/// Returns the part of the ID by which the events' index knows a session.
fn end_of(id: &str) -> String {
    let skipped = id.chars().count().saturating_sub(ID_END);
    id.chars().skip(skipped).collect()
}

/// Reads the rows from the first up to the damage, then from the last down to it; `true` if there was none. A row may
/// come twice.
fn each_row(
    source: &Connection,
    table: &str,
    columns: &str,
    key: &str,
    mut each: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<bool, StoreError> {
    let descending = format!("{} DESC", key.replace(", ", " DESC, "));
    for order in [key, &descending] {
        let Ok(mut statement) = source.prepare(&format!("SELECT {columns} FROM {table} ORDER BY {order}")) else {
            return Ok(false);
        };
        let mut rows = statement.query([])?;
        loop {
            match rows.next() {
                Ok(Some(row)) => each(row)?,
                Ok(None) => return Ok(order == key),
                Err(_) => break,
            }
        }
    }
    Ok(false)
}

/// Returns whether a row was taken; what the new database does not take was nothing that Arki stored, or is there
/// already.
fn unless_refused(done: rusqlite::Result<usize>) -> Result<bool, StoreError> {
    match done {
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) => Ok(false),
        other => Ok(other? > 0),
    }
}

//! The baseline: what a loop over rusqlite takes to keep the same events, each canonical, hashed and chained.
//!
//! No thread, no lists of sessions, runs and approvals, no triggers, no redaction, no checks.

use arki_domain::{EventBody, EventDraft, EventId, GENESIS_HASH, SessionId, sha256_hex};
use rusqlite::{Connection, params};
use serde_json::json;
use std::path::Path;

const TABLE: &str = "CREATE TABLE events (event_id TEXT NOT NULL, run_id TEXT, session_id TEXT NOT NULL, \
     seq INTEGER NOT NULL, ts INTEGER NOT NULL, type TEXT NOT NULL, payload TEXT NOT NULL, prev_hash TEXT NOT NULL, \
     hash TEXT NOT NULL, UNIQUE (session_id, seq))";
const INSERT: &str = "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

pub(crate) struct Bare {
    connection: Connection,
    is_full: bool,
}

/// Where a session's chain ends; a loop of its own just remembers it.
pub(crate) struct End {
    session_id: SessionId,
    seq: u64,
    hash: String,
}

impl End {
    pub(crate) fn of(session_id: SessionId) -> Self {
        Self { session_id, seq: 0, hash: GENESIS_HASH.to_owned() }
    }
}

impl Bare {
    pub(crate) fn open(path: &Path) -> Self {
        let connection = Connection::open(path).unwrap();
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
        connection.execute_batch(&format!("PRAGMA synchronous = NORMAL; {TABLE}")).unwrap();
        Self { connection, is_full: false }
    }

    pub(crate) fn begin(&mut self, is_full: bool) {
        if self.is_full != is_full {
            let mode = if is_full { "FULL" } else { "NORMAL" };
            self.run(&format!("PRAGMA synchronous = {mode}"));
            self.is_full = is_full;
        }
        self.run("BEGIN IMMEDIATE");
    }

    pub(crate) fn commit(&self) {
        self.run("COMMIT");
    }

    fn run(&self, sql: &str) {
        self.connection.prepare_cached(sql).unwrap().execute([]).unwrap();
    }

    pub(crate) fn insert(&self, end: &mut End, draft: &EventDraft) {
        let ts = now_ms();
        let payload = draft.body.payload().unwrap();
        let text = payload.to_string();
        let (event_id, seq, kind) = (EventId::new(), end.seq + 1, EventBody::kind(&draft.body));
        let run_id = draft.run_id.as_ref().map(|id| id.as_str());
        let event = json!({
            "eventId": event_id, "runId": run_id, "sessionId": end.session_id, "seq": seq, "ts": ts, "type": kind,
            "payload": payload, "prevHash": end.hash,
        });
        let hash = sha256_hex(event.to_string().as_bytes());
        let values =
            params![event_id.as_str(), run_id, end.session_id.as_str(), seq as i64, ts, kind, text, end.hash, hash];
        self.connection.prepare_cached(INSERT).unwrap().execute(values).unwrap();
        (end.seq, end.hash) = (seq, hash);
    }
}

fn now_ms() -> i64 {
    arki_domain::Clock::now_ms(&arki_domain::SystemClock)
}

//! Proves the contents beside the log: that each is the one whose SHA-256 it is kept under.

use crate::chain::cross_references::ContentUse;
use crate::contents::blobs::unpack;
use crate::database::row::{lossy_text, unsigned};
use crate::database::statements::list;
use crate::{LogVerifier, StoreError};
use arki_domain::{SessionId, sha256_hex};
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;

/// Lists the contents of all sessions, or of one.
const ALL: &str = "SELECT hash FROM blobs WHERE ?1 IS NULL ORDER BY hash";
const OF_SESSION: &str = "SELECT hash FROM blob_refs WHERE session_id = ?1 ORDER BY hash";
/// Finds contents that are never cleared away while referred to, and that are missing. Imports may come without.
const MISSING: &str = "SELECT DISTINCT hash FROM blob_refs WHERE kind <> ?2 AND (?1 IS NULL OR session_id = ?1) \
     AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.hash = blob_refs.hash) \
     AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'imported_to:' || session_id) ORDER BY hash";
const SESSIONS: &str = "SELECT session_id FROM blob_refs WHERE hash = ?1 ORDER BY session_id";

/// The result of checking the contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentsReport {
    /// The number of contents that were checked; their bytes follow.
    pub contents: u64,
    pub bytes: u64,
    /// The contents that are damaged.
    pub damaged: Vec<DamagedContent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DamagedContent {
    /// The hash it is stored under.
    pub content_hash: String,
    pub ok: bool,
    /// True if there is no such content at all.
    pub missing: bool,
    /// The sessions that speak of it.
    pub sessions: Vec<SessionId>,
}

impl LogVerifier<'_> {
    /// Reads every content, or those that one session speaks of, and compares it with its hash.
    ///
    /// # Errors
    /// When the database cannot be read or its tables are not Arki's.
    pub fn verify_contents(self, session: Option<&SessionId>) -> Result<ContentsReport, StoreError> {
        self.reader.read_settled(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            check(&snapshot, session.map(SessionId::as_str))
        })
    }
}

fn check(connection: &Connection, session: Option<&str>) -> Result<ContentsReport, StoreError> {
    let mut report = ContentsReport::default();
    let hashes = |sql: &str, wanted: &[&dyn rusqlite::ToSql]| -> Result<Vec<String>, StoreError> {
        list(connection, sql, wanted, |row| row.get_ref(0).map(lossy_text))
    };
    let listed = hashes(if session.is_some() { OF_SESSION } else { ALL }, &[&session])?;
    let mut content = connection.prepare("SELECT content, size FROM blobs WHERE hash = ?1")?;
    for hash in listed {
        // What a quota cleared away is no damage.
        let is_whole = content.query_row([&hash], |row| {
            let stored = row.get_ref(0)?.as_blob().ok().and_then(unpack);
            report.contents += 1;
            report.bytes += row.get_ref(1)?.as_i64().map_or(0, unsigned);
            Ok(stored.is_some_and(|bytes| sha256_hex(&bytes) == hash))
        });
        if is_whole.optional()? == Some(false) {
            report.damaged.push(damaged(connection, hash, false)?);
        }
    }
    for hash in hashes(MISSING, &[&session, &(ContentUse::Image as i64)])? {
        report.damaged.push(damaged(connection, hash, true)?);
    }
    Ok(report)
}

fn damaged(connection: &Connection, content_hash: String, missing: bool) -> Result<DamagedContent, StoreError> {
    let sessions = list(connection, SESSIONS, [&content_hash], |row| row.get::<_, String>(0).map(Into::into))?;
    Ok(DamagedContent { content_hash, ok: false, missing, sessions })
}

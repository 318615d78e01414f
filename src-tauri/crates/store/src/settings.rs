//! Data outside of the log: trust decisions, answers that are still arriving, small settings.

use crate::database::statements::{change, each, find, get, list};
use crate::{StoreError, StoreReader};
use arki_domain::{PartialAnswer, SessionId, TrustPin};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

/// The user's decision about a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustRecord {
    pub trusted: bool,
    pub pins: Vec<PinRecord>,
    /// Milliseconds since 1970.
    pub decided_at: i64,
}

/// A pinned piece, and what it said when the user agreed to it, so that a change can be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinRecord {
    #[serde(flatten)]
    pub pin: TrustPin,
    /// `None` where it is not text, or too long to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The rules by which a configuration forbade, word for word and as a configuration of its own: they hold on when
    /// the file changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbids: Option<String>,
}

pub(crate) fn set_trust(transaction: &Connection, project: &str, record: &TrustRecord) -> Result<(), StoreError> {
    let pins = serde_json::to_string(&record.pins).map_err(StoreError::internal)?;
    let sql = "INSERT INTO trust (project, trusted, pins, decided_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (project) DO UPDATE SET trusted = ?2, pins = ?3, decided_at = ?4";
    change(transaction, sql, params![project, record.trusted, pins, record.decided_at]).map(drop)
}

pub(crate) fn keep_partial(
    transaction: &Connection,
    session: &SessionId,
    piece: Option<&PartialAnswer>,
) -> Result<(), StoreError> {
    let Some(piece) = piece else {
        return change(transaction, "DELETE FROM partials WHERE session_id = ?1", [session.as_str()]).map(drop);
    };
    let piece = serde_json::to_string(piece).map_err(StoreError::internal)?;
    let sql = "INSERT INTO partials (session_id, piece, partial) \
         SELECT ?1, coalesce(max(piece), 0) + 1, ?2 FROM partials WHERE session_id = ?1";
    change(transaction, sql, [session.as_str(), &piece]).map(drop)
}

/// Appends a piece to the same turn's answer, or starts over with it: nothing of an answer is kept once another
/// follows.
fn joined(whole: Option<PartialAnswer>, piece: PartialAnswer) -> PartialAnswer {
    match whole {
        Some(mut whole) if (&whole.run_id, whole.turn) == (&piece.run_id, piece.turn) => {
            whole.text.push_str(&piece.text);
            whole.thoughts.push_str(&piece.thoughts);
            whole
        }
        _ => piece,
    }
}

const META: &str = "SELECT value FROM meta WHERE key = ?1";

pub(crate) fn meta(connection: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    find(connection, META, [key], |row| row.get(0))
}

pub(crate) fn set_meta(transaction: &Connection, key: &str, value: &str) -> Result<(), StoreError> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";
    change(transaction, sql, [key, value]).map(drop)
}

/// Returns whether it had the value `known`, and has the other one now.
pub(crate) fn swap_meta(
    transaction: &Connection,
    key: &str,
    known: Option<&str>,
    value: &str,
) -> Result<bool, StoreError> {
    let is_known = meta(transaction, key)?.as_deref() == known;
    if is_known {
        set_meta(transaction, key, value)?;
    }
    Ok(is_known)
}

/// The setting as it is, or as it is set by this.
pub(crate) fn meta_or_set(transaction: &Connection, key: &str, value: &str) -> Result<String, StoreError> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING";
    change(transaction, sql, [key, value])?;
    get(transaction, META, [key], |row| row.get(0))
}

impl StoreReader {
    /// Returns what was decided about a folder (its canonical path). A record that cannot be read is none: then the
    /// user is asked again.
    pub fn trust(&self, project: &str) -> Result<Option<TrustRecord>, StoreError> {
        let sql = "SELECT trusted, pins, decided_at FROM trust WHERE project = ?1";
        self.read(|connection| {
            let row = find(connection, sql, [project], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?)))?;
            Ok(row.and_then(|(trusted, pins, decided_at)| {
                Some(TrustRecord { trusted, pins: serde_json::from_str(&pins).ok()?, decided_at })
            }))
        })
    }

    /// Returns the folders that are trusted, each with the time of that decision; the newest first.
    pub fn trusted_folders(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let sql = "SELECT project, decided_at FROM trust WHERE trusted ORDER BY decided_at DESC, project";
        self.read(|connection| list(connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?))))
    }

    /// Returns what had arrived of an answer when the process ended: all pieces of the last one.
    pub fn partial(&self, session: &SessionId) -> Result<Option<PartialAnswer>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT partial FROM partials WHERE session_id = ?1 ORDER BY piece";
            let mut whole = None;
            each(connection, sql, [session.as_str()], |row| {
                if let Ok(piece) = serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or_default()) {
                    whole = Some(joined(whole.take(), piece));
                }
                Ok(())
            })?;
            Ok(whole)
        })
    }

    /// A small setting.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.read(|connection| meta(connection, key))
    }
}

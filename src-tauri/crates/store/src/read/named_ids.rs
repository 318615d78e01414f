//! Ids as people write them: whole, or a prefix or an ending that only one id has.
//!
//! Prefixes are looked up in a table's own order; endings are compared with every id of the table, which for 10,000
//! sessions takes a few milliseconds and needs no index that every append would have to keep.

use crate::database::row;
use crate::database::statements::list;
use crate::read::sessions::BEGUN;
use crate::{SessionLists, StoreError};
use arki_domain::SessionId;
use rusqlite::params;

/// A part of an id is at least this long, in bytes.
pub const MIN_ID_PART_BYTES: usize = 4;

/// A kind of record with an id of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    Session,
    Run,
    Approval,
    /// Only approvals that still wait for an answer.
    WaitingApproval,
}

/// An id that fits a name, and the session that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedId {
    pub id: String,
    pub session_id: SessionId,
}

impl IdKind {
    /// The table, its id's column, and what else has to hold.
    fn place(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Session => ("sessions", "session_id", ""),
            Self::Run => ("runs", "run_id", ""),
            Self::Approval => ("approvals", "approval_id", ""),
            Self::WaitingApproval => ("approvals", "approval_id", " AND outcome IS NULL"),
        }
    }
}

/// Returns whether `name` names the id: whole, or by a prefix or ending that is long enough.
#[must_use]
pub fn is_named(id: &str, name: &str) -> bool {
    id == name || (name.len() >= MIN_ID_PART_BYTES && (id.starts_with(name) || id.ends_with(name)))
}

impl SessionLists<'_> {
    /// The ids that `name` may mean, at most `limit`, in their order; one alone where it is an id as a whole.
    pub fn named_ids(self, kind: IdKind, name: &str, limit: usize) -> Result<Vec<NamedId>, StoreError> {
        let (table, column, only) = kind.place();
        let select = |condition: &str, order: &str| {
            format!("SELECT {column}, session_id FROM {table} WHERE ({condition}){only}{order}")
        };
        let exact = self.read_ids(&select(&format!("{column} = ?1"), ""), params![name])?;
        if !exact.is_empty() || name.len() < MIN_ID_PART_BYTES {
            return Ok(exact);
        }
        let part = format!("({column} >= ?1 AND {column} < ?2) OR substr({column}, -length(?1)) = ?1");
        let sql = select(&part, &format!(" ORDER BY {column} LIMIT ?3"));
        self.read_ids(&sql, params![name, format!("{name}\u{10ffff}"), row::signed(limit as u64)])
    }

    /// The most recently used session that is the user's own and no sub-agent's.
    pub fn newest_session(self) -> Result<Option<NamedId>, StoreError> {
        let sql = format!(
            "SELECT s.session_id, s.session_id FROM sessions s WHERE s.parent IS NULL AND {BEGUN} \
             ORDER BY s.updated_at DESC, s.session_id DESC LIMIT 1"
        );
        Ok(self.read_ids(&sql, [])?.pop())
    }

    fn read_ids(self, sql: &str, bounds: impl rusqlite::Params) -> Result<Vec<NamedId>, StoreError> {
        self.reader.read(|connection| {
            list(connection, sql, bounds, |row| {
                Ok(NamedId { id: row.get(0)?, session_id: row.get::<_, String>(1)?.into() })
            })
        })
    }
}

//! Leases: a session is run by one process at a time, as long as it keeps renewing. Another takes it over once the holder
//! is dead or has been silent for [`LEASE_TTL`].

use crate::database::statements::find;
use crate::{StoreError, StoreReader};
use arki_domain::SessionId;
use rusqlite::{Connection, Row};
use std::time::Duration;

/// The time a lease holds after it was last renewed. Whoever holds one renews it well before.
pub const LEASE_TTL: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lease {
    pub(crate) owner: String,
    pub(crate) pid: u32,
    renewed_at: i64,
}

impl Lease {
    /// Three columns from `first` on, all null where there is no lease.
    pub(crate) fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Self>> {
        let owner: Option<String> = row.get(first)?;
        owner
            .map(|owner| {
                let pid: i64 = row.get(first + 1)?;
                Ok(Self { owner, pid: u32::try_from(pid).unwrap_or(0), renewed_at: row.get(first + 2)? })
            })
            .transpose()
    }
}

/// The clock may have been set back since: a lease from far in the future has expired as well.
pub(crate) fn is_live(lease: &Lease, reader: &StoreReader) -> bool {
    let silent_ms = reader.clock.now_ms().abs_diff(lease.renewed_at);
    u128::from(silent_ms) <= LEASE_TTL.as_millis() && (reader.is_alive)(lease.pid)
}

/// The lease of whoever runs the session right now.
pub(crate) fn live(
    connection: &Connection,
    session: &SessionId,
    reader: &StoreReader,
) -> Result<Option<Lease>, StoreError> {
    let sql = "SELECT owner, pid, renewed_at FROM leases WHERE session_id = ?1";
    let held = find(connection, sql, [session.as_str()], |row| Lease::read(row, 0))?.flatten();
    Ok(held.filter(|lease| is_live(lease, reader)))
}

/// Fails if the lease was lost: a process that was held up for longer than its lease must not go on as if nothing had
/// happened.
pub(crate) fn ensure_held(transaction: &Connection, session: &SessionId, owner: &str) -> Result<(), StoreError> {
    let mut statement = transaction.prepare_cached("SELECT 1 FROM leases WHERE session_id = ?1 AND owner = ?2")?;
    match statement.exists([session.as_str(), owner])? {
        true => Ok(()),
        false => Err(StoreError::LeaseLost { session_id: session.clone() }),
    }
}

//! Leases: a session is run by one process at a time, as long as it keeps renewing. Another takes it over once the holder
//! is dead or has been silent for [`LEASE_TTL`].

pub(crate) mod requests;

use crate::writer::write::Durability;
use crate::{SessionLeases, StoreError};
use arki_domain::SessionId;
use rusqlite::{Connection, OptionalExtension, Row, params};
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
pub(crate) fn is_live(lease: &Lease, now_ms: i64, is_alive: &dyn Fn(u32) -> bool) -> bool {
    u128::from(now_ms.abs_diff(lease.renewed_at)) <= LEASE_TTL.as_millis() && is_alive(lease.pid)
}

/// The lease of whoever runs the session right now.
pub(crate) fn live(
    connection: &Connection,
    session: &SessionId,
    now_ms: i64,
    is_alive: &dyn Fn(u32) -> bool,
) -> Result<Option<Lease>, StoreError> {
    let held = connection
        .prepare_cached("SELECT owner, pid, renewed_at FROM leases WHERE session_id = ?1")?
        .query_row([session.as_str()], |row| Lease::read(row, 0))
        .optional()?
        .flatten();
    Ok(held.filter(|lease| is_live(lease, now_ms, is_alive)))
}

impl SessionLeases<'_> {
    /// Makes `owner` the one that runs the session, also in place of one that is dead or silent for [`LEASE_TTL`]. What was
    /// asked of the one before is forgotten.
    ///
    /// # Errors
    /// `SessionBusy` when another one runs it, or when the database cannot be written.
    pub async fn acquire(self, session: &SessionId, owner: &str, pid: u32) -> Result<(), StoreError> {
        let (session, owner, reader) = (session.clone(), owner.to_owned(), self.store.reader().clone());
        let acquire = move |transaction: &Connection| {
            let now_ms = reader.clock.now_ms();
            if let Some(lease) = live(transaction, &session, now_ms, &*reader.is_alive)?
                && lease.owner != owner
            {
                return Err(StoreError::SessionBusy { session_id: session, pid: lease.pid });
            }
            transaction
                .prepare_cached(
                    "INSERT INTO leases (session_id, owner, pid, renewed_at) VALUES (?1, ?2, ?3, ?4) \
                     ON CONFLICT (session_id) DO UPDATE SET owner = ?2, pid = ?3, renewed_at = ?4, request = NULL",
                )?
                .execute(params![session.as_str(), owner, pid, now_ms])?;
            Ok(())
        };
        self.store.write(Durability::Normal, acquire).await
    }

    /// The heartbeat. `false` when another one has taken the session over: then stop.
    pub async fn renew(self, session: &SessionId, owner: &str) -> Result<bool, StoreError> {
        let (session, owner, clock) = (session.clone(), owner.to_owned(), self.store.reader().clock.clone());
        let renew = move |transaction: &Connection| {
            let renewed = transaction
                .prepare_cached("UPDATE leases SET renewed_at = ?3 WHERE session_id = ?1 AND owner = ?2")?
                .execute(params![session.as_str(), owner, clock.now_ms()])?;
            Ok(renewed > 0)
        };
        self.store.write(Durability::Normal, renew).await
    }

    /// Does nothing when the lease is another one's.
    pub async fn release(self, session: &SessionId, owner: &str) -> Result<(), StoreError> {
        let (session, owner) = (session.clone(), owner.to_owned());
        self.store.write(Durability::Normal, move |transaction| release(transaction, &session, &owner)).await
    }

    /// Releases a lease like [`Self::release`], without waiting for it: for whoever gives up on its way out. Where the
    /// queue is full or closed, the lease ends by its age.
    pub fn release_soon(self, session: &SessionId, owner: &str) {
        let (session, owner) = (session.clone(), owner.to_owned());
        let release = move |transaction: &Connection| release(transaction, &session, &owner);
        if let Err(error) = self.store.queue().and_then(|queue| queue.write_soon(Durability::Normal, release)) {
            tracing::warn!(%error, "a lease was not given back");
        }
    }
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

fn release(transaction: &Connection, session: &SessionId, owner: &str) -> Result<(), StoreError> {
    transaction
        .prepare_cached("DELETE FROM leases WHERE session_id = ?1 AND owner = ?2")?
        .execute([session.as_str(), owner])?;
    Ok(())
}

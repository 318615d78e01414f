//! Taking, renewing and releasing leases.

use crate::database::statements::change;
use crate::writer::write::Durability;
use crate::{SessionLeases, StoreError, leases};
use arki_domain::SessionId;
use rusqlite::{Connection, params};

impl SessionLeases<'_> {
    /// Makes `owner` the one that runs the session, also in place of one that is dead or silent for [`crate::LEASE_TTL`]. What was
    /// asked of the one before is forgotten.
    ///
    /// # Errors
    /// `SessionBusy` when another one runs it, or when the database cannot be written.
    pub async fn acquire(self, session: &SessionId, owner: &str, pid: u32) -> Result<(), StoreError> {
        let (session, owner, reader) = (session.clone(), owner.to_owned(), self.store.reader().clone());
        let acquire = move |transaction: &Connection| {
            let now_ms = reader.clock.now_ms();
            if let Some(lease) = leases::live(transaction, &session, now_ms, &*reader.is_alive)?
                && lease.owner != owner
            {
                return Err(StoreError::SessionBusy { session_id: session, pid: lease.pid });
            }
            let sql = "INSERT INTO leases (session_id, owner, pid, renewed_at) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (session_id) DO UPDATE SET owner = ?2, pid = ?3, renewed_at = ?4, request = NULL";
            change(transaction, sql, params![session.as_str(), owner, pid, now_ms]).map(drop)
        };
        self.store.write(Durability::Normal, acquire).await
    }

    /// The heartbeat. `false` when another one has taken the session over: then stop.
    pub async fn renew(self, session: &SessionId, owner: &str) -> Result<bool, StoreError> {
        let (session, owner, clock) = (session.clone(), owner.to_owned(), self.store.reader().clock.clone());
        let renew = move |transaction: &Connection| {
            let sql = "UPDATE leases SET renewed_at = ?3 WHERE session_id = ?1 AND owner = ?2";
            Ok(change(transaction, sql, params![session.as_str(), owner, clock.now_ms()])? > 0)
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

fn release(transaction: &Connection, session: &SessionId, owner: &str) -> Result<(), StoreError> {
    change(transaction, "DELETE FROM leases WHERE session_id = ?1 AND owner = ?2", [session.as_str(), owner]).map(drop)
}

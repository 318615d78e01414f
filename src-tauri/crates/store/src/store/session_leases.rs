//! The process that runs a session, and what another asks of it: a word in the lease, so that it ends with the lease.
//! Whoever holds that one looks for it at its own pace.

use crate::database::statements::{change, find};
use crate::leases::live;
use crate::writer::write::Durability;
use crate::{SessionLeases, SessionLists, StoreError};
use arki_domain::SessionId;
use rusqlite::{Connection, params};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseRequest {
    /// End the run.
    Stop,
    /// Let what is under way finish, then wait.
    Pause,
}

impl LeaseRequest {
    fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Pause => "pause",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::Stop, Self::Pause].into_iter().find(|request| request.word() == word)
    }
}

impl SessionLeases<'_> {
    /// Makes `owner` the one that runs the session, also in place of one that is dead or silent for [`crate::LEASE_TTL`]. What was
    /// asked of the one before is forgotten.
    ///
    /// # Errors
    /// `SessionBusy` when another one runs it, or when the database cannot be written.
    pub async fn acquire(self, session: &SessionId, owner: &str, pid: u32) -> Result<(), StoreError> {
        let (session, owner, reader) = (session.clone(), owner.to_owned(), self.store.reader().clone());
        let acquire = move |transaction: &Connection| {
            if let Some(lease) = live(transaction, &session, &reader)?
                && lease.owner != owner
            {
                return Err(StoreError::SessionBusy { session_id: session, pid: lease.pid });
            }
            let sql = "INSERT INTO leases (session_id, owner, pid, renewed_at) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (session_id) DO UPDATE SET owner = ?2, pid = ?3, renewed_at = ?4, request = NULL";
            change(transaction, sql, params![session.as_str(), owner, pid, reader.clock.now_ms()]).map(drop)
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

    /// Asks whoever runs the session, in this process or another. A pause does not take the place of a stop. `false`
    /// when nobody runs it.
    pub async fn request(self, session: &SessionId, request: LeaseRequest) -> Result<bool, StoreError> {
        let (session, reader) = (session.clone(), self.store.reader().clone());
        self.store
            .write(Durability::Normal, move |transaction| {
                let lease = live(transaction, &session, &reader)?;
                if lease.is_some() {
                    ask(transaction, &session, request)?;
                }
                Ok(lease.is_some())
            })
            .await
    }
}

fn release(transaction: &Connection, session: &SessionId, owner: &str) -> Result<(), StoreError> {
    change(transaction, "DELETE FROM leases WHERE session_id = ?1 AND owner = ?2", [session.as_str(), owner]).map(drop)
}

fn ask(transaction: &Connection, session: &SessionId, request: LeaseRequest) -> Result<(), StoreError> {
    let sql = "UPDATE leases SET request = ?2 WHERE session_id = ?1 AND request IS NOT 'stop'";
    change(transaction, sql, [session.as_str(), request.word()]).map(drop)
}

impl SessionLists<'_> {
    /// Returns the request to `owner`, as long as the lease is its own. Cheap enough to ask again and again.
    pub fn lease_request(self, session: &SessionId, owner: &str) -> Result<Option<LeaseRequest>, StoreError> {
        let sql = "SELECT request FROM leases WHERE session_id = ?1 AND owner = ?2";
        let held: Option<Option<String>> =
            self.reader.read(|connection| find(connection, sql, [session.as_str(), owner], |row| row.get(0)))?;
        Ok(held.flatten().as_deref().and_then(LeaseRequest::from_word))
    }

    /// Returns who runs the session right now: the owner, and the process it is in.
    pub fn lease_holder(self, session: &SessionId) -> Result<Option<(String, u32)>, StoreError> {
        let lease = self.reader.read(|connection| live(connection, session, self.reader))?;
        Ok(lease.map(|lease| (lease.owner, lease.pid)))
    }
}

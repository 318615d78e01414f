//! Requests from one process to the one that runs a session. It is a word in the lease, so that it ends with the lease;
//! whoever holds that one looks for it at its own pace.

use crate::database::statements::{change, find};
use crate::writer::write::Durability;
use crate::{SessionLeases, SessionLists, StoreError, leases};
use arki_domain::SessionId;
use rusqlite::Connection;

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
    /// Asks whoever runs the session, in this process or another. A pause does not take the place of a stop. `false`
    /// when nobody runs it.
    pub async fn request(self, session: &SessionId, request: LeaseRequest) -> Result<bool, StoreError> {
        let (session, reader) = (session.clone(), self.store.reader().clone());
        self.store
            .write(Durability::Normal, move |transaction| {
                let lease = leases::live(transaction, &session, reader.clock.now_ms(), &*reader.is_alive)?;
                if lease.is_some() {
                    ask(transaction, &session, request)?;
                }
                Ok(lease.is_some())
            })
            .await
    }
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
        let lease = self
            .reader
            .read(|connection| leases::live(connection, session, self.reader.clock.now_ms(), &*self.reader.is_alive))?;
        Ok(lease.map(|lease| (lease.owner, lease.pid)))
    }
}

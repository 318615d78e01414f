//! Within this process, a session is worked on by one run at a time; between processes the lease sees to that.

use crate::sessions::Sessions;
use crate::sessions::lease::SessionLease;
use arki_domain::{Code, Error, SessionId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) type Claims = Arc<Mutex<HashMap<SessionId, ClaimedWork>>>;

/// The work that a session is claimed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimedWork {
    Run,
    /// Anything else that changes it, such as a compaction or a rewind.
    Change,
}

/// The right to work on a session, given back when dropped.
pub(crate) struct Claim {
    claims: Claims,
    session_id: SessionId,
}

impl Sessions {
    pub(crate) fn claim(&self, session_id: &SessionId, work: ClaimedWork) -> Result<Claim, Error> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        if claims.contains_key(session_id) {
            return Err(Error::new(
                Code::SESSION_BUSY,
                format!("The session {session_id} is in use."),
                "Wait until its run stops, or stop it.",
            ));
        }
        claims.insert(session_id.clone(), work);
        Ok(Claim { claims: self.claims.clone(), session_id: session_id.clone() })
    }

    pub(crate) fn is_claimed(&self, session_id: &SessionId) -> bool {
        self.claimed_for(session_id).is_some()
    }

    /// # Errors
    /// `SESSION_BUSY` when another process works on the session, or when the database cannot be written.
    pub(crate) async fn lease(&self, session_id: &SessionId) -> Result<SessionLease, Error> {
        let (store, owner) = (self.records.store().clone(), self.records.owner().to_owned());
        store.leases().acquire(session_id, &owner, std::process::id()).await?;
        Ok(SessionLease::held(store, session_id.clone(), owner))
    }

    pub(crate) fn claimed_for(&self, session_id: &SessionId) -> Option<ClaimedWork> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).get(session_id).copied()
    }
}

impl Claim {
    pub(crate) fn session_id(&self) -> &SessionId {
        &self.session_id
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.session_id);
    }
}

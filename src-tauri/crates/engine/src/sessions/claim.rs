//! Within this process, a session is worked on by one run at a time; between processes the lease sees to that: the right to
//! work on a session, held for as long as its value lives.

use crate::Sessions;
use arki_domain::{Code, Error, SessionId};
use arki_store::Store;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub(crate) type Claims = Arc<Mutex<HashMap<SessionId, ClaimedWork>>>;

/// The time that a run has for stopping, or for letting go of its session, before nobody waits for it any longer.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(3);
pub(crate) const STOP_POLL: Duration = Duration::from_millis(10);

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
            let message = format!("The session {session_id} is in use.");
            return Err(Error::new(Code::SESSION_BUSY, message, "Wait until its run stops, or stop it."));
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
        Ok(SessionLease { store, session_id: session_id.clone(), owner, is_held: true })
    }

    pub(crate) fn claimed_for(&self, session_id: &SessionId) -> Option<ClaimedWork> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).get(session_id).copied()
    }

    /// Waits for a run of this process that is just stopping. Should it not stop, resuming says that the session is busy.
    pub(crate) async fn until_stopped(&self, session_id: &SessionId) {
        self.until(|sessions| !sessions.is_claimed(session_id)).await;
    }

    /// Waits while a run of this process has ended, as its log says, and has yet to let go of its session: for a moment.
    /// Should it take longer, whoever claims the session then hears that it is busy.
    pub(crate) async fn until_let_go(&self, session_id: &SessionId) -> Result<(), Error> {
        let give_up = tokio::time::Instant::now() + STOP_PATIENCE;
        while self.is_claimed_for_run(session_id, give_up) {
            let overview = self.reader.overview_now(session_id).await?;
            if overview.run.is_some_and(|run| !run.is_ended()) {
                break;
            }
            tokio::time::sleep(STOP_POLL).await;
        }
        Ok(())
    }

    /// Returns whether a run of this process has the session, and somebody may wait for it still.
    pub(crate) fn is_claimed_for_run(&self, session_id: &SessionId, give_up: tokio::time::Instant) -> bool {
        self.claimed_for(session_id) == Some(ClaimedWork::Run) && tokio::time::Instant::now() < give_up
    }

    /// Waits like [`Self::until_stopped`] for the run above a sub-agent's, but no longer than until that goes on.
    pub(crate) async fn until_stopped_or_at_work(&self, above: &SessionId, subagent: &SessionId) {
        self.until(|sessions| !sessions.is_claimed(above) || sessions.is_claimed(subagent)).await;
    }

    async fn until(&self, is_so: impl Fn(&Sessions) -> bool) {
        let waiting = async {
            while !is_so(self) {
                tokio::time::sleep(STOP_POLL).await;
            }
        };
        let _ = tokio::time::timeout(STOP_PATIENCE, waiting).await;
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

/// Given back when it is dropped, also where something failed on the way.
pub(crate) struct SessionLease {
    store: Arc<Store>,
    session_id: SessionId,
    owner: String,
    is_held: bool,
}

impl SessionLease {
    /// Says that this process still works on the session. `false`: another one has taken it over.
    pub(crate) async fn renew(&self) -> Result<bool, Error> {
        Ok(self.store.leases().renew(&self.session_id, &self.owner).await?)
    }

    /// Gives it back, and waits until others can see that.
    pub(crate) async fn release(mut self) -> Result<(), Error> {
        self.is_held = false;
        Ok(self.store.leases().release(&self.session_id, &self.owner).await?)
    }
}

impl Drop for SessionLease {
    fn drop(&mut self) {
        if self.is_held {
            self.store.leases().release_soon(&self.session_id, &self.owner);
        }
    }
}

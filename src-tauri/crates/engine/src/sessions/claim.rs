//! Within this process, a session is worked on by one run at a time; between processes the lease sees to that.

use crate::sessions::Sessions;
use arki_domain::{Code, Fault, SessionId};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) type Claims = Arc<Mutex<HashSet<SessionId>>>;

/// The right to work on a session, given back when dropped.
pub(crate) struct Claim {
    claims: Claims,
    session_id: SessionId,
}

impl Sessions {
    pub(crate) fn claim(&self, session_id: &SessionId) -> Result<Claim, Fault> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        if claims.insert(session_id.clone()) {
            return Ok(Claim { claims: self.claims.clone(), session_id: session_id.clone() });
        }
        Err(Fault::new(
            Code::SESSION_BUSY,
            format!("The session {session_id} is in use."),
            "Wait until its run stops, or stop it.",
        ))
    }

    pub(crate) fn is_claimed(&self, session_id: &SessionId) -> bool {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).contains(session_id)
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

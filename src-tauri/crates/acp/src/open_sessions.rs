//! The sessions that the client has open.

use crate::live_session::LiveSession;
use crate::rpc::RpcRefusal;
use arki_domain::SessionId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sessions that a client has open at once.
const MAX_OPEN: usize = 64;

#[derive(Default)]
pub(crate) struct OpenSessions {
    open: Mutex<HashMap<SessionId, Arc<LiveSession>>>,
    /// Held while the client gets a new text for a file.
    pub(crate) writing: tokio::sync::Mutex<()>,
}

impl OpenSessions {
    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<LiveSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn list(&self) -> Vec<Arc<LiveSession>> {
        self.all().values().cloned().collect()
    }

    pub(crate) fn ensure_room(&self) -> Result<(), RpcRefusal> {
        if self.all().len() < MAX_OPEN {
            return Ok(());
        }
        Err(RpcRefusal::invalid_request(format!("{MAX_OPEN} sessions are open. Close one first.")))
    }

    /// Keeps a session; one that was opened under its ID before is closed.
    pub(crate) fn add(&self, session: &Arc<LiveSession>) {
        if let Some(before) = self.all().insert(session.id.clone(), session.clone()) {
            before.closing.cancel();
        }
    }

    pub(crate) fn find(&self, id: &SessionId) -> Option<Arc<LiveSession>> {
        self.all().get(id).cloned()
    }

    pub(crate) fn named(&self, id: &SessionId) -> Result<Arc<LiveSession>, RpcRefusal> {
        self.find(id)
            .ok_or_else(|| RpcRefusal::invalid_params(format!("The session {id} isn't open. Load or resume it first.")))
    }

    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<LiveSession>> {
        self.all().remove(id)
    }
}

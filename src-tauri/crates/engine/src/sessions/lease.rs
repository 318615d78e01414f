//! The right to work on a session, among all processes: held for as long as this value lives.

use arki_domain::{Error, SessionId};
use arki_store::Store;
use std::sync::Arc;

/// Given back when it is dropped, also where something failed on the way.
pub(crate) struct SessionLease {
    store: Arc<Store>,
    session_id: SessionId,
    owner: String,
    is_held: bool,
}

impl SessionLease {
    pub(crate) fn held(store: Arc<Store>, session_id: SessionId, owner: String) -> Self {
        Self { store, session_id, owner, is_held: true }
    }

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

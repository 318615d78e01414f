//! Checks that a session's log is whole: before anything is added to it, and for whoever looks at it.
//!
//! It takes as long as the log is, on purpose. A remembered position or an anchor vouches for the end of the chain, not for
//! the rows before it; only recomputing ties the two together, and those rows are what the model is told next.

use crate::SessionReader;
use arki_domain::{Error, Event, SessionId};
use arki_store::StoreError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A log of so many events is proved within a few frames; a longer one is proved behind the view of it.
const PROVED_AT_ONCE: u64 = 1000;

/// The result for each session that was looked at, in this process.
pub(crate) type CheckedSessions = Arc<Mutex<HashMap<SessionId, Option<u64>>>>;

impl SessionReader {
    /// Nothing is added to a log that was changed: a model would be told it, and the change be buried.
    pub(crate) fn ensure_whole(&self, session_id: &SessionId) -> Result<(), Error> {
        self.ensure_whole_and_each(session_id, |_| {})
    }

    /// Checks like [`Self::ensure_whole`], and hands out the events on the way.
    pub(crate) fn ensure_whole_and_each(&self, session_id: &SessionId, each: impl FnMut(&Event)) -> Result<(), Error> {
        match self.first_broken(session_id, each)? {
            Some(seq) => Err(StoreError::SessionBroken { session_id: session_id.clone(), seq }.into()),
            None => Ok(()),
        }
    }

    /// Checks like [`Self::ensure_whole`], but a log that was found whole in this process is not gone through again.
    pub(crate) fn ensure_found_whole(&self, session_id: &SessionId) -> Result<(), Error> {
        let found = self.checked.lock().unwrap_or_else(PoisonError::into_inner).get(session_id).copied();
        if found == Some(None) { Ok(()) } else { self.ensure_whole(session_id) }
    }

    /// The first event that is not what was stored, or does not follow the one before. Looks at all of them.
    fn first_broken(&self, session_id: &SessionId, each: impl FnMut(&Event)) -> Result<Option<u64>, Error> {
        let broken = self.records.reader().verifier().verify_each(session_id, each)?.first_broken_seq;
        self.checked.lock().unwrap_or_else(PoisonError::into_inner).insert(session_id.clone(), broken);
        Ok(broken)
    }

    /// Returns the broken event as far as it is known by now: a long log is looked at in the background, once a
    /// process.
    pub(crate) fn known_broken(self: &Arc<Self>, session_id: &SessionId) -> Result<Option<u64>, Error> {
        if let Some(found) = self.checked.lock().unwrap_or_else(PoisonError::into_inner).get(session_id) {
            return Ok(*found);
        }
        if self.records.reader().log().last_seq(session_id)? <= PROVED_AT_ONCE {
            return self.first_broken(session_id, |_| {});
        }
        let (reader, session_id) = (self.clone(), session_id.clone());
        tokio::task::spawn_blocking(move || {
            if let Err(fault) = reader.first_broken(&session_id, |_| {}) {
                tracing::warn!(%session_id, %fault, "the log was not proved");
            }
        });
        Ok(None)
    }
}

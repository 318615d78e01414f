//! Bringing in a session that another program has kept: sealed as any event is, then stored as an import.

use crate::chain::seal::{Unhashed, seal};
use crate::exchange::exported::ExportedLine;
use crate::exchange::import::ImportedSession;
use crate::{Store, StoreError};
use arki_domain::{Event, GENESIS_HASH, PastEvent, SessionId};

impl Store {
    /// Stores a session whose events are not chained yet, secrets replaced as ever. The same events make the same
    /// hashes, so that a session that is there is found to be, and one that grew is extended.
    ///
    /// # Errors
    /// Those of [`Store::import`], and those of a single event: too large, or too deep.
    pub async fn import_past(&self, session: &SessionId, past: Vec<PastEvent>) -> Result<ImportedSession, StoreError> {
        let (mut lines, mut prev_hash) = (Vec::with_capacity(past.len()), GENESIS_HASH.to_owned());
        for (seq, PastEvent { event_id, ts, draft }) in (1..).zip(past) {
            let sealed = seal(draft, self.redactor())?;
            let kind = sealed.body.kind().to_owned();
            let (run_id, payload, session_id) = (sealed.run_id, sealed.payload, session.clone());
            let mut event =
                Event { event_id, run_id, session_id, seq, ts, kind, payload, prev_hash, hash: String::new() };
            let no_place = || StoreError::Internal { detail: "a number of the event has no exact place".to_owned() };
            event.hash = Unhashed::of(&event).hash(event.payload.get()).ok_or_else(no_place)?;
            prev_hash = event.hash.clone();
            lines.push(Ok::<_, StoreError>(ExportedLine::from(event)));
        }
        let imported = self.import(lines.into_iter()).await?;
        imported.into_iter().next().ok_or(StoreError::Closed)
    }
}

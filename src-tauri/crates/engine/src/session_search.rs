//! Search over everything said, run and changed.

use crate::records::Records;
use arki_domain::{Error, SessionId};
use arki_store::{EventSearchHit, EventSearchQuery, StoreReader};
use std::sync::Arc;

/// The search in what sessions have logged.
pub struct SessionSearch {
    records: Arc<Records>,
}

impl SessionSearch {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        Self { records }
    }

    /// The newest first. What was stored since the last search is found too.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn search(&self, query: EventSearchQuery) -> Result<Vec<EventSearchHit>, Error> {
        match self.records.store().upkeep().index_for_search().await {
            // What was found by an earlier search is found again.
            Err(error) if self.records.store().unwritable().is_some() => {
                tracing::warn!(%error, "nothing new can be indexed")
            }
            indexed => indexed?,
        }
        Ok(self.records.store().read(move |reader| reader.search(&query)).await?)
    }

    /// Finds a text in one session, letter by letter, the newest first; ends early once it is no longer wanted.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn find(
        &self,
        session: SessionId,
        text: String,
        limit: usize,
        is_wanted: impl Fn() -> bool + Send + 'static,
    ) -> Result<Vec<EventSearchHit>, Error> {
        let found = move |reader: &StoreReader| reader.log().find_in_session(&session, &text, limit, is_wanted);
        Ok(self.records.store().read(found).await?)
    }
}

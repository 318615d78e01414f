//! Search over everything said, run and changed.

use crate::Records;
use arki_api::SearchHit;
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
    pub async fn search(&self, query: EventSearchQuery) -> Result<Vec<SearchHit>, Error> {
        match self.records.store().upkeep().index_for_search().await {
            // What was found by an earlier search is found again.
            Err(error) if self.records.store().unwritable().is_some() => {
                tracing::warn!(%error, "nothing new can be indexed")
            }
            indexed => indexed?,
        }
        let found = self.records.store().read(move |reader| reader.search(&query)).await?;
        Ok(found.into_iter().map(search_hit).collect())
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
    ) -> Result<Vec<SearchHit>, Error> {
        let found = move |reader: &StoreReader| reader.log().find_in_session(&session, &text, limit, is_wanted);
        Ok(self.records.store().read(found).await?.into_iter().map(search_hit).collect())
    }
}

/// A place that a search found.
fn search_hit(hit: EventSearchHit) -> arki_api::SearchHit {
    let part = |part: arki_store::SnippetPart| arki_api::SnippetPart { text: part.text, hit: part.hit };
    arki_api::SearchHit {
        session_id: hit.session_id.to_string(),
        seq: hit.seq,
        r#type: hit.kind,
        ts: hit.ts,
        title: hit.title,
        project: hit.project,
        snippet: hit.snippet.into_iter().map(part).collect(),
    }
}

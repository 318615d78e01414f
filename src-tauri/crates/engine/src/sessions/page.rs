//! A session's events in pages, from its end backwards.

use crate::sessions::Sessions;
use arki_api::{Event, SessionPage};
use arki_domain::{Error, SessionId};
use std::sync::Arc;

impl Sessions {
    /// The last events of a session before `before_seq`, and what has arrived of an answer.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn session_page(
        &self,
        session: &SessionId,
        before_seq: Option<u64>,
        limit: usize,
    ) -> Result<SessionPage, Error> {
        let page = self.records.reader().log().page(session, before_seq, limit)?;
        let partial = match before_seq {
            None => self
                .records
                .bus()
                .partial(session)
                .map_or_else(|| self.records.reader().partial(session), |live| Ok(Some(live)))?,
            Some(_) => None,
        };
        Ok(SessionPage {
            events: page.events.into_iter().map(|event| Event(Arc::new(event))).collect(),
            has_more: page.has_more,
            partial: partial.map(Into::into),
        })
    }
}

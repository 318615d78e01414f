//! The log as the agent and the tools see it: stored first, announced second.

use crate::events::announcer::Announcer;
use arki_domain::{Error, Event, EventDraft, EventLog, PartialAnswer, RequestHead, SessionId};
use arki_store::Store;
use async_trait::async_trait;
use std::sync::Arc;

/// The number of events in one piece when reading what others appended.
const EVENTS_A_PIECE: usize = 500;

pub(crate) struct RecordedLog {
    store: Arc<Store>,
    announcer: Arc<Announcer>,
    /// The owner of the run. Nothing is stored once it no longer holds the session's lease.
    owner: Option<String>,
}

impl RecordedLog {
    pub(crate) fn new(store: Arc<Store>, announcer: Arc<Announcer>) -> Self {
        Self { store, announcer, owner: None }
    }

    /// Returns the log for a run of this owner, and for what its tools do.
    pub(crate) fn of_run(&self, owner: &str) -> Self {
        Self { store: self.store.clone(), announcer: self.announcer.clone(), owner: Some(owner.to_owned()) }
    }
}

#[async_trait]
impl EventLog for RecordedLog {
    async fn append(&self, session: &SessionId, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, Error> {
        let events = match &self.owner {
            Some(owner) => self.store.append_held(session, owner, drafts).await?,
            None => self.store.append(session, drafts).await?,
        };
        self.announcer.announce(&events);
        Ok(events)
    }

    async fn read_after(&self, session: &SessionId, seq: u64) -> Result<Vec<Arc<Event>>, Error> {
        let mut after = seq;
        let mut events = Vec::new();
        loop {
            let of = session.clone();
            let page = self.store.read(move |reader| reader.log().events(&of, after, EVENTS_A_PIECE)).await?;
            after = page.events.last().map_or(after, |event| event.seq);
            events.extend(page.events.into_iter().map(Arc::new));
            if !page.has_more {
                return Ok(events);
            }
        }
    }

    async fn event(&self, session: &SessionId, seq: u64) -> Result<Option<Arc<Event>>, Error> {
        let session = session.clone();
        let event = self.store.read(move |reader| reader.log().event(&session, seq)).await?;
        Ok(event.map(Arc::new))
    }

    async fn keep_head(&self, head: &RequestHead) -> Result<String, Error> {
        let (_, bytes) = self.store.redactor().kept_head(head);
        Ok(self.store.contents().put_blob(&bytes).await?)
    }

    async fn keep_partial(&self, session: &SessionId, piece: Option<PartialAnswer>) -> Result<(), Error> {
        Ok(self.store.keep_partial(session, piece).await?)
    }
}

//! The log as the agent and the tools see it: stored first, announced second.
//!
//! Stored events are announced each once, and those of a session in their order, whoever stored them: what this process
//! stores at once; what others stored is found in the log a moment later (`follow`). Both come through here, so that a
//! subscriber never sees an event twice or one before the one it follows.

use crate::events::bus::Bus;
use arki_domain::{Error, Event, EventDraft, EventLog, LiveBus, LiveEvent, PartialAnswer, RequestHead, SessionId};
use arki_store::{Store, StoreError};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of events in one piece when reading what others stored.
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

pub(crate) struct Announcer {
    store: Arc<Store>,
    bus: Arc<Bus>,
    /// The last event announced of each session that was spoken of in this process.
    announced: Mutex<HashMap<SessionId, u64>>,
}

impl Announcer {
    pub(crate) fn new(store: Arc<Store>, bus: Arc<Bus>) -> Self {
        Self { store, bus, announced: Mutex::default() }
    }

    /// Takes events of one session, in order.
    pub(crate) fn announce(&self, events: &[Arc<Event>]) {
        let Some(first) = events.first() else { return };
        let mut announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        let last = announced.get(&first.session_id).copied().unwrap_or(first.seq - 1);
        if first.seq > last + 1
            && let Err(error) = self.announce_between(&first.session_id, last, first.seq)
        {
            tracing::warn!(%error, "events that others stored were not announced");
        }
        for event in events.iter().filter(|event| event.seq > last) {
            self.bus.publish(LiveEvent::Stored(event.clone()));
        }
        let newest = events.last().map_or(last, |event| event.seq).max(last);
        announced.insert(first.session_id.clone(), newest);
    }

    fn announce_between(&self, session_id: &SessionId, mut after: u64, before: u64) -> Result<(), StoreError> {
        loop {
            let page = self.store.reader().log().events(session_id, after, EVENTS_A_PIECE)?;
            for event in page.events.into_iter().take_while(|event| event.seq < before) {
                after = event.seq;
                self.bus.publish(LiveEvent::Stored(Arc::new(event)));
            }
            if !page.has_more || after + 1 >= before {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::subscription::{EventFilter, Subscription};
    use arki_domain::{EventDraft, SessionConfigured, SystemClock};
    use arki_redaction::Redactor;
    use arki_store::StoreOptions;

    struct Stage {
        store: Arc<Store>,
        announcer: Announcer,
        heard: Subscription,
        session_id: SessionId,
    }

    impl Stage {
        fn new() -> Self {
            let options = StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
            let store = Arc::new(Store::open_in_memory(options).unwrap());
            let bus = Arc::new(Bus::new());
            let heard = bus.subscribe(EventFilter::default());
            Self { announcer: Announcer::new(store.clone(), bus), store, heard, session_id: SessionId::new() }
        }

        async fn stored(&self) -> Vec<Arc<Event>> {
            let draft = EventDraft::of_session(SessionConfigured::default());
            self.store.append(&self.session_id, vec![draft]).await.unwrap()
        }

        fn seqs(&mut self) -> Vec<u64> {
            std::iter::from_fn(|| self.heard.ready())
                .map(|announced| match announced {
                    Ok(LiveEvent::Stored(event)) => event.seq,
                    other => panic!("{other:?}"),
                })
                .collect()
        }
    }

    #[tokio::test]
    async fn an_event_that_comes_from_both_sides_is_announced_once() {
        let mut stage = Stage::new();
        let first = stage.stored().await;
        stage.announcer.announce(&first);
        stage.announcer.announce(&first);
        assert_eq!(stage.seqs(), [1]);
    }

    #[tokio::test]
    async fn what_others_stored_in_between_comes_first() {
        let mut stage = Stage::new();
        let first = stage.stored().await;
        let others = [stage.stored().await, stage.stored().await];
        let last = stage.stored().await;
        stage.announcer.announce(&first);
        stage.announcer.announce(&last);
        others.iter().for_each(|events| stage.announcer.announce(events));
        assert_eq!(stage.seqs(), [1, 2, 3, 4]);
    }

    #[tokio::test]
    async fn a_session_that_others_began_is_announced_from_where_it_is_first_heard_of() {
        let mut stage = Stage::new();
        stage.stored().await;
        let second = stage.stored().await;
        stage.announcer.announce(&second);
        assert_eq!(stage.seqs(), [2]);
    }
}

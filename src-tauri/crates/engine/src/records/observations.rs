//! Subscriptions to observations: those of the past first, then each as it comes; and a client's by their numbers.
//!
//! All of them are read from the log; an announcement only says that there is more to read. So nothing is missed where
//! the past ends, nothing is told twice, and whoever is slow holds nobody up.

use crate::{EventFilter, Records, Subscription, blocking};
use arki_domain::projection::{Observation, ObservationFilter, Observer};
use arki_domain::{Error, Event, LiveEvent, SessionId};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Events that are observed at once.
const EVENTS_A_PIECE: usize = 100;
/// Sessions whose last calls are remembered. With more of them at work, titles of results become more general.
const MAX_OBSERVED_SESSIONS: usize = 100;

/// A subscription to observations.
pub struct Observations {
    records: Arc<Records>,
    filter: ObservationFilter,
    place: ReadPosition,
    observers: HashMap<SessionId, Observer>,
    announced: Subscription,
}

/// The position up to which the log was read.
enum ReadPosition {
    /// A position among the events of one session, by their numbers.
    In { session_id: SessionId, seq: u64 },
    /// A cursor over all sessions; `None` at the beginning.
    InAll { cursor: Option<String> },
}

impl Observations {
    pub(crate) fn new(records: &Arc<Records>, filter: ObservationFilter) -> Self {
        let session_id = filter.session_id.clone();
        // Before anything is read: what is stored from now on is announced.
        let announced =
            records.bus().subscribe(EventFilter { session_id: session_id.clone(), ..EventFilter::default() });
        let place = match session_id {
            Some(session_id) => ReadPosition::In { session_id, seq: 0 },
            None => ReadPosition::InAll { cursor: None },
        };
        Self { records: records.clone(), filter, place, observers: HashMap::new(), announced }
    }

    /// Returns the next ones, oldest first, and waits for them; `None` when no more will come.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next(&mut self) -> Result<Option<Vec<Observation>>, Error> {
        loop {
            let is_over = self.is_over();
            if let Some(seen) = self.stored().await? {
                return Ok(Some(seen));
            }
            if is_over || !self.wait().await {
                return Ok(None);
            }
        }
    }

    /// Returns the next ones that are stored already; `None` when there are no more for now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn stored(&mut self) -> Result<Option<Vec<Observation>>, Error> {
        loop {
            let (events, has_more) = self.read().await?;
            let seen: Vec<_> = events.iter().flat_map(|event| self.observe(event)).collect();
            if !seen.is_empty() {
                return Ok(Some(seen));
            }
            if !has_more {
                return Ok(None);
            }
        }
    }

    /// Waits until there may be more; false when the engine has ended. The end of the filter's time ends the wait too.
    pub async fn wait(&mut self) -> bool {
        let Some(until) = self.filter.until else { return self.heard().await };
        let left = u64::try_from(until.saturating_sub(self.records.clock().now_ms())).unwrap_or(0);
        tokio::time::timeout(Duration::from_millis(left), self.heard()).await.unwrap_or(true)
    }

    /// Returns whether nothing that happens from now on is let through.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.filter.is_over(self.records.clock().now_ms())
    }

    async fn heard(&mut self) -> bool {
        loop {
            match self.announced.next().await {
                None => return false,
                // Text that streams is no event yet.
                Some(Ok(
                    LiveEvent::Delta { .. }
                    | LiveEvent::CallGrows { .. }
                    | LiveEvent::CommandOutput { .. }
                    | LiveEvent::ElicitationsChanged,
                )) => {}
                Some(Ok(LiveEvent::Stored(_)) | Err(_)) => break,
            }
        }
        // Read together: they are stored already.
        while self.announced.ready().is_some() {}
        true
    }

    async fn read(&mut self) -> Result<(Vec<Arc<Event>>, bool), Error> {
        match &mut self.place {
            ReadPosition::In { session_id, seq } => {
                let (session, after) = (session_id.clone(), *seq);
                let page = blocking(&self.records, move |records| {
                    Ok(records.reader().log().events(&session, after, EVENTS_A_PIECE)?)
                })
                .await?;
                *seq = page.events.last().map_or(after, |event| event.seq);
                Ok((page.events.into_iter().map(Arc::new).collect(), page.has_more))
            }
            ReadPosition::InAll { cursor } => {
                let all = EventFilter::default();
                let page = self.records.events_since(cursor.as_deref(), &all, EVENTS_A_PIECE).await?;
                *cursor = Some(page.next);
                Ok((page.events, page.has_more))
            }
        }
    }

    fn observe(&mut self, event: &Event) -> Vec<Observation> {
        if self.observers.len() == MAX_OBSERVED_SESSIONS && !self.observers.contains_key(&event.session_id) {
            self.observers.clear();
        }
        let observer = self.observers.entry(event.session_id.clone()).or_default();
        let mut seen = observer.observe(event);
        seen.retain(|seen| self.filter.lets_through(seen));
        seen
    }
}

/// The subscriptions of one client. With one more, the oldest ends: a page that was loaded anew has left its own behind.
const MAX_SUBSCRIPTIONS: usize = 16;

#[derive(Default)]
pub(crate) struct Observing(Mutex<Subscriptions>);

#[derive(Default)]
struct Subscriptions {
    last: u32,
    by_number: BTreeMap<u32, Arc<NumberedObserver>>,
}

struct NumberedObserver {
    observations: tokio::sync::Mutex<Observations>,
    ended: watch::Sender<bool>,
}

impl Observing {
    /// Returns the number of the new subscription.
    pub(crate) fn begin(&self, observations: Observations) -> u32 {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.last += 1;
        let number = now.last;
        let observations = tokio::sync::Mutex::new(observations);
        now.by_number.insert(number, Arc::new(NumberedObserver { observations, ended: watch::Sender::new(false) }));
        if now.by_number.len() > MAX_SUBSCRIPTIONS
            && let Some((_, oldest)) = now.by_number.pop_first()
        {
            oldest.ended.send_replace(true);
        }
        number
    }

    /// Waits for the next ones; `None` when no more will come under this number.
    pub(crate) async fn next(&self, number: u32) -> Result<Option<Vec<Observation>>, Error> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).by_number.get(&number).cloned();
        let Some(known) = known else { return Ok(None) };
        let (mut observations, mut ended) = (known.observations.lock().await, known.ended.subscribe());
        tokio::select! {
            _ = ended.wait_for(|ended| *ended) => Ok(None),
            next = observations.next() => next,
        }
    }

    pub(crate) fn end(&self, number: u32) {
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner).by_number.remove(&number);
        if let Some(ended) = ended {
            ended.ended.send_replace(true);
        }
    }
}

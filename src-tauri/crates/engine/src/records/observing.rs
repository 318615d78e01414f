//! A client's subscriptions to observations, by their numbers.

use crate::records::observations::Observations;
use arki_domain::Error;
use arki_domain::projection::Observation;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

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

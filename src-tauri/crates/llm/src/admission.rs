//! Admits requests to a provider: `maxParallel` with a queue in order of arrival, and one local provider at a time,
//! because two large models seldom fit into one machine.
//!
//! What is given is a [`Place`]. Dropping it gives it back, so that no way out of a request can forget to.

use crate::ProviderSettings;
use crate::fault::Target;
use arki_domain::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// A local server answers one request at a time, unless the configuration says more.
const LOCAL_PARALLEL: u32 = 1;

/// The local provider in use, and by how many requests; common to all providers.
#[derive(Default)]
pub(crate) struct LocalUse(Mutex<Option<(String, usize)>>);

/// One provider's door.
pub(crate) struct Admission {
    /// `None`: as many as like to.
    queue: Option<Arc<Semaphore>>,
    /// Only for local providers.
    local: Option<Arc<LocalUse>>,
}

/// The right to one request, until it is dropped.
pub(crate) struct Place {
    // In this order: whoever waits for the permit has its own share of the local provider already.
    _permit: Option<OwnedSemaphorePermit>,
    _share: Option<LocalShare>,
}

struct LocalShare(Arc<LocalUse>);

impl Admission {
    /// `local` where the provider counts as a local one.
    pub(crate) fn new(settings: &ProviderSettings, local: Option<Arc<LocalUse>>) -> Self {
        let places = settings.max_parallel.or(local.as_ref().map(|_| LOCAL_PARALLEL));
        Self { queue: places.map(|places| Arc::new(Semaphore::new(places.max(1) as usize))), local }
    }

    /// Waits for its turn, up to the provider's own limit.
    pub(crate) async fn enter(&self, settings: &ProviderSettings, target: &Target) -> Result<Place, Error> {
        let share = self.local.as_ref().map(|local| LocalUse::enter(local, &settings.name)).transpose();
        let share = share.map_err(|other| target.local_conflict(&other))?;
        let Some(queue) = &self.queue else { return Ok(Place { _permit: None, _share: share }) };
        match timeout(settings.queue_timeout, Arc::clone(queue).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Place { _permit: Some(permit), _share: share }),
            Ok(Err(_)) => Err(Error::internal("a provider's queue was closed")),
            Err(_) if share.is_some() => Err(target.local_busy()),
            Err(_) => Err(target.queued_too_long()),
        }
    }
}

impl LocalUse {
    /// The name of the other one that is in use.
    fn enter(self: &Arc<Self>, name: &str) -> Result<LocalShare, String> {
        let mut current = self.current();
        match &mut *current {
            Some((other, _)) if other != name => return Err(other.clone()),
            Some((_, requests)) => *requests += 1,
            None => *current = Some((name.to_owned(), 1)),
        }
        Ok(LocalShare(Arc::clone(self)))
    }

    fn current(&self) -> MutexGuard<'_, Option<(String, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LocalShare {
    fn drop(&mut self) {
        let mut current = self.0.current();
        *current = current.take().filter(|(_, requests)| *requests > 1).map(|(name, requests)| (name, requests - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_local_provider_is_in_use_until_its_last_request_is_over() {
        let local = Arc::new(LocalUse::default());
        let (first, second) = (local.enter("a").unwrap(), local.enter("a").unwrap());
        assert_eq!(local.enter("b").err().as_deref(), Some("a"));
        drop(first);
        assert_eq!(local.enter("b").err().as_deref(), Some("a"));
        drop(second);
        assert!(local.enter("b").is_ok());
    }
}

//! A thread that brings an index up to date, and those who wait for it.

use crate::update::Update;
use arki_domain::Error;
use arki_files::CancellationToken;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Whoever waits looks so often whether he is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// The end of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waited {
    UpToDate,
    OutOfTime,
    Cancelled,
    Failed(Error),
}

pub(crate) struct UpdateThread {
    ended: Mutex<Option<Result<(), Error>>>,
    signal: Condvar,
    stop: CancellationToken,
}

impl UpdateThread {
    /// Begins an update; `afterwards` runs once it has ended.
    pub(crate) fn start(update: Update, afterwards: impl FnOnce() + Send + 'static) -> Arc<Self> {
        let stop = update.stop.clone();
        let this = Arc::new(Self { ended: Mutex::default(), signal: Condvar::new(), stop });
        let (thread, updating) = (this.clone(), move || update.run().map_err(Error::from));
        let started = thread::Builder::new().name("search-index".to_owned()).spawn(move || {
            // Also where it stops hard, nobody waits for ever.
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(updating));
            thread.end(ended.unwrap_or_else(|_| Err(Error::internal("the update of the search index stopped"))));
            afterwards();
        });
        if let Err(error) = started {
            this.end(Err(Error::internal(error)));
        }
        this
    }

    fn end(&self, result: Result<(), Error>) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.signal.notify_all();
    }

    pub(crate) fn is_at_work(&self) -> bool {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    pub(crate) fn wait(&self, until: Instant, cancel: &CancellationToken) -> Waited {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*ended {
                Some(Ok(())) => return Waited::UpToDate,
                Some(Err(error)) => return Waited::Failed(error.clone()),
                None if cancel.is_cancelled() => return Waited::Cancelled,
                None if Instant::now() >= until => return Waited::OutOfTime,
                None => ended = self.signal.wait_timeout(ended, LOOK).unwrap_or_else(PoisonError::into_inner).0,
            }
        }
    }
}

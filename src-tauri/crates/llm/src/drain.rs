//! Reads finished answers to their very end, so that their connection goes back to the pool.
//!
//! An answer's `End` does not wait for that. The next request does, for a moment: that is cheaper than a new connection.

use crate::sse::Events;
use futures_util::FutureExt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::task::{JoinHandle, yield_now};
use tokio::time::timeout;

/// The time for reading on in the background.
const DRAIN_TIME: Duration = Duration::from_secs(2);
/// The number of further events read.
const DRAIN_EVENTS: usize = 64;
/// The time the next request waits for it; mostly there is nothing to wait for.
const MAX_WAIT: Duration = Duration::from_millis(5);

/// The rest of the last finished answer, which is still being read.
#[derive(Default)]
pub(crate) struct Drain {
    reading: Mutex<Option<JoinHandle<()>>>,
}

impl Drain {
    pub(crate) fn begin(&self, mut events: Events) {
        let mut rest = Box::pin(async move {
            for _ in 0..DRAIN_EVENTS {
                if events.next().await.is_none() {
                    return;
                }
            }
        });
        let reading = match rest.as_mut().now_or_never() {
            // The connection's own task still has to notice.
            Some(()) => tokio::spawn(yield_now()),
            None => tokio::spawn(async {
                // After that the connection is simply closed.
                let _ = timeout(DRAIN_TIME, rest).await;
            }),
        };
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
    }

    pub(crate) async fn wait(&self) {
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(reading) = reading {
            // Whatever comes of it, the request goes out; at worst over a new connection.
            let _ = timeout(MAX_WAIT, reading).await;
            yield_now().await;
        }
    }
}

//! Live things for whoever watches: the window, the terminal.

use arki_domain::{LiveBus, LiveEvent};
use tokio::sync::broadcast;

/// A subscriber that falls behind by more than this is told so, and catches up from the log.
const CAPACITY: usize = 16_384;

pub(crate) struct Bus {
    sender: broadcast::Sender<LiveEvent>,
}

impl Bus {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::Sender::new(CAPACITY) }
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        Subscription { receiver: self.sender.subscribe() }
    }
}

impl LiveBus for Bus {
    fn publish(&self, event: LiveEvent) {
        // Without subscribers there is nobody to tell.
        let _ = self.sender.send(event);
    }
}

/// What is announced from now on. Dropping it unsubscribes.
pub struct Subscription {
    receiver: broadcast::Receiver<LiveEvent>,
}

/// So many announcements were missed; stored events can be read from the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lagged(pub u64);

impl Subscription {
    /// The next announcement; `None` when the engine is gone.
    pub async fn next(&mut self) -> Option<Result<LiveEvent, Lagged>> {
        match self.receiver.recv().await {
            Ok(event) => Some(Ok(event)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Err(Lagged(missed))),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// What is there already, without waiting.
    pub fn ready(&mut self) -> Option<Result<LiveEvent, Lagged>> {
        match self.receiver.try_recv() {
            Ok(event) => Some(Ok(event)),
            Err(broadcast::error::TryRecvError::Lagged(missed)) => Some(Err(Lagged(missed))),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }
}

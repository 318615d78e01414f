//! Announces here what other processes store in the same data directory.

use crate::Records;
use arki_domain::{Error, Event};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Others' events are announced within this time and a little.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// The same where nothing has come for a while: looking costs a tenth of a millisecond, and three times a second that was
/// half of what an idle window took.
const QUIET_INTERVAL: Duration = Duration::from_secs(1);
const QUIET_AFTER: Duration = Duration::from_secs(10);

impl Records {
    /// Announces what others store, from now on until they are gone.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn follow_others(self: &Arc<Self>) -> Result<(), Error> {
        let mut tail = self.store.commits().tail()?;
        let records: Weak<Self> = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("arki-others".to_owned());
        let following = thread.spawn(move || {
            let mut last_news = Instant::now();
            while let Some(records) = records.upgrade() {
                match tail.poll() {
                    Ok(events) if events.is_empty() => {}
                    Ok(events) => {
                        last_news = Instant::now();
                        records.announce_all(events);
                    }
                    Err(arki_store::StoreError::Closed) => return,
                    Err(error) => tracing::warn!(%error, "others' events were not read"),
                }
                drop(records);
                let is_quiet = last_news.elapsed() > QUIET_AFTER;
                std::thread::sleep(if is_quiet { QUIET_INTERVAL } else { LOOK_INTERVAL });
            }
        });
        following.map(drop).map_err(Error::internal)
    }

    /// Events of several sessions, in the order in which they were stored.
    fn announce_all(&self, events: Vec<Event>) {
        let events: Vec<Arc<Event>> = events.into_iter().map(Arc::new).collect();
        for of_one_session in events.chunk_by(|one, next| one.session_id == next.session_id) {
            self.announcer.announce(of_one_session);
        }
    }
}

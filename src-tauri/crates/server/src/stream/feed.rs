//! The newest events, rendered once for all who read: the bus only wakes, the log is what counts.

use crate::limits::ReaderPlaces;
use crate::stream::rendered::SentEvent;
use arki_domain::{Error, EventBody, LiveEvent, RunId};
use arki_engine::{Engine, EventFilter, Lagged};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The limits of the newest events that are kept. A reader that is further behind reads the log.
const KEPT_BYTES: usize = 16 * 1024 * 1024;
const KEPT_EVENTS: usize = 20_000;
const NEW: Duration = Duration::from_secs(5);
/// The runs whose last turn is known; a piece that comes later than its whole is a matter of milliseconds.
const KEPT_RUNS: usize = 1000;
const A_PIECE: usize = 1000;
/// The time within which what comes is sent together.
const TOGETHER: Duration = Duration::from_millis(5);
/// When the log couldn't be read, it is tried again after this.
const PATIENCE: Duration = Duration::from_millis(500);

/// The newest events, and the news that there are more.
pub(crate) struct Feed {
    pub(crate) ring: Arc<Ring>,
    pub(crate) readers: ReaderPlaces,
}

/// The newest events, each by its number since the server began.
pub(crate) struct Ring {
    kept: Mutex<Kept>,
    news: watch::Sender<u64>,
}

struct Kept {
    events: VecDeque<SentEvent>,
    /// The number of the first one that is kept.
    first: u64,
    bytes: usize,
    /// The cursor right before the first one.
    before: String,
}

impl Feed {
    pub(crate) async fn begin(engine: Arc<Engine>, closing: CancellationToken) -> Result<Self, Error> {
        // Before the log's end is asked for: what is stored in between is heard of.
        let bus = engine.subscribe();
        let before = engine.end_of_events().await?;
        let kept = Kept { events: VecDeque::new(), first: 0, bytes: 0, before: before.clone() };
        let ring = Arc::new(Ring { kept: Mutex::new(kept), news: watch::Sender::new(0) });
        let following = FeedTask { engine, ring: ring.clone(), cursor: before, last_turns: HashMap::new() };
        tokio::spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                () = following.follow(bus) => {}
            }
        });
        Ok(Self { ring, readers: ReaderPlaces::default() })
    }
}

impl Ring {
    /// Hears of more; what is there already counts as seen.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Returns the number of the event right behind a cursor; `None` where it isn't kept any more, or not yet.
    pub(crate) fn behind(&self, cursor: &str) -> Option<u64> {
        let kept = self.kept();
        let skipped = if kept.before == cursor {
            0
        } else {
            kept.events.iter().rposition(|event| event.cursor.as_deref() == Some(cursor))? + 1
        };
        let is_new = kept.events.get(skipped).is_none_or(is_new);
        is_new.then_some(kept.first + skipped as u64)
    }

    /// Hands out what is kept from a number on until `take` has enough; `None` where that isn't kept any more. The number
    /// of the next one.
    pub(crate) fn from(&self, number: u64, mut take: impl FnMut(&SentEvent) -> bool) -> Option<u64> {
        let kept = self.kept();
        let skipped = usize::try_from(number.checked_sub(kept.first)?).ok()?;
        kept.events.get(skipped).is_none_or(is_new).then_some(())?;
        let mut next = number;
        for event in kept.events.iter().skip(skipped) {
            next += 1;
            if !take(event) {
                break;
            }
        }
        Some(next)
    }

    fn add(&self, events: Vec<SentEvent>) {
        if events.is_empty() {
            return;
        }
        let mut kept = self.kept();
        for event in events {
            kept.bytes += event.text.len();
            kept.events.push_back(event);
        }
        while kept.events.len() > KEPT_EVENTS || (kept.bytes > KEPT_BYTES && kept.events.len() > 1) {
            let Some(gone) = kept.events.pop_front() else { break };
            kept.bytes -= gone.text.len();
            kept.first += 1;
            kept.before = gone.cursor.unwrap_or_else(|| std::mem::take(&mut kept.before));
        }
        let end = kept.first + kept.events.len() as u64;
        drop(kept);
        self.news.send_replace(end);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether it may be sent from here. Older ones are read from the log: their session may have been removed.
fn is_new(event: &SentEvent) -> bool {
    event.rendered_at.elapsed() < NEW
}

/// The task that renders.
struct FeedTask {
    engine: Arc<Engine>,
    ring: Arc<Ring>,
    cursor: String,
    /// The last turn of each run whose whole answer was sent: pieces of it that come later would say it twice.
    last_turns: HashMap<RunId, u32>,
}

impl FeedTask {
    async fn follow(mut self, mut bus: arki_engine::Subscription) {
        while let Some(heard) = bus.next().await {
            tokio::time::sleep(TOGETHER).await;
            let mut heard = vec![heard];
            heard.extend(std::iter::from_fn(|| bus.ready()));
            self.take(heard).await;
        }
    }

    /// Keeps the order in which it was announced: pieces of an answer, and then the whole.
    async fn take(&mut self, heard: Vec<Result<LiveEvent, Lagged>>) {
        let (mut pieces, mut is_stored) = (Vec::new(), false);
        for one in heard {
            match one {
                Ok(LiveEvent::Delta { session_id, run_id, delta }) => {
                    if std::mem::take(&mut is_stored) {
                        self.read().await;
                    }
                    if self.last_turns.get(&run_id).is_none_or(|turn| delta.turn > *turn) {
                        pieces.push(SentEvent::delta(session_id, run_id, delta));
                    }
                }
                Ok(LiveEvent::Stored(_)) | Err(_) => {
                    self.ring.add(std::mem::take(&mut pieces));
                    is_stored = true;
                }
                Ok(LiveEvent::CallGrows { .. } | LiveEvent::CommandOutput { .. } | LiveEvent::ElicitationsChanged) => {}
            }
        }
        self.ring.add(pieces);
        if is_stored {
            self.read().await;
        }
    }

    /// Reads the log from where it was read to.
    async fn read(&mut self) {
        loop {
            let since = match self.engine.events_since(Some(&self.cursor), &EventFilter::default(), A_PIECE).await {
                Ok(since) => since,
                Err(fault) => {
                    tracing::warn!(%fault, "events could not be read");
                    tokio::time::sleep(PATIENCE).await;
                    continue;
                }
            };
            since.events.iter().for_each(|event| self.note(&event.body(), event.run_id.as_ref()));
            let events = since.events.iter().zip(since.cursors).map(|(event, at)| SentEvent::stored(event, at));
            self.ring.add(events.collect());
            self.cursor = since.next;
            if !since.has_more {
                return;
            }
        }
    }

    fn note(&mut self, body: &EventBody, run: Option<&RunId>) {
        let (Some(run), EventBody::OutputMessage(message)) = (run, body) else { return };
        if self.last_turns.len() >= KEPT_RUNS {
            self.last_turns.clear();
        }
        self.last_turns.insert(run.clone(), message.turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::SessionId;
    use std::time::Instant;

    fn ring() -> Ring {
        let kept = Kept { events: VecDeque::new(), first: 0, bytes: 0, before: "0".to_owned() };
        Ring { kept: Mutex::new(kept), news: watch::Sender::new(0) }
    }

    fn event(number: u64, bytes: usize) -> SentEvent {
        SentEvent {
            session: SessionId::from("s"),
            run: None,
            seq: number,
            cursor: (number % 2 == 1).then(|| number.to_string()),
            ends_run: false,
            rendered_at: Instant::now(),
            text: vec![b'x'; bytes].into(),
        }
    }

    #[test]
    fn a_reader_goes_on_behind_its_cursor_and_hears_when_that_is_gone() {
        let ring = ring();
        assert_eq!(ring.behind("0"), Some(0));
        ring.add((1..=5).map(|number| event(number, 1)).collect());
        assert_eq!((ring.behind("3"), ring.behind("4"), ring.behind("0")), (Some(3), None, Some(0)));
        let mut seen = Vec::new();
        let next = ring.from(3, |event| {
            seen.push(event.seq);
            true
        });
        assert_eq!((next, seen.as_slice()), (Some(5), &[4, 5][..]));
        ring.add((6..=9).map(|number| event(number, KEPT_BYTES / 3)).collect());
        assert_eq!(ring.from(3, |_| true), None);
        assert!(ring.behind("9").is_some());
    }

    #[test]
    fn the_cursor_before_the_first_is_the_last_one_that_went() {
        let ring = ring();
        ring.add((1..=KEPT_EVENTS as u64 + 4).map(|number| event(number, 1)).collect());
        assert_eq!((ring.behind("3"), ring.behind("0")), (Some(4), None));
    }
}

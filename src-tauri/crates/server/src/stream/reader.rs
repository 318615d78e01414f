//! One reader of events: from a place in the log to its end, and then what comes.

use crate::answers::HttpRefusal;
use crate::limits::ReaderPlace;
use crate::serve::RouteState;
use crate::stream::rendered::{HEARTBEAT, SentEvent};
use arki_domain::{Error, RunId, SessionId};
use arki_engine::{EventFilter, EventsSince};
use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

const A_PIECE: usize = 500;
/// A reader that is slow is sent no more than this at once.
const CHUNK_BYTES: usize = 256 * 1024;
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// A stream whose token is withdrawn ends within this time.
const TOKEN_INTERVAL: Duration = Duration::from_secs(1);

/// The events that a reader wants.
#[derive(Debug, Clone)]
pub(crate) enum StreamScope {
    All,
    Session(SessionId),
    /// The stream ends when nothing follows the run's end.
    Run {
        run: RunId,
        is_over: bool,
    },
}

impl StreamScope {
    fn has(&self, event: &SentEvent) -> bool {
        match self {
            Self::All => true,
            Self::Session(session) => event.session == *session,
            Self::Run { run, .. } => event.run.as_ref() == Some(run),
        }
    }
}

/// The place at which a reader begins.
#[derive(Debug)]
pub(crate) enum Place {
    /// Behind a cursor.
    After(String),
    /// Behind a number of a session.
    OfSession { session: SessionId, after_seq: u64 },
}

/// The place that a reader has come to.
#[derive(Clone)]
enum ReaderPosition {
    /// In one session, up to where the log ended when the reader came.
    OfSession { session: SessionId, after_seq: u64, end: String },
    /// In the log, behind this cursor.
    Log(String),
    /// Among the newest, with the last cursor that was passed.
    Newest { number: u64, cursor: String },
}

pub(crate) struct EventStream {
    /// Its token, and when it was last known to stand.
    pairing: String,
    looked_at: Instant,
    shared: Arc<RouteState>,
    news: watch::Receiver<u64>,
    wanted: StreamScope,
    position: ReaderPosition,
    /// The last number that was sent of a session that was read by its numbers: what follows in the log may be older.
    sent: Option<(SessionId, u64)>,
    /// Read, and not sent.
    waiting: VecDeque<SentEvent>,
    /// The last event of the wanted run is its end: it may have been resumed since.
    is_run_over: bool,
    _reader: ReaderPlace,
}

impl EventStream {
    /// # Errors
    /// `CURSOR_UNKNOWN`, before anything is sent.
    pub(crate) async fn open(
        shared: Arc<RouteState>,
        wanted: StreamScope,
        place: Place,
        (pairing, reader): (String, ReaderPlace),
    ) -> Result<Self, HttpRefusal> {
        let position = match place {
            Place::After(cursor) => {
                shared.engine().events_since(Some(&cursor), &EventFilter::default(), 1).await?;
                ReaderPosition::Log(cursor)
            }
            Place::OfSession { session, after_seq } => {
                ReaderPosition::OfSession { session, after_seq, end: shared.engine().end_of_events().await? }
            }
        };
        Ok(Self {
            pairing,
            looked_at: Instant::now(),
            news: shared.feed.ring.news(),
            shared,
            is_run_over: matches!(wanted, StreamScope::Run { is_over: true, .. }),
            wanted,
            position,
            sent: None,
            waiting: VecDeque::new(),
            _reader: reader,
        })
    }

    pub(crate) fn into_bytes(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        futures_util::stream::unfold(self, |mut stream| async move {
            let chunk = stream.next().await?;
            Some((Ok(chunk), stream))
        })
    }

    /// Waits for what comes next; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.shared.closing.is_cancelled() || !self.may_still_read().await {
                return None;
            }
            if let Some(chunk) = self.take_waiting() {
                return Some(chunk);
            }
            // Before it is looked for: what comes meanwhile is heard of.
            self.news.mark_unchanged();
            match self.find_more().await {
                Ok(true) => {}
                Ok(false) if self.is_run_over => return None,
                Ok(false) => {
                    if let Some(heartbeat) = self.wait().await {
                        return Some(heartbeat);
                    }
                }
                Err(fault) => {
                    tracing::warn!(%fault, "a reader's events could not be read");
                    return None;
                }
            }
        }
    }

    /// Returns whether its token was not withdrawn, as of the last second.
    async fn may_still_read(&mut self) -> bool {
        if self.looked_at.elapsed() < TOKEN_INTERVAL {
            return true;
        }
        self.looked_at = Instant::now();
        let pairing = self.pairing.clone();
        matches!(self.shared.reading(move |engine| engine.pairings().stands(&pairing)).await, Ok(true))
    }

    /// Waits for news; a heartbeat where none came for a while.
    async fn wait(&mut self) -> Option<Bytes> {
        tokio::select! {
            biased;
            () = self.shared.closing.cancelled() => None,
            _ = self.news.changed() => None,
            () = tokio::time::sleep(HEARTBEAT_INTERVAL) => Some(HEARTBEAT),
        }
    }

    /// Returns whether there may be more at once.
    async fn find_more(&mut self) -> Result<bool, Error> {
        match self.position.clone() {
            ReaderPosition::OfSession { session, after_seq, end } => {
                let page = self.shared.engine().session_since(&session, after_seq, A_PIECE).await?;
                let after_seq = page.events.last().map_or(after_seq, |event| event.seq);
                let has_more = page.has_more;
                self.keep(page);
                self.sent = Some((session.clone(), after_seq));
                self.position = if has_more {
                    ReaderPosition::OfSession { session, after_seq, end }
                } else {
                    ReaderPosition::Log(end)
                };
                Ok(true)
            }
            ReaderPosition::Log(cursor) => {
                if let Some(number) = self.shared.feed.ring.behind(&cursor) {
                    self.position = ReaderPosition::Newest { number, cursor };
                    return Ok(true);
                }
                let page = self.shared.engine().events_since(Some(&cursor), &EventFilter::default(), A_PIECE).await?;
                let has_more = page.has_more || page.next != cursor;
                self.position = ReaderPosition::Log(page.next.clone());
                self.keep(page);
                Ok(has_more)
            }
            ReaderPosition::Newest { number, cursor } => Ok(self.take_newest(number, cursor)),
        }
    }

    fn keep(&mut self, page: EventsSince) {
        for (event, cursor) in page.events.iter().zip(page.cursors) {
            let event = SentEvent::stored(event, cursor);
            if self.is_next(&event) {
                self.add(event);
            }
        }
    }

    fn add(&mut self, event: SentEvent) {
        if event.cursor.is_some() {
            self.is_run_over = matches!(self.wanted, StreamScope::Run { .. }) && event.ends_run;
        }
        self.waiting.push_back(event);
    }

    fn is_next(&self, event: &SentEvent) -> bool {
        let is_sent = |(session, seq): &(SessionId, u64)| {
            event.cursor.is_some() && event.session == *session && event.seq <= *seq
        };
        self.wanted.has(event) && !self.sent.as_ref().is_some_and(is_sent)
    }

    fn take_newest(&mut self, number: u64, mut cursor: String) -> bool {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        let next = self.shared.feed.ring.from(number, |event| {
            if let Some(at) = &event.cursor {
                cursor.clone_from(at);
            }
            if self.is_next(event) {
                bytes += event.text.len();
                taken.push(event.clone());
            }
            bytes < CHUNK_BYTES
        });
        let has_more = next.is_none_or(|next| next > number);
        taken.into_iter().for_each(|event| self.add(event));
        self.position = match next {
            Some(number) => ReaderPosition::Newest { number, cursor },
            None => ReaderPosition::Log(cursor),
        };
        has_more
    }

    /// As much as is sent at once of what waits.
    fn take_waiting(&mut self) -> Option<Bytes> {
        let first = self.waiting.pop_front()?;
        if self.waiting.is_empty() {
            return Some(first.text);
        }
        let mut chunk = BytesMut::from(&first.text[..]);
        while chunk.len() < CHUNK_BYTES
            && let Some(event) = self.waiting.pop_front()
        {
            chunk.extend_from_slice(&event.text);
        }
        Some(chunk.freeze())
    }
}

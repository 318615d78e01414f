//! Events out of an answer's bytes, within bounds and time limits: server-sent ones, or one a line.
//!
//! The parser of server-sent events is `sse-stream`'s. What is added here is what it leaves to its caller: limits,
//! time-outs, events without data, and the last event of a stream that ended without its blank line.

#[cfg(test)]
mod line_tests;

use crate::fault::Target;
use arki_domain::Fault;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use reqwest::Response;
use sse_stream::{Error as SseError, SseByteStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::timeout;

/// The longest single event; far beyond what any vendor sends, far below what hurts.
pub(crate) const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;
/// The longest answer.
pub(crate) const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;

pub(crate) type ByteStream = BoxStream<'static, Result<Bytes, Fault>>;

/// How an answer's bytes are cut into events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
    ServerSentEvents,
    /// One JSON value a line.
    JsonLines,
}

/// One event that carries data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: Option<String>,
    pub(crate) data: String,
    /// The stream ended inside this event: its data may be half of what was meant.
    pub(crate) unfinished: bool,
}

/// The answer's bytes, each piece waited for no longer than `idle`, no more of them than an answer may have.
pub(crate) fn body_of(response: Response, idle: Duration, target: Target) -> ByteStream {
    let state = (response, target, 0_usize);
    unfold(Some(state), move |state| async move {
        let (mut response, target, mut total) = state?;
        let chunk = match timeout(idle, response.chunk()).await {
            Ok(Ok(chunk)) => chunk?,
            Ok(Err(error)) => return Some((Err(target.broken_off(&error)), None)),
            Err(_) => {
                let what = format!("was silent for {} s in the middle of its answer", idle.as_secs_f32());
                return Some((Err(target.timeout(&what)), None));
            }
        };
        total += chunk.len();
        if total > MAX_RESPONSE_BYTES {
            return Some((Err(target.bad_answer("it is longer than 64 MiB")), None));
        }
        Some((Ok(chunk), Some((response, target, total))))
    })
    .boxed()
}

/// The events of a stream of bytes.
pub(crate) struct Events {
    parser: Parser,
    progress: Arc<Progress>,
    target: Target,
}

enum Parser {
    ServerSentEvents(Box<SseByteStream<ByteStream>>),
    Lines(Lines),
}

/// What the parser's input tells its output.
#[derive(Default)]
struct Progress {
    bytes_since_event: AtomicUsize,
    ended: AtomicBool,
}

impl Events {
    pub(crate) fn new(bytes: ByteStream, framing: Framing, target: Target) -> Self {
        let progress = Arc::new(Progress::default());
        let bytes = bounded(bytes, Arc::clone(&progress), target.clone());
        let parser = match framing {
            Framing::ServerSentEvents => Parser::ServerSentEvents(Box::new(SseByteStream::new(bytes))),
            Framing::JsonLines => Parser::Lines(Lines::new(bytes)),
        };
        Self { parser, progress, target }
    }

    /// The next event with data; `None` at the end. After a fault there is nothing more.
    pub(crate) async fn next(&mut self) -> Option<Result<Event, Fault>> {
        match &mut self.parser {
            Parser::ServerSentEvents(_) => self.next_block().await,
            Parser::Lines(lines) => {
                let line = lines.next().await?;
                self.progress.bytes_since_event.store(0, Ordering::Relaxed);
                let unfinished = self.progress.ended.load(Ordering::Relaxed);
                Some(line.and_then(|line| match String::from_utf8(line) {
                    Ok(data) => Ok(Event { name: None, data, unfinished }),
                    Err(_) if unfinished => Err(self.target.cut("in the middle of its answer")),
                    Err(_) => Err(self.target.bad_answer("it is not UTF-8")),
                }))
            }
        }
    }

    async fn next_block(&mut self) -> Option<Result<Event, Fault>> {
        let Parser::ServerSentEvents(parser) = &mut self.parser else { return None };
        loop {
            let parsed = parser.next().await?;
            self.progress.bytes_since_event.store(0, Ordering::Relaxed);
            match parsed {
                Ok(block) => {
                    let Some(data) = block.data.filter(|data| !data.is_empty()) else { continue };
                    let unfinished = self.progress.ended.load(Ordering::Relaxed);
                    return Some(Ok(Event { name: block.event, data, unfinished }));
                }
                Err(error) => return Some(Err(self.fault(error))),
            }
        }
    }

    fn fault(&self, error: SseError) -> Fault {
        match error {
            SseError::Body(error) => match error.downcast::<Fault>() {
                Ok(fault) => *fault,
                Err(_) => self.target.cut("in the middle of its answer"),
            },
            // Cut within a character.
            _ if self.progress.ended.load(Ordering::Relaxed) => self.target.cut("in the middle of its answer"),
            _ => self.target.bad_answer("it is not UTF-8"),
        }
    }
}

/// Lines that are not blank, without their ends.
struct Lines {
    bytes: ByteStream,
    /// What has come since the last whole line.
    buffer: BytesMut,
    /// How much of the buffer is known to have no end of a line.
    searched: usize,
}

impl Lines {
    fn new(bytes: ByteStream) -> Self {
        Self { bytes, buffer: BytesMut::new(), searched: 0 }
    }

    async fn next(&mut self) -> Option<Result<Vec<u8>, Fault>> {
        loop {
            let end = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
            if let Some(end) = end {
                let line = self.buffer.split_to(self.searched + end + 1);
                self.searched = 0;
                let line = line.trim_ascii();
                if !line.is_empty() {
                    return Some(Ok(line.to_vec()));
                }
                continue;
            }
            self.searched = self.buffer.len();
            match self.bytes.next().await? {
                Ok(chunk) => self.buffer.extend_from_slice(&chunk),
                Err(fault) => return Some(Err(fault)),
            }
        }
    }
}

/// Counts, and ends the last block: a stream that stops after `data: [DONE]` without a blank line is whole.
fn bounded(bytes: ByteStream, progress: Arc<Progress>, target: Target) -> ByteStream {
    unfold(Some((bytes, progress, target)), |state| async move {
        let (mut bytes, progress, target) = state?;
        match bytes.next().await {
            Some(Ok(chunk)) => {
                let pending = progress.bytes_since_event.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                // A chunk may hold many small events, so that it alone proves nothing.
                if pending - chunk.len() > MAX_EVENT_BYTES {
                    return Some((Err(target.bad_answer("one of its events is longer than 8 MiB")), None));
                }
                Some((Ok(chunk), Some((bytes, progress, target))))
            }
            Some(Err(fault)) => Some((Err(fault), None)),
            None => {
                progress.ended.store(true, Ordering::Relaxed);
                Some((Ok(Bytes::from_static(b"\n\n")), None))
            }
        }
    })
    .boxed()
}

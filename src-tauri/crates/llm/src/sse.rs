//! Events out of an answer's bytes, within bounds and time limits: server-sent ones, or one a line.
//!
//! The parser of server-sent events is `sse-stream`'s. What is added here is what it leaves to its caller: limits,
//! time-outs, events without data, and bytes that are no UTF-8, which become U+FFFD as the standard has it. An event at
//! whose blank line the stream did not arrive is none, as there too; a line of JSON is whole where it can be read.

#[cfg(test)]
mod line_tests;

use crate::fault::Target;
use arki_domain::Error;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use reqwest::Response;
use sse_stream::{Error as SseError, SseByteStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// The longest single event; far beyond what any vendor sends, far below what hurts.
pub(crate) const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;
/// The longest answer.
pub(crate) const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;

pub(crate) type ByteStream = BoxStream<'static, Result<Bytes, Error>>;

/// The way an answer's bytes are cut into events.
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

/// The state that the parser's input shares with its output.
#[derive(Default)]
struct Progress {
    bytes_since_event: AtomicUsize,
    ended: AtomicBool,
    has_events: AtomicBool,
    /// The beginning of the body.
    head: Mutex<Vec<u8>>,
}

/// The number of bytes shown of a stream without events.
const HEAD_BYTES: usize = 2048;
/// May stand before the first event.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Events {
    pub(crate) fn new(bytes: ByteStream, framing: Framing, target: Target) -> Self {
        let progress = Arc::new(Progress::default());
        let bytes = bounded(bytes, framing, Arc::clone(&progress), target.clone());
        let parser = match framing {
            Framing::ServerSentEvents => Parser::ServerSentEvents(Box::new(SseByteStream::new(bytes))),
            Framing::JsonLines => Parser::Lines(Lines { bytes, buffer: BytesMut::new(), searched: 0 }),
        };
        Self { parser, progress, target }
    }

    /// Returns what came, where none of it was an event.
    pub(crate) fn other_words(&self) -> Option<String> {
        if matches!(self.parser, Parser::Lines(_)) {
            return None;
        }
        let head = self.progress.head.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&head)).into_owned();
        let is_comment = |line: &str| line.trim().is_empty() || line.starts_with(':') || is_field(line);
        let has_none = !self.progress.has_events.load(Ordering::Relaxed);
        let is_text = !words.contains(char::REPLACEMENT_CHARACTER);
        (has_none && is_text && !words.lines().all(is_comment)).then_some(words)
    }

    /// The next event with data; `None` at the end. After a fault there is nothing more.
    pub(crate) async fn next(&mut self) -> Option<Result<Event, Error>> {
        match &mut self.parser {
            Parser::ServerSentEvents(_) => self.next_block().await,
            Parser::Lines(lines) => {
                let line = lines.next().await?;
                self.progress.bytes_since_event.store(0, Ordering::Relaxed);
                let unfinished = self.progress.ended.load(Ordering::Relaxed);
                let data = |line: Vec<u8>| String::from_utf8_lossy(&line).into_owned();
                Some(line.map(|line| Event { name: None, data: data(line), unfinished }))
            }
        }
    }

    async fn next_block(&mut self) -> Option<Result<Event, Error>> {
        let Parser::ServerSentEvents(parser) = &mut self.parser else { return None };
        loop {
            let parsed = parser.next().await?;
            self.progress.bytes_since_event.store(0, Ordering::Relaxed);
            match parsed {
                Ok(block) => {
                    self.progress.has_events.store(true, Ordering::Relaxed);
                    let Some(data) = block.data.filter(|data| !data.is_empty()) else { continue };
                    return Some(Ok(Event { name: block.event, data, unfinished: false }));
                }
                Err(error) => return Some(Err(self.fault(error))),
            }
        }
    }

    fn fault(&self, error: SseError) -> Error {
        match error {
            SseError::Body(error) => match error.downcast::<Error>() {
                Ok(fault) => *fault,
                Err(_) => self.target.cut("in the middle of its answer"),
            },
            _ => self.target.bad_answer("it is not UTF-8"),
        }
    }
}

/// Returns whether it is a line of server-sent events, or the beginning of one.
fn is_field(line: &str) -> bool {
    let (name, is_whole) = line.split_once(':').map_or((line, false), |(name, _)| (name, true));
    ["data", "event", "id", "retry"].iter().any(|field| *field == name || (!is_whole && field.starts_with(name)))
}

/// Lines that are not blank, without their ends.
struct Lines {
    bytes: ByteStream,
    /// The bytes since the last whole line.
    buffer: BytesMut,
    /// The number of bytes in the buffer known to have no end of a line.
    searched: usize,
}

impl Lines {
    async fn next(&mut self) -> Option<Result<Vec<u8>, Error>> {
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

/// Counts, and makes UTF-8 of what is none. The last line ends, so that what came can be read.
fn bounded(bytes: ByteStream, framing: Framing, progress: Arc<Progress>, target: Target) -> ByteStream {
    unfold(Some((bytes, progress, target, Vec::new())), move |state| async move {
        let (mut bytes, progress, target, mut begun) = state?;
        match bytes.next().await {
            Some(Ok(chunk)) => {
                let pending = progress.bytes_since_event.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                // A chunk may hold many small events, so that it alone proves nothing.
                if pending - chunk.len() > MAX_EVENT_BYTES {
                    return Some((Err(target.bad_answer("one of its events is longer than 8 MiB")), None));
                }
                progress.begin_with(&chunk);
                let chunk = lossy(&mut begun, chunk);
                Some((Ok(chunk), Some((bytes, progress, target, begun))))
            }
            Some(Err(fault)) => Some((Err(fault), None)),
            None => {
                progress.ended.store(true, Ordering::Relaxed);
                let end = if framing == Framing::JsonLines { "\n" } else { "" };
                let cut = if begun.is_empty() { "" } else { "\u{fffd}" };
                Some((Ok(Bytes::from(format!("{cut}{end}"))), None))
            }
        }
    })
    .boxed()
}

impl Progress {
    fn begin_with(&self, chunk: &[u8]) {
        if self.has_events.load(Ordering::Relaxed) {
            return;
        }
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let room = HEAD_BYTES.saturating_sub(head.len()).min(chunk.len());
        head.extend_from_slice(&chunk[..room]);
    }
}

/// The chunk with U+FFFD for each sequence that is none of UTF-8; `begun` is a character that ends in the next chunk.
fn lossy(begun: &mut Vec<u8>, chunk: Bytes) -> Bytes {
    if begun.is_empty() && std::str::from_utf8(&chunk).is_ok() {
        return chunk;
    }
    let bytes = [std::mem::take(begun).as_slice(), &chunk].concat();
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                out.push_str(text);
                break;
            }
            Err(error) => {
                let (text, after) = rest.split_at(error.valid_up_to());
                out.push_str(&String::from_utf8_lossy(text));
                let Some(bad) = error.error_len() else {
                    after.clone_into(begun);
                    break;
                };
                out.push(char::REPLACEMENT_CHARACTER);
                rest = &after[bad..];
            }
        }
    }
    out.into()
}

/// Returns what the first byte that is no blank says of a body, and the same body.
pub(crate) async fn begun(bytes: ByteStream) -> Result<(Option<u8>, ByteStream), Error> {
    let mut bytes = bytes.fuse();
    let mut chunks = Vec::new();
    let mut first = None;
    while first.is_none() {
        let Some(chunk) = bytes.next().await.transpose()? else { break };
        let text = chunk.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&chunk);
        first = text.iter().copied().find(|byte| !byte.is_ascii_whitespace());
        chunks.push(Ok(chunk));
        if chunks.len() > MAX_BLANK_CHUNKS {
            break;
        }
    }
    Ok((first, futures_util::stream::iter(chunks).chain(bytes).boxed()))
}

/// Blank lines that keep a connection alive are waited out up to here.
const MAX_BLANK_CHUNKS: usize = 1024;

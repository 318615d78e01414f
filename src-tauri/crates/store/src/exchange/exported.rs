//! Events as an export has them, one a line, and whether they are what was exported.
//!
//! A line is taken only in the exact form that Arki writes: what the hash does not cover must not slip in beside it.

use crate::StoreError;
use crate::chain::seal::{MAX_EVENT_BYTES, Unhashed, is_canonical_text};
use crate::exchange::exported_contents::ExportedPiece;
use arki_domain::{Event, GENESIS_HASH, RunId, SessionId};
use std::collections::HashSet;
use std::io::{BufRead, Read};

/// The longest line, in bytes: the longest payload and what stands around it.
pub const MAX_EXPORT_LINE_BYTES: usize = MAX_EVENT_BYTES + MAX_ENVELOPE_BYTES;
const MAX_ENVELOPE_BYTES: usize = 4 << 10;
/// The longest id; Arki's own have 36 characters.
pub const MAX_EXPORT_ID_BYTES: usize = 128;

/// A line of an export.
#[derive(Debug, Clone)]
pub enum ExportedLine {
    Event(Box<Event>),
    Piece(ExportedPiece),
}

impl From<Event> for ExportedLine {
    fn from(event: Event) -> Self {
        Self::Event(Box::new(event))
    }
}

/// Reads an export, one event, or a piece of a content, a line. After a line that is neither the next one can still be
/// read.
///
/// The errors are `ExportInvalid`, and those of the file itself.
pub fn exported_lines(file: impl BufRead) -> impl Iterator<Item = Result<ExportedLine, StoreError>> {
    Lines { file, line: 0, is_over: false }
}

struct Lines<R> {
    file: R,
    line: u64,
    is_over: bool,
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<ExportedLine, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let mut text = Vec::new();
        let limit = MAX_EXPORT_LINE_BYTES as u64 + 1;
        match self.file.by_ref().take(limit).read_until(b'\n', &mut text) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) => {
                self.is_over = true;
                return Some(Err(error.into()));
            }
        }
        self.line += 1;
        if text.last() == Some(&b'\n') {
            text.pop();
        } else if text.len() > MAX_EXPORT_LINE_BYTES {
            self.is_over = true;
            return Some(Err(invalid(self.line, format!("it is longer than {MAX_EXPORT_LINE_BYTES} bytes"))));
        }
        Some(parse(&text).map_err(|detail| invalid(self.line, detail)))
    }
}

pub(crate) fn invalid(line: u64, detail: impl Into<String>) -> StoreError {
    StoreError::ExportInvalid { line, detail: detail.into() }
}

fn parse(line: &[u8]) -> Result<ExportedLine, &'static str> {
    let (read, written) = match serde_json::from_slice::<Event>(line) {
        Ok(event) => {
            let written = serde_json::to_vec(&event);
            (ExportedLine::from(event), written)
        }
        Err(_) => {
            let piece: ExportedPiece = serde_json::from_slice(line).map_err(|_| "it is not an event")?;
            let written = serde_json::to_vec(&piece);
            (ExportedLine::Piece(piece), written)
        }
    };
    if written.is_ok_and(|written| written == line) { Ok(read) } else { Err("it was modified") }
}

/// Follows the chains of a file, one session after the other.
#[derive(Default)]
pub(crate) struct ExportedChains {
    seen: HashSet<SessionId>,
    last: Option<(SessionId, u64, String)>,
}

impl ExportedChains {
    /// Why the event does not follow, if it does not.
    pub(crate) fn follow(&mut self, event: &Event) -> Result<(), &'static str> {
        let goes_on = self.last.as_ref().is_some_and(|(session, ..)| *session == event.session_id);
        let (seq, hash) = match &self.last {
            Some((_, seq, hash)) if goes_on => (*seq, hash.as_str()),
            _ => (0, GENESIS_HASH),
        };
        if !goes_on && !self.seen.insert(event.session_id.clone()) {
            return Err("it comes after the end of its session");
        }
        let ids =
            [Some(event.event_id.as_str()), Some(event.session_id.as_str()), event.run_id.as_ref().map(RunId::as_str)];
        if !ids.into_iter().flatten().all(is_plain) {
            return Err("it has an invalid id");
        }
        if event.seq != seq + 1 || event.prev_hash != hash {
            return Err("it does not follow the event before it");
        }
        prove(event)?;
        self.last = Some((event.session_id.clone(), event.seq, event.hash.clone()));
        Ok(())
    }
}

fn is_plain(id: &str) -> bool {
    (1..=MAX_EXPORT_ID_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Checks that the event's hash is right for its content.
pub(crate) fn prove(event: &Event) -> Result<(), &'static str> {
    let payload = event.payload.get();
    if payload.len() > MAX_EVENT_BYTES {
        return Err("its payload is longer than an event may be");
    }
    if Unhashed::of(event).hash(payload).as_ref() != Some(&event.hash) {
        return Err("its hash doesn't match its content");
    }
    if is_canonical_text(payload) { Ok(()) } else { Err("its payload is not canonical JSON") }
}

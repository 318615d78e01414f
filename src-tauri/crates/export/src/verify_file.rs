//! Proves that an exported file is what was appended: for each session in it every hash, every link, no gap.
//!
//! Read a line at a time and by itself: no database is needed, so that whoever is handed an export can check it. A file
//! has no end that vouches for it; one that is cut between two lines still verifies, as `anchored: false` says.

mod exported_line;

use arki_domain::{Code, Error, Event, GENESIS_HASH, SAFE_INTEGER, SessionId};
use arki_store::{AnchorFinding, ExportedContents, ExportedPiece, MAX_BLOB_BYTES, MAX_EVENT_BYTES, VerifyReport};
use exported_line::read_event;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A payload at its limit, and what stands around it.
const MAX_LINE_BYTES: usize = MAX_EVENT_BYTES + (64 << 10);
/// More sessions than this are not told apart in one file.
const MAX_SESSIONS: usize = 10_000;
/// A file that begins with so many lines of something else is not read to its end.
const MAX_FOREIGN_LINES: u64 = 1_000;
const READ_BUFFER_BYTES: usize = 256 << 10;

/// One session of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    pub report: VerifyReport,
    /// The problem with the first broken event, and its line; `None` where there is none.
    pub reason: Option<String>,
}

/// Checks every session of an export, in the order of the file. A broken chain is a report, not an error.
///
/// # Errors
/// `EXPORT_INVALID` when there is no event in it at all, or when it cannot be read.
pub fn verify_export(mut lines: impl BufRead, name: &str) -> Result<Vec<FileReport>, Error> {
    let mut file = ExportedFile::default();
    let mut line = Vec::new();
    for number in 1.. {
        match read_line(&mut lines, &mut line) {
            Ok(LineEnd::NoMore) => break,
            Ok(end) => file.add(number, &line, &end, name)?,
            Err(error) => return Err(unreadable(name, &error)),
        }
    }
    file.reports(name)
}

/// Verifies a file like [`verify_export`].
///
/// # Errors
/// Also when the file cannot be opened.
pub fn verify_file(path: &Path) -> Result<Vec<FileReport>, Error> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    verify_export(BufReader::with_capacity(READ_BUFFER_BYTES, file), &name)
}

#[derive(Default)]
struct ExportedFile {
    chains: Vec<FileChain>,
    by_session: HashMap<SessionId, usize>,
    /// The session of the line before.
    current: Option<usize>,
    /// The first line, where no event came before it, that is none.
    foreign: Option<(u64, &'static str)>,
    /// The contents that lie beside the log.
    contents: ExportedContents,
    /// Events that speak of a content: of which session, and the event's number.
    spoken: Vec<(usize, u64)>,
}

impl ExportedFile {
    fn add(&mut self, number: u64, line: &[u8], end: &LineEnd, name: &str) -> Result<(), Error> {
        if line.iter().all(u8::is_ascii_whitespace) && *end != LineEnd::TooLong {
            return Ok(());
        }
        if let (Some(current), Ok(piece)) = (self.current, serde_json::from_slice::<ExportedPiece>(line)) {
            if let Err(what) = self.contents.add(&piece, MAX_BLOB_BYTES) {
                self.chains[current].break_here(number, &format!("can't be taken: {what}"));
            }
            return Ok(());
        }
        let Some(event) = (*end != LineEnd::TooLong).then(|| read_event(line)).flatten() else {
            let what = if *end == LineEnd::Cut { "is cut off" } else { "is no event" };
            match self.current {
                Some(current) => self.chains[current].break_here(number, what),
                None => _ = self.foreign.get_or_insert((number, what)),
            }
            return if self.current.is_none() && number >= MAX_FOREIGN_LINES { Err(foreign(name)) } else { Ok(()) };
        };
        let index = self.chain_of(&event.session_id, name)?;
        self.current = Some(index);
        if let Some((number, what)) = self.foreign.take() {
            self.chains[index].break_here(number, what);
        }
        self.chains[index].add(number, &event);
        if event.kind == "approval.requested" {
            self.spoken.push((index, event.seq));
        }
        if let Err(what) = self.contents.note_event(&event, (self.spoken.len() as u64).saturating_sub(1)) {
            self.chains[index].break_here(number, &format!("comes too early: {what}"));
        }
        Ok(())
    }

    fn chain_of(&mut self, session: &SessionId, name: &str) -> Result<usize, Error> {
        if let Some(known) = self.by_session.get(session) {
            return Ok(*known);
        }
        if self.chains.len() >= MAX_SESSIONS {
            let message = format!("{name} has events of more than {MAX_SESSIONS} sessions.");
            return Err(Error::new(Code::EXPORT_INVALID, message, "Check the files one by one as they were exported."));
        }
        self.chains.push(FileChain::new(session.clone()));
        self.by_session.insert(session.clone(), self.chains.len() - 1);
        Ok(self.chains.len() - 1)
    }

    fn reports(mut self, name: &str) -> Result<Vec<FileReport>, Error> {
        for place in self.contents.missing() {
            if let Some((chain, seq)) = usize::try_from(place).ok().and_then(|place| self.spoken.get(place)) {
                self.chains[*chain].break_at(*seq, "the diff that it refers to is missing or differs");
            }
        }
        if self.chains.is_empty() {
            return Err(if self.foreign.is_some() { foreign(name) } else { empty(name) });
        }
        Ok(self.chains.into_iter().map(FileChain::report).collect())
    }
}

/// One session's events as far as they were followed.
struct FileChain {
    session_id: SessionId,
    events: u64,
    last_seq: u64,
    last_hash: String,
    broken: Option<(u64, String)>,
}

impl FileChain {
    fn new(session_id: SessionId) -> Self {
        Self { session_id, events: 0, last_seq: 0, last_hash: GENESIS_HASH.to_owned(), broken: None }
    }

    fn add(&mut self, number: u64, event: &Event) {
        self.events += 1;
        let expected = self.last_seq + 1;
        if self.broken.is_some() {
            return;
        }
        match fault_of(event, expected, &self.last_hash) {
            None => event.hash.clone_into(&mut self.last_hash),
            // An event that was stored so is there twice; in any other place its own number proves nothing.
            Some(what) => {
                let seq = if is_as_stored(event) { event.seq.min(expected) } else { expected };
                self.broken = Some((seq, format!("line {number} {what}")));
            }
        }
        self.last_seq = expected;
    }

    /// An earlier break stays the first.
    fn break_at(&mut self, seq: u64, what: &str) {
        if self.broken.as_ref().is_none_or(|(first, _)| seq < *first) {
            self.broken = Some((seq, what.to_owned()));
        }
    }

    /// Marks the log as broken here: something else stands where the next event should.
    fn break_here(&mut self, number: u64, what: &str) {
        let expected = self.last_seq + 1;
        self.broken.get_or_insert_with(|| (expected, format!("line {number} {what}")));
    }

    fn report(self) -> FileReport {
        let (first_broken_seq, reason) = self.broken.unzip();
        let report = VerifyReport {
            session_id: self.session_id,
            events: self.events,
            ok: first_broken_seq.is_none(),
            first_broken_seq,
            anchored: false,
            anchor: AnchorFinding::Absent,
        };
        FileReport { report, reason }
    }
}

fn fault_of(event: &Event, expected: u64, follows: &str) -> Option<String> {
    if !is_as_stored(event) {
        return Some("was changed after it was stored: its hash doesn't match".to_owned());
    }
    if event.seq != expected {
        return Some(format!("has the number {}, but {expected} comes next", event.seq));
    }
    (event.prev_hash != follows).then(|| "does not follow the event before it".to_owned())
}

/// Numbers that JSON does not keep exactly would let two events share a hash.
fn is_as_stored(event: &Event) -> bool {
    (1..=SAFE_INTEGER).contains(&event.seq)
        && event.ts.unsigned_abs() <= SAFE_INTEGER
        && event.computed_hash().is_ok_and(|hash| hash == event.hash)
}

#[derive(Debug, PartialEq, Eq)]
enum LineEnd {
    Break,
    /// The file ends without a line break.
    Cut,
    /// Longer than any event; the rest of it was passed over.
    TooLong,
    NoMore,
}

/// Reads a line without its break, and never more of it than an event can be.
fn read_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<LineEnd> {
    line.clear();
    let limit = MAX_LINE_BYTES as u64 + 1;
    let read = lines.by_ref().take(limit).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(LineEnd::NoMore);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(LineEnd::Break);
    }
    if read as u64 != limit {
        return Ok(LineEnd::Cut);
    }
    line.clear();
    lines.skip_until(b'\n')?;
    Ok(LineEnd::TooLong)
}

fn empty(name: &str) -> Error {
    let hint = "`arki sessions export ID --output FILE` exports a session.";
    Error::new(Code::EXPORT_INVALID, format!("{name} is empty."), hint)
}

fn foreign(name: &str) -> Error {
    let hint = "Only JSON Lines can be verified: `arki sessions export ID --format jsonl --output FILE`.";
    Error::new(Code::EXPORT_INVALID, format!("{name} isn't a session export: it has no events."), hint)
}

fn unreadable(name: &str, error: &io::Error) -> Error {
    let (code, what) = match error.kind() {
        io::ErrorKind::NotFound => (Code::FILE_NOT_FOUND, "does not exist"),
        io::ErrorKind::PermissionDenied => (Code::PERMISSION_DENIED, "may not be read"),
        io::ErrorKind::IsADirectory => (Code::EXPORT_INVALID, "is a folder"),
        _ => (Code::IO_FAILED, "can't be read"),
    };
    Error::new(code, format!("{name} {what}."), "Check the file's name and its permissions.")
}

#[cfg(test)]
mod tests;

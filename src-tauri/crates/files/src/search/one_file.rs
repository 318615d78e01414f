//! Searching one file: what can't be opened or is binary has no hits.

use std::io::{self, Read};

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use tokio_util::sync::CancellationToken;

use super::{FileSearch, SearchHit, SearchQuery};
use crate::project::ProjectPath;
use arki_edit::EDIT_LIMIT_BYTES;

/// A longer line is cut, in bytes.
const LINE_SHOWN: usize = 500;
/// The bytes shown before a match that lies behind the cut.
const BEFORE_MATCH: usize = 100;
/// A file with a longer line is not text that anyone reads, in bytes.
const HEAP_LIMIT: usize = 16 * 1024 * 1024;

pub(super) fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::quit(0))
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(HEAP_LIMIT))
        .build()
}

impl FileSearch<'_> {
    /// The hits of a file; nothing if it is another name of a secret one.
    pub(super) fn hits(&self, path: &ProjectPath, searcher: &mut Searcher) -> Option<Vec<SearchHit>> {
        let Ok((inner, metadata)) = self.project.open_walked(path) else { return Some(Vec::new()) };
        if self.linked.has(&metadata) {
            return None;
        }
        let mut sink = Hits::new(path, &self.exact, self.query);
        let result = searcher.search_reader(&self.exact, Stoppable { inner, cancel: self.cancel }, &mut sink);
        if result.is_err() || sink.is_binary {
            return Some(Vec::new());
        }
        Some(match sink.hits {
            none if none.is_empty() => none,
            hits => self.as_shown(path, searcher, hits),
        })
    }

    /// The hits in what is shown of a file that has some.
    fn as_shown(&self, path: &ProjectPath, searcher: &mut Searcher, hits: Vec<SearchHit>) -> Vec<SearchHit> {
        let Ok(Some(file)) = self.project.read_if_present(path, EDIT_LIMIT_BYTES) else {
            // Too large to be looked through as a whole: line by line.
            let is_plain = |hit: &SearchHit| self.redactor.redact_in_lines(&hit.text).is_none();
            return hits.into_iter().filter(is_plain).collect();
        };
        let Some(shown) = self.redactor.redact_in_lines(&String::from_utf8_lossy(&file.bytes)) else { return hits };
        let mut sink = Hits::new(path, &self.shown, self.query);
        match searcher.search_slice(&self.shown, shown.as_bytes(), &mut sink) {
            Ok(()) => sink.hits,
            Err(_) => Vec::new(),
        }
    }
}

struct Hits<'a> {
    path: &'a ProjectPath,
    matcher: &'a RegexMatcher,
    hits: Vec<SearchHit>,
    matches: usize,
    bytes: usize,
    is_binary: bool,
    query: &'a SearchQuery,
}

impl<'a> Hits<'a> {
    fn new(path: &'a ProjectPath, matcher: &'a RegexMatcher, query: &'a SearchQuery) -> Self {
        Self { path, matcher, hits: Vec::new(), matches: 0, bytes: 0, is_binary: false, query }
    }

    /// False when there is more than can be returned, also if this were the only file.
    fn push(&mut self, line: Option<u64>, bytes: &[u8], is_match: bool) -> bool {
        let text = self.shown(bytes, is_match);
        self.bytes += text.len();
        self.matches += usize::from(is_match);
        self.hits.push(SearchHit { path: self.path.to_string(), line: line.unwrap_or(0), text, is_match });
        self.matches <= self.query.max_results && self.bytes <= self.query.max_bytes
    }

    fn shown(&self, line: &[u8], is_match: bool) -> String {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() <= LINE_SHOWN {
            return String::from_utf8_lossy(line).into_owned();
        }
        let found = if is_match { self.matcher.find(line).ok().flatten() } else { None };
        let start = match found {
            Some(found) if found.end() > LINE_SHOWN => {
                character_start(line, found.start().saturating_sub(BEFORE_MATCH))
            }
            _ => 0,
        };
        let end = character_start(line, (start + LINE_SHOWN).min(line.len()));
        let (before, after) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
        format!("{before}{}{after}", String::from_utf8_lossy(&line[start..end]))
    }
}

/// The nearest beginning of a UTF-8 character at or before `at`.
fn character_start(line: &[u8], at: usize) -> usize {
    (0..=at).rev().take(4).find(|at| line.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(at)
}

impl Sink for Hits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.push(found.line_number(), found.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.push(found.line_number(), found.bytes(), false))
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }
}

/// Ends a search in the middle of a large file.
struct Stoppable<'a, R> {
    inner: R,
    cancel: &'a CancellationToken,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.inner.read(buffer)
    }
}

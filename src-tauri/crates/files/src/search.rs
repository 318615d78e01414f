//! Searching file contents with ripgrep's own libraries.
//!
//! The walk is sorted and runs on one thread; the files are searched by several, while it goes on, and their results
//! are taken in walk order. So the answer is always the same one, and the search stops soon after it has enough.
//!
//! What is a secret in a file is not found by what it says: only what matches the file as it is shown is a hit, so that
//! nobody learns a secret by guessing at it piece by piece.

mod chunks;
mod one_file;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arki_redaction::Redactor;
use globset::GlobSet;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::error::{Result, SearchError};
use crate::other_names::LinkedSecrets;
use crate::project::Project;
use crate::walk::{Ignored, PathGlob, Skipped};
use chunks::{Chunk, Chunks, Searched, in_order};

/// More threads don't help: the kernel's file look-ups are what takes the time.
const MAX_THREADS: usize = 4;
/// Lines of context are cheap to ask for by mistake.
const MAX_CONTEXT: usize = 20;

#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// A regular expression in ripgrep's dialect.
    pub pattern: String,
    /// The same pattern for texts with placeholders in the place of their secrets.
    pub shown_pattern: String,
    /// Only files whose path relative to the project matches; without a `/` it is matched against the name.
    pub glob: Option<String>,
    pub case_sensitive: bool,
    /// Also searches what git ignores.
    pub include_ignored: bool,
    /// Lines before and after each match, at most 20.
    pub context: usize,
    /// Matching lines returned.
    pub max_results: usize,
    /// Bytes of text returned.
    pub max_bytes: usize,
    /// The user's own secret files.
    pub secrets: GlobSet,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    pub path: String,
    /// Counted from 1.
    pub line: u64,
    /// The text without its line ending; a long line is cut around the match.
    pub text: String,
    /// False for a line of context.
    pub is_match: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchOutcome {
    /// The hits by path, then line.
    pub hits: Vec<SearchHit>,
    /// Matching lines in `hits`.
    pub matches: usize,
    pub files_searched: usize,
    /// There is more than was returned.
    pub truncated: bool,
    pub secrets: Skipped,
    /// The ignored files that match the glob, and the ignored folders that may hold some.
    pub ignored: Skipped,
}

/// Blocking; run it off the async threads.
pub fn search(
    project: &Project,
    query: &SearchQuery,
    redactor: &Redactor,
    cancel: &CancellationToken,
) -> Result<SearchOutcome> {
    let (exact, shown) = (matcher(query, &query.pattern)?, matcher(query, &query.shown_pattern)?);
    let linked = LinkedSecrets::new(project, &query.secrets);
    // Ends what others still search when there is enough.
    let stop = cancel.child_token();
    let files = FileSearch { project, query, exact, shown, redactor, linked, cancel: &stop };
    let glob = query.glob.as_deref().map(|glob| PathGlob::new(project, glob)).transpose()?;
    let ignored = if query.include_ignored { Ignored::Entered } else { Ignored::Told };
    // Wherever they are: then what is asked for is among what is searched already.
    let matches = AtomicUsize::new(0);
    let chunks = Chunks::new(project, glob.as_ref(), &query.secrets, ignored)
        .take_while(|_| matches.load(Ordering::Relaxed) <= query.max_results && !cancel.is_cancelled());
    let search = |chunk: Chunk| {
        let mut searcher = one_file::searcher(query.context.min(MAX_CONTEXT));
        let searched = chunk.search(|path| files.hits(path, &mut searcher));
        matches.fetch_add(searched.matches(), Ordering::Relaxed);
        searched
    };
    let mut outcome = SearchOutcome::default();
    let helpers = thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS)) - 1;
    in_order(chunks, helpers, &search, |searched| {
        outcome.take(searched, query);
        let goes_on = !outcome.truncated && !cancel.is_cancelled();
        if !goes_on {
            stop.cancel();
        }
        goes_on
    });
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled.into());
    }
    Ok(outcome)
}

impl SearchOutcome {
    fn take(&mut self, searched: Searched, query: &SearchQuery) {
        self.secrets.append(searched.secrets);
        self.ignored.append(searched.ignored);
        for hits in searched.hits {
            self.files_searched += 1;
            self.add(hits, query);
        }
    }

    fn add(&mut self, hits: Vec<SearchHit>, query: &SearchQuery) {
        let mut bytes: usize = self.hits.iter().map(|hit| hit.text.len() + hit.path.len()).sum();
        for hit in hits {
            bytes += hit.text.len() + hit.path.len();
            let is_one_too_many = hit.is_match && self.matches == query.max_results;
            if self.truncated || is_one_too_many || bytes > query.max_bytes {
                self.truncated = true;
                return;
            }
            self.matches += usize::from(hit.is_match);
            self.hits.push(hit);
        }
    }
}

/// A search of files one by one, with matchers for files as they are and as they are shown.
struct FileSearch<'a> {
    project: &'a Project,
    query: &'a SearchQuery,
    exact: RegexMatcher,
    shown: RegexMatcher,
    redactor: &'a Redactor,
    linked: LinkedSecrets<'a>,
    cancel: &'a CancellationToken,
}

fn matcher(query: &SearchQuery, pattern: &str) -> Result<RegexMatcher> {
    RegexMatcherBuilder::new()
        .case_insensitive(!query.case_sensitive)
        .multi_line(true)
        .crlf(true)
        .build(pattern)
        .map_err(|error| bad_pattern(&query.shown_pattern, &error.to_string()))
}

/// The regex crate draws the pattern over several lines; its last line says what is wrong.
fn bad_pattern(pattern: &str, error: &str) -> crate::error::FilesError {
    let problem = error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(error);
    let problem = problem.trim().trim_start_matches("error: ").trim_end_matches('.').to_owned();
    SearchError::BadPattern { pattern: pattern.to_owned(), problem }.into()
}

#[cfg(test)]
mod tests;

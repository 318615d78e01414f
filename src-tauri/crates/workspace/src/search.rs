//! Searching file contents with ripgrep's own libraries.
//!
//! The walk is sorted and runs on one thread; files are searched in batches on several, and a batch's
//! results are taken in walk order. So the answer is always the same one, and the search stops soon after it has enough.

mod one_file;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use globset::GlobSet;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::error::{Result, SearchError};
use crate::listing::EntryKind;
use crate::project::{Project, ProjectPath};
use crate::protection::is_secret;
use crate::walk::{PathGlob, Skipped, walk};

/// Files searched between two looks at whether there is enough.
const BATCH_FILES: usize = 128;
/// More threads don't help: the kernel's file look-ups are what takes the time.
const MAX_THREADS: usize = 4;
/// Lines of context are cheap to ask for by mistake.
const MAX_CONTEXT: usize = 20;

#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// A regular expression in ripgrep's dialect.
    pub pattern: String,
    /// Only files whose path relative to the project matches; without a `/` it is matched against the name.
    pub glob: Option<String>,
    pub case_sensitive: bool,
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
    /// Without its line ending; a long line is cut around the match.
    pub text: String,
    /// False for a line of context.
    pub is_match: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchOutcome {
    /// By path, then line.
    pub hits: Vec<SearchHit>,
    /// Matching lines in `hits`.
    pub matches: usize,
    pub files_searched: usize,
    /// There is more than was returned.
    pub truncated: bool,
    /// The first few secret files that were left out; see `secrets_skipped`.
    pub skipped_secrets: Vec<String>,
    pub secrets_skipped: usize,
}

/// Blocking; run it off the async threads.
pub fn search(project: &Project, query: &SearchQuery, cancel: &CancellationToken) -> Result<SearchOutcome> {
    let matcher = matcher(query)?;
    let glob = query.glob.as_deref().map(PathGlob::new).transpose()?;
    let mut skipped = Skipped::default();
    let mut outcome = SearchOutcome::default();
    let mut files = walk(project, &ProjectPath::root(), None)
        .flatten()
        .filter(|entry| entry.kind == EntryKind::File)
        .filter_map(|entry| ProjectPath::from_walk(entry.path.strip_prefix(project.root()).ok()?))
        .filter(|path| glob.as_ref().is_none_or(|glob| glob.is_match(path)))
        .filter(|path| {
            let is_searched = !is_secret(path, &query.secrets);
            if !is_searched {
                skipped.add(path);
            }
            is_searched
        });
    while !outcome.truncated {
        let batch: Vec<ProjectPath> = files.by_ref().take(BATCH_FILES).take_while(|_| !cancel.is_cancelled()).collect();
        if cancel.is_cancelled() {
            return Err(SearchError::Cancelled.into());
        }
        if batch.is_empty() {
            break;
        }
        for hits in search_batch(project, &batch, &matcher, query, cancel) {
            outcome.files_searched += 1;
            outcome.add(hits, query);
        }
    }
    drop(files);
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled.into());
    }
    Ok(SearchOutcome { skipped_secrets: skipped.names, secrets_skipped: skipped.count, ..outcome })
}

impl SearchOutcome {
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

fn matcher(query: &SearchQuery) -> Result<RegexMatcher> {
    RegexMatcherBuilder::new()
        .case_insensitive(!query.case_sensitive)
        .multi_line(true)
        .crlf(true)
        .build(&query.pattern)
        .map_err(|error| bad_pattern(&query.pattern, &error.to_string()))
}

/// The regex crate draws the pattern over several lines; its last line says what is wrong.
fn bad_pattern(pattern: &str, error: &str) -> crate::error::WorkspaceError {
    let problem = error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(error);
    let problem = problem.trim().trim_start_matches("error: ").trim_end_matches('.').to_owned();
    SearchError::BadPattern { pattern: pattern.to_owned(), problem }.into()
}

/// The hits of each file, in the order of `batch`.
fn search_batch(
    project: &Project,
    batch: &[ProjectPath],
    matcher: &RegexMatcher,
    query: &SearchQuery,
    cancel: &CancellationToken,
) -> Vec<Vec<SearchHit>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut searcher = one_file::searcher(query.context.min(MAX_CONTEXT));
        let mut found = Vec::new();
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = batch.get(position) else { return found };
            found.push((position, one_file::search(project, path, matcher, &mut searcher, query, cancel)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS));
    let mut found = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.min(batch.len())).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for helper in helpers {
            found.extend(helper.join().unwrap_or_default());
        }
        found
    });
    found.sort_by_key(|(position, _)| *position);
    found.into_iter().map(|(_, hits)| hits).collect()
}

#[cfg(test)]
mod tests;

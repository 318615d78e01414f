//! stub
use crate::error::Result;
use crate::project::Project;
use globset::GlobSet;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// A regular expression in ripgrep's dialect.
    pub pattern: String,
    /// Only files whose path relative to the project matches; without a `/` it is matched against the name.
    pub glob: Option<String>,
    pub case_sensitive: bool,
    /// Lines before and after each match.
    pub context: usize,
    pub max_results: usize,
    /// Of text returned.
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
    /// Without its line ending; a long line is cut.
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
    /// There may be more than was returned.
    pub truncated: bool,
    /// The first few secret files that were left out; see `secrets_skipped`.
    pub skipped_secrets: Vec<String>,
    pub secrets_skipped: usize,
}

/// Blocking; run it off the async threads.
pub fn search(_project: &Project, _query: &SearchQuery, _cancel: &CancellationToken) -> Result<SearchOutcome> {
    todo!()
}

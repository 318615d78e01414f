//! Search over everything said, run and changed, the newest first.
//!
//! The index only knows which events hold which words. Ordering by the event's place in the log rather than by
//! relevance lets SQLite stop as soon as the page is full, so that a common word costs no more than a rare one. Project
//! and tool are words of the index too, so that they narrow before anything is read.

pub(crate) mod finding;
pub(crate) mod index;
pub(crate) mod query;
pub(crate) mod searchable;
pub(crate) mod snippet;
pub(crate) mod unspaced_scripts;

use crate::database::row::{event, event_columns_of, lossy_text, signed};
use crate::database::statements::list;
use crate::{SnippetPart, StoreError, StoreReader};
use arki_domain::{Event, SessionId};
use query::{facet_expression, path_expression, project_facet, tool_facet, words_expression};
use rusqlite::params;
use snippet::Snippets;

/// Hits of one search, at most.
pub const MAX_SEARCH_HITS: usize = 200;

/// A search. Without words, a tool or a path nothing is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSearchQuery {
    /// Words, `"phrases"` and `beginnings*`, all of which must be there.
    pub text: String,
    /// Canonical path of the folder.
    pub project: Option<String>,
    /// Milliseconds since 1970, inclusive.
    pub since_ms: Option<i64>,
    /// Exclusive.
    pub until_ms: Option<i64>,
    /// The tool's id: its calls, their results and the approvals it asked for.
    pub tool: Option<String>,
    /// A file's path or its last components: calls, approvals and changes that name it.
    pub path: Option<String>,
    /// The limit for hits, at most [`MAX_SEARCH_HITS`].
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSearchHit {
    pub session_id: SessionId,
    pub seq: u64,
    pub kind: String,
    /// Milliseconds since 1970.
    pub ts: i64,
    /// The session's.
    pub title: String,
    pub project: String,
    pub snippet: Vec<SnippetPart>,
}

struct FoundEvent {
    event: Event,
    title: String,
    project: String,
}

impl EventSearchQuery {
    /// Returns the expression for FTS5; `None` when nothing can be found.
    fn expression(&self) -> Option<String> {
        let words = words_expression(&self.text);
        if words.is_none() && !self.text.trim().is_empty() {
            return None;
        }
        let path = match &self.path {
            Some(path) => Some(path_expression(path)?),
            None => None,
        };
        if words.is_none() && path.is_none() && self.tool.is_none() {
            return None;
        }
        let facets = self.project.as_deref().map(project_facet).into_iter().chain(self.tool.as_deref().map(tool_facet));
        let parts: Vec<String> =
            words.into_iter().chain(path).chain(facets.map(|facet| facet_expression(&facet))).collect();
        Some(parts.join(" AND "))
    }
}

impl StoreReader {
    /// Searches the index, which [`crate::Store::index_for_search`] brings up to date.
    ///
    /// # Errors
    /// When the database cannot be read. No text is an error.
    pub fn search(&self, query: &EventSearchQuery) -> Result<Vec<EventSearchHit>, StoreError> {
        let Some(expression) = query.expression() else { return Ok(Vec::new()) };
        let found = self.find(query, &expression)?;
        let snippets = Snippets::of(found.iter().map(|found| &found.event), words_expression(&query.text).as_deref())?;
        Ok(found.into_iter().zip(snippets.parts).map(|(found, snippet)| found.hit(snippet)).collect())
    }

    fn find(&self, query: &EventSearchQuery, expression: &str) -> Result<Vec<FoundEvent>, StoreError> {
        let columns = event_columns_of("events");
        // The joins are written in the order they are to be made in: the index knows best what to look at.
        let sql = format!(
            "SELECT {columns}, sessions.title, sessions.project FROM search \
             CROSS JOIN events ON events.rowid = search.rowid \
             CROSS JOIN sessions ON sessions.session_id = events.session_id \
             WHERE search MATCH ?1 AND events.ts >= ?2 AND events.ts < ?3 \
             ORDER BY search.rowid DESC LIMIT ?4"
        );
        let since = query.since_ms.unwrap_or(i64::MIN);
        let until = query.until_ms.unwrap_or(i64::MAX);
        let limit = signed(query.limit.min(MAX_SEARCH_HITS) as u64);
        self.read(|connection| {
            list(connection, &sql, params![expression, since, until, limit], |row| {
                let text = |column| row.get_ref(column).map(lossy_text);
                Ok(FoundEvent { event: event(row)?, title: text(9)?, project: text(10)? })
            })
        })
    }
}

impl FoundEvent {
    fn hit(self, snippet: Vec<SnippetPart>) -> EventSearchHit {
        let Self { event, title, project } = self;
        let Event { session_id, seq, ts, kind, .. } = event;
        EventSearchHit { session_id, seq, kind, ts, title, project, snippet }
    }
}

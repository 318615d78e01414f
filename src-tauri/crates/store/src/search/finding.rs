//! Finding in one session as in any document: letter by letter, also in the middle of a word and of a long event.
//!
//! The index of all sessions knows words alone, and of a long event only a part. One session is small enough to be read.

use crate::database::row::{EVENT_COLUMNS, OF_SESSION, event, lossy_text};
use crate::database::statements::find;
use crate::search::searchable::{UNSEARCHABLE, whole_text};
use crate::search::snippet::around;
use crate::{EventSearchHit, LogReader, StoreError};
use arki_domain::SessionId;
use regex::{Regex, RegexBuilder};
use rusqlite::Row;

/// Events that are told of one text, at most.
pub const MAX_FOUND: usize = 1_000;
/// A longer text is looked for by its beginning, in characters.
const MAX_TEXT: usize = 1_000;

impl LogReader<'_> {
    /// Returns the events of a session's own log that hold a text, the newest first: whatever is capital or small, and
    /// with any white space where it has some. Once it is no longer wanted, it ends with what was found so far.
    ///
    /// # Errors
    /// When the database cannot be read. No text is an error.
    pub fn find_in_session(
        self,
        session: &SessionId,
        text: &str,
        limit: usize,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Vec<EventSearchHit>, StoreError> {
        let Some(wanted) = pattern(text) else { return Ok(Vec::new()) };
        let nothing = UNSEARCHABLE.map(|kind| format!("'{kind}'")).join(", ");
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM events WHERE {OF_SESSION} AND type NOT IN ({nothing}) ORDER BY seq DESC"
        );
        self.reader.read(|connection| {
            let titles = "SELECT title, project FROM sessions WHERE session_id = ?1";
            let read = |row: &Row<'_>| Ok((lossy_text(row.get_ref(0)?), lossy_text(row.get_ref(1)?)));
            let of_session = find(connection, titles, [session.as_str()], read)?;
            let Some((title, project)) = of_session else { return Ok(Vec::new()) };
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([session.as_str()])?;
            let mut hits = Vec::new();
            while let Some(row) = rows.next()?.filter(|_| is_wanted()) {
                let event = event(row)?;
                let body = event.body();
                let text = whole_text(&body);
                let Some(found) = wanted.find(&text) else { continue };
                hits.push(EventSearchHit {
                    snippet: around(&text, found.range()),
                    session_id: event.session_id,
                    seq: event.seq,
                    kind: event.kind,
                    ts: event.ts,
                    title: title.clone(),
                    project: project.clone(),
                });
                if hits.len() >= limit.min(MAX_FOUND) {
                    break;
                }
            }
            Ok(hits)
        })
    }
}

/// `None` without a text.
fn pattern(text: &str) -> Option<Regex> {
    let text: String = text.chars().take(MAX_TEXT).collect();
    let words: Vec<String> = text.split_whitespace().map(regex::escape).collect();
    if words.is_empty() {
        return None;
    }
    RegexBuilder::new(&words.join(r"\s+")).case_insensitive(true).build().ok()
}

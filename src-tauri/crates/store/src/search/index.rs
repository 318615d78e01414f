//! Keeps the search index up with the log, whenever somebody is about to search or has time: never while appending.
//!
//! How far it has come is in the table `meta`. The texts are taken out of the events on a thread that reads; the writer
//! only stores them, a bounded number at a time, and only if nobody else was faster and no event was removed since.

use crate::database::row::{EVENT_COLUMNS, event};
use crate::database::statements::get;
use crate::search::query::{project_facet, tool_facet};
use crate::search::searchable::{is_searchable, searchable};
use crate::search::unspaced_scripts::set_apart;
use crate::writer::write::Durability;
use crate::{StoreError, StoreUpkeep, settings};
use rusqlite::{Connection, params};

/// Events of one transaction of indexing, at most.
pub const INDEX_BATCH_EVENTS: usize = 1000;
/// A batch ends when its texts are together longer than this, in bytes: others wait for it as long as it takes.
const INDEX_BATCH_BYTES: usize = 256 << 10;
/// Pages that are written to join what many small fills have left, at most: a few milliseconds.
const MERGED_PAGES: i64 = 16;

const INDEXED_TO: &str = "search.indexedTo";
/// The form in which the texts are indexed. An index in another form is rebuilt.
const FORM: &str = "search.form";
const CURRENT_FORM: &str = "2";

impl StoreUpkeep<'_> {
    /// Makes everything found that is in the log by now. Quick when nothing was appended since it was last called.
    ///
    /// # Errors
    /// When the database cannot be read or written; what was indexed until then stays.
    pub async fn index_for_search(self) -> Result<(), StoreError> {
        if !self.store.read(|reader| reader.read(has_current_form)).await? {
            self.store.write(Durability::Normal, begin_anew).await?;
        }
        let mut has_grown = false;
        loop {
            let batch = self.store.read(|reader| reader.read(Batch::read)).await?;
            if batch.place.indexed_to == batch.to {
                break;
            }
            self.store.write(Durability::Normal, move |transaction| batch.store(transaction)).await?;
            has_grown = true;
        }
        if has_grown {
            self.store.write(Durability::Normal, merge).await?;
        }
        Ok(())
    }
}

/// Each fill leaves a piece of the index with words and a half-empty page of its own. SQLite joins such pieces only in
/// proportion to what is added, so that after the last fill there are always some.
fn merge(transaction: &Connection) -> Result<(), StoreError> {
    transaction.execute("INSERT INTO search (search, rank) VALUES ('merge', ?1)", [MERGED_PAGES])?;
    Ok(())
}

/// The progress of the index, and the log it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IndexPosition {
    indexed_to: i64,
    last_cut: i64,
}

impl IndexPosition {
    fn read(connection: &Connection) -> Result<Self, StoreError> {
        let indexed_to = settings::meta(connection, INDEXED_TO)?;
        let last_cut = get(connection, "SELECT ifnull(max(cut), 0) FROM log_cuts", [], |row| row.get(0))?;
        Ok(Self { indexed_to: indexed_to.and_then(|row| row.parse().ok()).unwrap_or(0), last_cut })
    }
}

struct Batch {
    /// The place before the batch.
    place: IndexPosition,
    /// The last row it has dealt with.
    to: i64,
    entries: Vec<SearchIndexRow>,
}

struct SearchIndexRow {
    row: i64,
    text: String,
    paths: String,
    facets: String,
}

impl Batch {
    fn read(connection: &Connection) -> Result<Self, StoreError> {
        let snapshot = connection.unchecked_transaction()?;
        let place = IndexPosition::read(&snapshot)?;
        let mut batch = Self { place, to: place.indexed_to, entries: Vec::new() };
        let sql = format!(
            "SELECT {EVENT_COLUMNS}, rowid, (SELECT project FROM sessions WHERE session_id = events.session_id) \
             FROM events WHERE rowid > ?1 ORDER BY rowid LIMIT ?2"
        );
        let mut statement = snapshot.prepare_cached(&sql)?;
        let mut rows = statement.query(params![place.indexed_to, INDEX_BATCH_EVENTS as i64])?;
        let mut bytes = 0;
        while bytes < INDEX_BATCH_BYTES
            && let Some(row) = rows.next()?
        {
            batch.to = row.get(9)?;
            let project: Option<String> = row.get(10)?;
            let entry = SearchIndexRow::of(batch.to, &event(row)?, project.as_deref().unwrap_or_default());
            bytes += entry.as_ref().map_or(0, |entry| entry.text.len() + entry.paths.len());
            batch.entries.extend(entry);
        }
        Ok(batch)
    }

    fn store(&self, transaction: &Connection) -> Result<(), StoreError> {
        if IndexPosition::read(transaction)? != self.place {
            return Ok(());
        }
        // An event in the middle of the log may have been removed since it was read.
        let mut insert = transaction.prepare_cached(
            "INSERT INTO search (rowid, text, path, facets) SELECT ?1, ?2, ?3, ?4 \
             WHERE EXISTS (SELECT 1 FROM events WHERE rowid = ?1)",
        )?;
        for SearchIndexRow { row, text, paths, facets } in &self.entries {
            insert.execute(params![row, text, paths, facets])?;
        }
        settings::set_meta(transaction, INDEXED_TO, &self.to.to_string())
    }
}

impl SearchIndexRow {
    fn of(row: i64, event: &arki_domain::Event, project: &str) -> Option<Self> {
        if !is_searchable(event) {
            return None;
        }
        let body = event.body();
        let found = searchable(&body)?;
        let tool = found.tool.map(tool_facet).unwrap_or_default();
        let facets = format!("{} {tool}", project_facet(project));
        let (text, paths) = (set_apart(&found.text).into_owned(), set_apart(&found.paths).into_owned());
        Some(Self { row, text, paths, facets })
    }
}

fn has_current_form(connection: &Connection) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM meta WHERE key = ?1 AND value = ?2")?;
    Ok(statement.exists([FORM, CURRENT_FORM])?)
}

fn begin_anew(transaction: &Connection) -> Result<(), StoreError> {
    // Another process may have been faster.
    if has_current_form(transaction)? {
        return Ok(());
    }
    transaction.execute("INSERT INTO search (search) VALUES ('delete-all')", [])?;
    settings::set_meta(transaction, INDEXED_TO, "0")?;
    settings::set_meta(transaction, FORM, CURRENT_FORM)
}

/// Moves the index back within the transaction that removes events: the events that take the place of the last ones are
/// still to be indexed.
pub(crate) fn go_back_to(transaction: &Connection, last_row: i64) -> Result<(), StoreError> {
    if IndexPosition::read(transaction)?.indexed_to > last_row {
        settings::set_meta(transaction, INDEXED_TO, &last_row.to_string())?;
    }
    Ok(())
}

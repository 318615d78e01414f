//! A place in the order in which all events were committed. It holds across restarts, and in its own database alone: a
//! client that was away goes on from where it was.

use crate::read::tail::{LAST_ROW, MAX_TAIL_PAGE, TailPage, after_cuts};
use crate::writer::write::Durability;
use crate::{CommitFeed, StoreError, StoreReader, settings};
use arki_domain::Event;
use rusqlite::Connection;
use std::fmt;
use std::str::FromStr;

/// Names the database, so that a cursor of another one is known. A salvaged database gets another name: its rows have
/// other numbers.
const DATABASE_ID: &str = "database_id";

/// Written as `DATABASE.CUT.ROW`; nothing in it means anything to anybody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogCursor {
    database: String,
    /// The last removal from the end of the log that is known of.
    cut: i64,
    row: i64,
}

/// A piece of the whole log.
#[derive(Debug)]
pub struct LogPage {
    /// The events in the order in which they were committed.
    pub events: Vec<Event>,
    /// The cursor to continue from.
    pub next: LogCursor,
    pub has_more: bool,
}

impl fmt::Display for LogCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.database, self.cut, self.row)
    }
}

impl FromStr for LogCursor {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let mut parts = text.split('.');
        let cursor = match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(database), Some(cut), Some(row), None) => cut
                .parse()
                .ok()
                .zip(row.parse().ok())
                .map(|(cut, row)| Self { database: database.to_owned(), cut, row }),
            _ => None,
        };
        cursor.filter(|cursor| cursor.cut >= 0 && cursor.row >= 0).ok_or(StoreError::CursorUnknown)
    }
}

impl CommitFeed<'_> {
    /// Returns where the log begins; everything comes after it.
    pub async fn begin(self) -> Result<LogCursor, StoreError> {
        let database = self.database_id().await?;
        self.store
            .read(|reader| reader.read(|connection| Ok(after_cuts(connection, 0, 0)?.0)))
            .await
            .map(|cut| LogCursor { database, cut, row: 0 })
    }

    /// Returns where the log ends now.
    pub async fn end(self) -> Result<LogCursor, StoreError> {
        let database = self.database_id().await?;
        let end = self.store.read(|reader| {
            reader.read(|connection| {
                let snapshot = connection.unchecked_transaction()?;
                let (cut, _) = after_cuts(&snapshot, 0, 0)?;
                Ok((cut, last_row(&snapshot)?))
            })
        });
        end.await.map(|(cut, row)| LogCursor { database, cut, row })
    }

    /// The events that were committed after a cursor, by whichever process: at most `limit`, and no more than fill a page.
    ///
    /// # Errors
    /// `CursorUnknown` for a cursor that this database has not given out, or when it cannot be read.
    pub async fn after(self, cursor: LogCursor, limit: usize) -> Result<LogPage, StoreError> {
        if cursor.database != self.database_id().await? {
            return Err(StoreError::CursorUnknown);
        }
        self.store.read(move |reader| page_after(reader, cursor, limit)).await
    }

    /// Made when it is first asked for.
    async fn database_id(self) -> Result<String, StoreError> {
        if let Some(known) = self.store.read(|reader| reader.meta(DATABASE_ID)).await? {
            return Ok(known);
        }
        self.store
            .write(Durability::Full, |transaction| {
                let made: String = transaction.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?;
                settings::meta_or_set(transaction, DATABASE_ID, &made)
            })
            .await
    }
}

fn page_after(reader: &StoreReader, cursor: LogCursor, limit: usize) -> Result<LogPage, StoreError> {
    reader.read(|connection| {
        let snapshot = connection.unchecked_transaction()?;
        let (cut, row) = after_cuts(&snapshot, cursor.cut, cursor.row)?;
        // As after a backup of before was put in the place of the database.
        if row > last_row(&snapshot)? || cut < cursor.cut {
            return Err(StoreError::CursorUnknown);
        }
        let page = TailPage::read(&snapshot, row, limit.clamp(1, MAX_TAIL_PAGE))?;
        let next = LogCursor { cut, row: page.last_row, ..cursor };
        Ok(LogPage { events: page.events, next, has_more: page.is_full })
    })
}

fn last_row(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row(LAST_ROW, [], |row| row.get(0))?)
}

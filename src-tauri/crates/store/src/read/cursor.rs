//! A place in the order in which all events were committed. It holds across restarts, and in its own database alone: a
//! client that was away goes on from where it was.

use crate::read::tail::{MAX_TAIL_PAGE, TailPage, after_cuts, last_row};
use crate::writer::write::Durability;
use crate::{CommitFeed, StoreError, StoreReader, settings};
use arki_domain::{Event, SessionId};
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
    /// The rows of the events, one for each.
    pub rows: Vec<i64>,
    /// The cursor to continue from.
    pub next: LogCursor,
    pub has_more: bool,
}

impl LogCursor {
    /// The place right behind an event of the page that ends here, by the event's row.
    #[must_use]
    pub fn at_row(&self, row: i64) -> Self {
        Self { row, ..self.clone() }
    }

    /// The row after which the cursor goes on, and the end of the log as a cursor.
    pub(super) fn range(&self, connection: &Connection) -> Result<(i64, Self), StoreError> {
        let (cut, row) = after_cuts(connection, self.cut, self.row)?;
        let last = last_row(connection)?;
        // As after a backup of before was put in the place of the database.
        if row > last || cut < self.cut {
            return Err(StoreError::CursorUnknown);
        }
        Ok((row, Self { cut, row: last, ..self.clone() }))
    }
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
        self.ensure_known(&cursor).await?;
        self.store.read(move |reader| page_after(reader, &cursor, limit)).await
    }

    /// The events of one session with numbers above `after_seq`, with their places among those of all sessions.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn of_session(self, session: SessionId, after_seq: u64, limit: usize) -> Result<LogPage, StoreError> {
        let begin = self.begin().await?;
        self.store
            .read(move |reader| {
                reader.read(|connection| {
                    let limit = limit.clamp(1, MAX_TAIL_PAGE);
                    let page = TailPage::of_session(connection, &session, after_seq, limit)?;
                    let next = begin.at_row(page.last_row);
                    Ok(LogPage { events: page.events, rows: page.rows, next, has_more: page.is_full })
                })
            })
            .await
    }

    /// A cursor of another database is refused.
    pub(super) async fn ensure_known(self, cursor: &LogCursor) -> Result<(), StoreError> {
        match cursor.database == self.database_id().await? {
            true => Ok(()),
            false => Err(StoreError::CursorUnknown),
        }
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

fn page_after(reader: &StoreReader, cursor: &LogCursor, limit: usize) -> Result<LogPage, StoreError> {
    reader.read(|connection| {
        let snapshot = connection.unchecked_transaction()?;
        let (row, end) = cursor.range(&snapshot)?;
        let page = TailPage::read(&snapshot, row, limit.clamp(1, MAX_TAIL_PAGE))?;
        let next = end.at_row(page.last_row);
        Ok(LogPage { events: page.events, rows: page.rows, next, has_more: page.is_full })
    })
}

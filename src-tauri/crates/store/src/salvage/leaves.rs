//! Rows of a database file to which SQLite no longer finds the way, still read by SQLite.
//!
//! Every page that holds a table's rows says so in its first byte. The first page of a copy is replaced with that of a
//! small database whose tables begin at one such page after the other, so that each is read as a whole table. What is
//! found may be a row that was removed long ago, or one of another table: whoever asks must prove what it is.

use crate::StoreError;
use rusqlite::Connection;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The tables that are looked for, without types, so that nothing is converted.
const LAYOUT: &str = "CREATE TABLE events (event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash); \
                      CREATE TABLE blobs (hash, size, kept_at, content);";
/// SQLite's default; Arki sets no other.
const PAGE_BYTES: usize = 4096;
const TABLE_LEAF: u8 = 0x0d;
/// The position of the number of pages in the header:
/// <https://www.sqlite.org/fileformat2.html#in_header_database_size>. With a 0 there, SQLite goes by the length of the
/// file.
pub(super) const PAGE_COUNT: std::ops::Range<usize> = 28..32;

/// A file of pages, some of which are no longer part of any table.
pub(super) struct Leaves {
    path: PathBuf,
    file: File,
}

impl Leaves {
    /// Opens a copy that nobody else uses, and changes its first page. Its log must be in it already.
    pub(super) fn open(copy: &Path) -> Result<Self, StoreError> {
        let layout = tempfile::NamedTempFile::new()?;
        let connection = Connection::open(layout.path())?;
        connection.pragma_update(None, "page_size", PAGE_BYTES as i64)?;
        connection.execute_batch(LAYOUT)?;
        drop(connection);
        let mut first_page = [0; PAGE_BYTES];
        File::open(layout.path())?.read_exact(&mut first_page)?;
        first_page[PAGE_COUNT].fill(0);
        let mut file = File::options().read(true).write(true).open(copy)?;
        file.write_all(&first_page)?;
        Ok(Self { path: copy.to_owned(), file })
    }

    /// Gives every page with rows to `read`, as each of the tables.
    pub(super) fn each(
        &mut self,
        mut read: impl FnMut(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let connection = Connection::open(&self.path)?;
        // The first lets tables begin beyond the end of the file.
        connection.execute_batch(
            "PRAGMA writable_schema = ON; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
             PRAGMA locking_mode = EXCLUSIVE",
        )?;
        let mut kind = [0];
        for number in 2..=self.file.metadata()?.len() / PAGE_BYTES as u64 {
            self.file.seek(SeekFrom::Start((number - 1) * PAGE_BYTES as u64))?;
            self.file.read_exact(&mut kind)?;
            if kind == [TABLE_LEAF] {
                connection.execute_batch(&format!(
                    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = {number}; PRAGMA writable_schema = RESET"
                ))?;
                read(&connection)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(path: &Path) -> Vec<(i64, String, Vec<u8>)> {
        let mut found = Vec::new();
        let read = |connection: &Connection| {
            let mut statement = connection.prepare("SELECT rowid, hash, content FROM blobs")?;
            let mut rows = statement.query([])?;
            while let Ok(Some(row)) = rows.next() {
                found.extend(row.get(0).and_then(|rowid| Ok((rowid, row.get(1)?, row.get(2)?))));
            }
            Ok(())
        };
        Leaves::open(path).unwrap().each(read).unwrap();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn every_row_is_found_where_no_table_leads_to_it(
            contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20_000), 1..30),
        ) {
            let file = tempfile::NamedTempFile::new().unwrap();
            let connection = Connection::open(file.path()).unwrap();
            connection.execute_batch("CREATE TABLE t (hash, size, kept_at, content)").unwrap();
            for content in &contents {
                connection.execute("INSERT INTO t VALUES ('h', 1, 2, ?1)", [content]).unwrap();
            }
            drop(connection);
            let mut found = rows(file.path());
            found.sort_by_key(|(rowid, ..)| *rowid);
            let expected = (1..).zip(contents).map(|(rowid, content)| (rowid, "h".to_owned(), content));
            prop_assert!(found.into_iter().eq(expected));
        }

        #[test]
        fn no_bytes_are_too_strange_to_be_looked_at(mut bytes in prop::collection::vec(any::<u8>(), 0..20_000)) {
            for page in bytes.chunks_mut(PAGE_BYTES) {
                page[0] = TABLE_LEAF;
            }
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            rows(file.path());
        }
    }
}

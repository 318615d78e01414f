//! An index's state: how far it has come, and what it leaves out, in words.

use crate::error::Result;
use arki_domain::plural;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// A file in the index, by what was made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    Text = 0,
    TooLarge = 1,
    Binary = 2,
    Generated = 3,
}

/// The findings of one update.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IndexState {
    /// Files that are still to be read.
    pub(crate) pending: u64,
    pub(crate) secrets: u64,
    /// Files beyond the limit for all texts together.
    pub(crate) over_limit: u64,
    /// There are more files than the limit.
    pub(crate) is_cut: bool,
}

impl IndexState {
    pub(crate) fn write(self, connection: &Connection) -> Result<()> {
        let mut put = connection.prepare_cached("INSERT OR REPLACE INTO state (name, value) VALUES (?1, ?2)")?;
        let values = [
            ("pending", self.pending),
            ("secrets", self.secrets),
            ("over_limit", self.over_limit),
            ("is_cut", u64::from(self.is_cut)),
        ];
        for (name, value) in values {
            put.execute((name, value as i64))?;
        }
        Ok(())
    }

    pub(crate) fn read(connection: &Connection) -> Result<Self> {
        let mut all = connection.prepare("SELECT name, value FROM state")?;
        let rows = all.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
        let values: BTreeMap<String, u64> = rows.collect::<rusqlite::Result<_>>()?;
        let value = |name: &str| values.get(name).copied().unwrap_or(0);
        Ok(Self {
            pending: value("pending"),
            secrets: value("secrets"),
            over_limit: value("over_limit"),
            is_cut: value("is_cut") > 0,
        })
    }

    /// Sentences about what can't be found in the index.
    pub(crate) fn notes(self, connection: &Connection) -> Result<Vec<String>> {
        let mut counting = connection.prepare("SELECT kind, count(*) FROM files GROUP BY kind")?;
        let rows = counting.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
        let counts: BTreeMap<i64, u64> = rows.collect::<rusqlite::Result<_>>()?;
        let count = |kind: FileKind| counts.get(&(kind as i64)).copied().unwrap_or(0);
        let mut notes = Vec::new();
        if self.pending > 0 {
            let (done, left) = (plural(count(FileKind::Text), "file"), self.pending);
            notes.push(format!(
                "The index isn't complete yet: {done} so far, {left} to go. Ask again in a moment, or use search_files."
            ));
        }
        let left_out = [
            (count(FileKind::TooLarge), "over 1 MiB"),
            (count(FileKind::Binary), "binary"),
            (count(FileKind::Generated), "generated"),
            (self.secrets, "secret or denied"),
            (self.over_limit, "over the limit for all text"),
        ];
        let left_out: Vec<String> =
            left_out.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}")).collect();
        if !left_out.is_empty() {
            notes.push(format!("Files not in the index: {}.", left_out.join(", ")));
        }
        if self.is_cut {
            notes.push("The folder has more files than an index holds; the last ones aren't in it.".to_owned());
        }
        Ok(notes)
    }
}

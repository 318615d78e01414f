//! Rows read straight from the pages of a database file, where SQLite no longer finds the way to them.
//!
//! Every page of a table that holds rows says so in its first byte and lists where its rows are; nothing else is asked
//! of the file. So what is found may be a row that was removed long ago, or no row at all: it is for whoever asks to
//! prove what it is. The format: <https://www.sqlite.org/fileformat2.html>.

use crate::{MAX_BLOB_BYTES, StoreError};
use rusqlite::types::Value;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// A longer row is none of Arki's.
const MAX_ROW_BYTES: usize = MAX_BLOB_BYTES + (1 << 20);
const USUAL_PAGE_BYTES: usize = 4096;
const FILE_HEADER_BYTES: usize = 100;
const PAGE_HEADER_BYTES: usize = 8;
const TABLE_LEAF: u8 = 0x0d;

pub(super) struct Pages {
    file: File,
    page_bytes: usize,
    count: u32,
}

/// The kind of a value in a row's column, and its length in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Integer,
    Real,
    Text(usize),
    Blob(usize),
}

impl Pages {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let mut file = File::open(path)?;
        let mut start = Vec::new();
        file.by_ref().take(FILE_HEADER_BYTES as u64).read_to_end(&mut start)?;
        let page_bytes = match start.get(16..18).map(|bytes| usize::from(u16::from_be_bytes([bytes[0], bytes[1]]))) {
            Some(1) => 1 << 16,
            Some(bytes) if bytes.is_power_of_two() && bytes >= 512 => bytes,
            _ => USUAL_PAGE_BYTES,
        };
        let count = u32::try_from(file.metadata()?.len() / page_bytes as u64).unwrap_or(u32::MAX);
        Ok(Self { file, page_bytes, count })
    }

    /// Every row whose columns are `wanted`, with its number.
    pub(super) fn each_row(
        &mut self,
        wanted: impl Fn(&[Kind]) -> bool,
        mut each: impl FnMut(i64, Vec<Value>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for number in 1..=self.count {
            let Some(page) = self.page(number) else { continue };
            let header = if number == 1 { FILE_HEADER_BYTES } else { 0 };
            if page.get(header) != Some(&TABLE_LEAF) {
                continue;
            }
            let rows = u16_at(&page, header + 3).unwrap_or(0);
            for row in 0..usize::from(rows) {
                let at = u16_at(&page, header + PAGE_HEADER_BYTES + 2 * row);
                if let Some((rowid, values)) = at.and_then(|at| self.row(&page, usize::from(at), &wanted)) {
                    each(rowid, values)?;
                }
            }
        }
        Ok(())
    }

    fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        let mut page = vec![0; self.page_bytes];
        self.file.seek(SeekFrom::Start(u64::from(number - 1) * self.page_bytes as u64)).ok()?;
        self.file.read_exact(&mut page).ok()?;
        Some(page)
    }

    fn row(&mut self, page: &[u8], at: usize, wanted: impl Fn(&[Kind]) -> bool) -> Option<(i64, Vec<Value>)> {
        let mut at = at;
        let length = usize::try_from(varint(page, &mut at)?).ok().filter(|length| *length <= MAX_ROW_BYTES)?;
        let rowid = varint(page, &mut at)?.cast_signed();
        let here = self.bytes_on_page(length);
        let mut row = page.get(at..at + here)?.to_owned();
        // The list of columns stands at the beginning, so that other rows are not read on.
        let kinds = codes(&row)?.0.into_iter().map(kind).collect::<Option<Vec<_>>>()?;
        if !wanted(&kinds) {
            return None;
        }
        let mut next = if here < length { u32_at(page, at + here)? } else { 0 };
        while row.len() < length {
            let more = (1..=self.count).contains(&next).then(|| self.page(next)).flatten()?;
            next = u32_at(&more, 0)?;
            let rest = (length - row.len()).min(self.page_bytes - 4);
            row.extend_from_slice(more.get(4..4 + rest)?);
        }
        Some((rowid, values(&row)?))
    }

    /// Returns how much of a row of `length` bytes stands on its page, and not on those that overflow from it.
    fn bytes_on_page(&self, length: usize) -> usize {
        let most = self.page_bytes - 35;
        if length <= most {
            return length;
        }
        let least = (self.page_bytes - 12) * 32 / 255 - 23;
        let whole_pages_over = least + (length - least) % (self.page_bytes - 4);
        if whole_pages_over <= most { whole_pages_over } else { least }
    }
}

/// The codes of a row's columns, and where the first value is.
fn codes(row: &[u8]) -> Option<(Vec<u64>, usize)> {
    let mut at = 0;
    let end = usize::try_from(varint(row, &mut at)?).ok()?;
    let mut codes = Vec::new();
    while at < end {
        codes.push(varint(row, &mut at)?);
    }
    (at == end).then_some((codes, end))
}

/// `None` for what SQLite keeps to itself.
fn kind(code: u64) -> Option<Kind> {
    Some(match code {
        0 => Kind::Null,
        1..=6 | 8 | 9 => Kind::Integer,
        7 => Kind::Real,
        10 | 11 => return None,
        text if text % 2 == 1 => Kind::Text(usize::try_from((text - 13) / 2).ok()?),
        blob => Kind::Blob(usize::try_from((blob - 12) / 2).ok()?),
    })
}

fn values(row: &[u8]) -> Option<Vec<Value>> {
    let (codes, mut at) = codes(row)?;
    let mut values = Vec::with_capacity(codes.len());
    for code in codes {
        let kind = kind(code)?;
        let length = match (kind, code) {
            (Kind::Text(length) | Kind::Blob(length), _) => length,
            (Kind::Integer, 1..=4) => usize::try_from(code).ok()?,
            (Kind::Integer, 5) => 6,
            (Kind::Integer, 6) | (Kind::Real, _) => 8,
            _ => 0,
        };
        let bytes = row.get(at..at.checked_add(length)?)?;
        at += length;
        values.push(match kind {
            Kind::Null => Value::Null,
            Kind::Integer if length == 0 => Value::Integer(i64::from(code == 9)),
            Kind::Integer => Value::Integer(integer(bytes)),
            Kind::Real => Value::Real(f64::from_bits(integer(bytes).cast_unsigned())),
            Kind::Text(_) => Value::Text(String::from_utf8(bytes.to_owned()).ok()?),
            Kind::Blob(_) => Value::Blob(bytes.to_owned()),
        });
    }
    Some(values)
}

/// Big-endian, with a sign.
fn integer(bytes: &[u8]) -> i64 {
    let start = if bytes.first().is_some_and(|byte| *byte >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(start, |number, byte| (number << 8) | i64::from(*byte))
}

/// SQLite's own: seven bits a byte, and all eight of the ninth.
fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number: u64 = 0;
    for place in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if place == 8 {
            return Some((number << 8) | u64::from(byte));
        }
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Integer),
            (-3..3_i64).prop_map(Value::Integer),
            any::<f64>().prop_filter("SQLite has none", |number| !number.is_nan()).prop_map(Value::Real),
            ".{0,40}".prop_filter("SQLite ends it there", |text| !text.contains('\0')).prop_map(Value::Text),
            prop::collection::vec(any::<u8>(), 0..20_000).prop_map(Value::Blob),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn every_row_is_read_as_sqlite_wrote_it(rows in prop::collection::vec((any_value(), any_value()), 1..30)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.db");
            let connection = rusqlite::Connection::open(&path).unwrap();
            // Without a type, so that nothing is converted; three columns, which no table of SQLite's own has.
            connection.execute_batch("CREATE TABLE t (a, b, c)").unwrap();
            for (a, b) in &rows {
                connection.execute("INSERT INTO t VALUES (?1, ?2, NULL)", [a, b]).unwrap();
            }
            drop(connection);
            let mut found = Vec::new();
            let three = |kinds: &[Kind]| kinds.len() == 3;
            Pages::open(&path).unwrap().each_row(three, |rowid, values| { found.push((rowid, values)); Ok(()) }).unwrap();
            found.sort_by_key(|(rowid, _)| *rowid);
            let expected = (1..).zip(rows).map(|(rowid, (a, b))| (rowid, vec![a, b, Value::Null]));
            prop_assert!(found.into_iter().eq(expected));
        }

        #[test]
        fn no_bytes_are_too_strange_to_be_looked_at(mut bytes in prop::collection::vec(any::<u8>(), 0..10_000)) {
            for page in bytes.chunks_mut(USUAL_PAGE_BYTES) {
                page[0] = TABLE_LEAF;
            }
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            Pages::open(file.path()).unwrap().each_row(|_| true, |_, _| Ok(())).unwrap();
        }
    }
}

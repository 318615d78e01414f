//! Contents by their hash, compressed: what is too large, or too often the same, to stand in events.

use crate::database::row;
use crate::database::statements::{change, find};
use crate::{ContentReader, StoreError};
use arki_domain::sha256_hex;
use rusqlite::{Connection, params};
use std::io::Read;
use std::time::Duration;

/// zstd's own default: most of the gain at a fraction of the time.
pub const BLOB_COMPRESSION_LEVEL: i32 = 3;

/// The longest content.
pub const MAX_BLOB_BYTES: usize = 64 << 20;

/// A content that is wanted again is known as such only after this long, to spare it being written each time.
pub(crate) const REFRESH_AFTER: Duration = Duration::from_secs(10 * 60);

const INSERT: &str = "INSERT INTO blobs (hash, size, kept_at, content) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";

/// A content on its way to the table.
pub(crate) struct Blob {
    pub(crate) hash: String,
    content: Vec<u8>,
    size: usize,
}

impl Blob {
    pub(crate) fn pack(bytes: &[u8]) -> Result<Self, StoreError> {
        if bytes.len() > MAX_BLOB_BYTES {
            return Err(StoreError::BlobTooLarge { bytes: bytes.len(), limit: MAX_BLOB_BYTES });
        }
        let content = zstd::bulk::compress(bytes, BLOB_COMPRESSION_LEVEL)?;
        Ok(Self { hash: sha256_hex(bytes), content, size: bytes.len() })
    }

    /// One that was packed before.
    pub(crate) fn packed(hash: String, size: u64, content: Vec<u8>) -> Self {
        Self { hash, content, size: usize::try_from(size).unwrap_or(usize::MAX) }
    }

    /// Stores it unless it is there already.
    pub(crate) fn keep(&self, transaction: &Connection, now_ms: i64) -> Result<(), StoreError> {
        if !refresh(transaction, &self.hash, now_ms)? {
            let size = row::signed(self.size as u64);
            change(transaction, INSERT, params![self.hash, size, now_ms, self.content])?;
        }
        Ok(())
    }

    /// Stores it, or notes at once that it is wanted again: no event speaks of it yet.
    pub(crate) fn keep_anew(&self, transaction: &Connection, now_ms: i64) -> Result<(), StoreError> {
        self.keep(transaction, now_ms)?;
        note_wanted(transaction, &self.hash, now_ms)
    }
}

fn note_wanted(transaction: &Connection, hash: &str, now_ms: i64) -> Result<(), StoreError> {
    let sql = "UPDATE blobs SET kept_at = ?2 WHERE hash = ?1 AND kept_at <> ?2";
    change(transaction, sql, params![hash, now_ms]).map(drop)
}

/// Notes that somebody wants the content kept. `false` when it is not there.
pub(crate) fn refresh(transaction: &Connection, hash: &str, now_ms: i64) -> Result<bool, StoreError> {
    let sql = "SELECT kept_at FROM blobs WHERE hash = ?1";
    let kept_at: Option<i64> = find(transaction, sql, [hash], |row| row.get(0))?;
    // The clock may have been set back: an age is a distance.
    if kept_at.is_some_and(|kept_at| u128::from(now_ms.abs_diff(kept_at)) > REFRESH_AFTER.as_millis()) {
        note_wanted(transaction, hash, now_ms)?;
    }
    Ok(kept_at.is_some())
}

impl ContentReader<'_> {
    /// The content with this SHA-256, checked against it.
    ///
    /// # Errors
    /// `Damaged` when what is stored is not that content any more, or when the database cannot be read.
    pub fn blob(self, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.reader.read(|connection| read(connection, hash))
    }

    /// The size of a content in bytes, without reading it; `None` where it isn't kept.
    pub fn blob_size(self, hash: &str) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT size FROM blobs WHERE hash = ?1";
        self.reader.read(|connection| find(connection, sql, [hash], |row| row.get(0).map(row::unsigned)))
    }
}

/// Reads a content, like [`ContentReader::blob`].
pub(crate) fn read(connection: &Connection, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let sql = "SELECT content FROM blobs WHERE hash = ?1";
    let stored: Option<Vec<u8>> = find(connection, sql, [hash], |row| row.get(0))?;
    let Some(content) = stored else { return Ok(None) };
    let bytes = unpack(&content)
        .filter(|bytes| sha256_hex(bytes) == hash)
        .ok_or_else(|| StoreError::damaged(format!("the content {hash} is not what was stored")))?;
    Ok(Some(bytes))
}

pub(crate) fn unpack(content: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(content).ok()?;
    decoder.take(MAX_BLOB_BYTES as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

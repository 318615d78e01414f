//! Contents by their hash, compressed: what is too large, or too often the same, to stand in events.

use crate::{Reader, StoreError, row};
use arki_domain::sha256_hex;
use rusqlite::{Connection, OptionalExtension, params};

/// zstd's own default: most of the gain at a fraction of the time.
pub const BLOB_COMPRESSION_LEVEL: i32 = 3;

/// A content on its way to the table.
pub(crate) struct Blob {
    pub(crate) hash: String,
    content: Vec<u8>,
    size: usize,
}

impl Blob {
    pub(crate) fn pack(bytes: &[u8]) -> Result<Self, StoreError> {
        let content = zstd::bulk::compress(bytes, BLOB_COMPRESSION_LEVEL)?;
        Ok(Self { hash: sha256_hex(bytes), content, size: bytes.len() })
    }

    pub(crate) fn insert(&self, transaction: &Connection) -> Result<(), StoreError> {
        transaction
            .prepare_cached("INSERT INTO blobs (hash, content, size) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?
            .execute(params![self.hash, self.content, row::signed(self.size as u64)])?;
        Ok(())
    }
}

impl Reader {
    /// The content with this SHA-256, checked against it.
    ///
    /// # Errors
    /// `Damaged` when what is stored is not that content any more, or when the database cannot be read.
    pub fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let stored: Option<(Vec<u8>, i64)> = self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT content, size FROM blobs WHERE hash = ?1")?;
            Ok(statement.query_row([hash], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
        })?;
        let Some((content, size)) = stored else { return Ok(None) };
        let size = usize::try_from(size).map_err(StoreError::damaged)?;
        let damaged = || StoreError::damaged(format!("the content {hash} is not what was stored"));
        let bytes = zstd::bulk::decompress(&content, size).map_err(|_| self.locate(damaged()))?;
        if sha256_hex(&bytes) != hash {
            return Err(self.locate(damaged()));
        }
        Ok(Some(bytes))
    }
}

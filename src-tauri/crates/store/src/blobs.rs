//! Contents by their hash, compressed: what is too large, or too often the same, to stand in events.

use crate::{Reader, StoreError, row};
use arki_domain::sha256_hex;
use rusqlite::{Connection, OptionalExtension, params};
use std::io::Read;

/// zstd's own default: most of the gain at a fraction of the time.
pub const BLOB_COMPRESSION_LEVEL: i32 = 3;

/// The longest content.
pub const MAX_BLOB_BYTES: usize = 64 << 20;

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
        let stored: Option<Vec<u8>> = self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT content FROM blobs WHERE hash = ?1")?;
            Ok(statement.query_row([hash], |row| row.get(0)).optional()?)
        })?;
        let Some(content) = stored else { return Ok(None) };
        let bytes = unpack(&content)
            .filter(|bytes| sha256_hex(bytes) == hash)
            .ok_or_else(|| self.locate(StoreError::damaged(format!("the content {hash} is not what was stored"))))?;
        Ok(Some(bytes))
    }
}

fn unpack(content: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(content).ok()?;
    decoder.take(MAX_BLOB_BYTES as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

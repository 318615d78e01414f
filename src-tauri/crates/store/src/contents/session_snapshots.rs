//! The folded state of a session, so that opening a long one need not fold it from its beginning. What the bytes mean is
//! the caller's; a snapshot that is damaged, or ahead of the log, is none: the log has it all.

use crate::chain::last_seq;
use crate::contents::blobs::{BLOB_COMPRESSION_LEVEL, MAX_BLOB_BYTES, unpack};
use crate::database::row;
use crate::database::statements::{change, find};
use crate::writer::write::Durability;
use crate::{ContentReader, ContentWriter, StoreError};
use arki_domain::SessionId;
use rusqlite::{Connection, Row, params};
use std::io::Write;

/// The longest snapshot, in bytes before compression.
pub const MAX_SNAPSHOT_BYTES: usize = MAX_BLOB_BYTES;

/// An older one never takes the place of a newer one: two processes may fold the same session.
const REPLACE: &str = "INSERT INTO snapshots (session_id, last_seq, state) VALUES (?1, ?2, ?3) \
     ON CONFLICT (session_id) DO UPDATE SET last_seq = ?2, state = ?3 WHERE last_seq <= ?2";
const FIND: &str = "SELECT last_seq, state FROM snapshots WHERE session_id = ?1";

impl ContentWriter<'_> {
    /// Keeps the state as it was after event `last_seq`, in place of an older one. Compresses on the caller's thread.
    ///
    /// # Errors
    /// `BlobTooLarge`, or when the database cannot be written.
    pub async fn put_snapshot(self, session: &SessionId, last_seq: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let (session, state) = (session.clone(), compress(bytes)?);
        let replace = move |transaction: &Connection| {
            change(transaction, REPLACE, params![session.as_str(), row::signed(last_seq), state]).map(drop)
        };
        self.store.write(Durability::Normal, replace).await
    }
}

/// Compresses with a checksum, since nothing else tells whether what comes back is what was stored.
fn compress(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    if bytes.len() > MAX_SNAPSHOT_BYTES {
        return Err(StoreError::BlobTooLarge { bytes: bytes.len(), limit: MAX_SNAPSHOT_BYTES });
    }
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), BLOB_COMPRESSION_LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

impl ContentReader<'_> {
    /// The last event that is folded in, and the state after it.
    pub fn snapshot(self, session: &SessionId) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let stored: Option<(u64, Vec<u8>)> = self.reader.read(|connection| {
            let read = |row: &Row<'_>| Ok((row::unsigned(row.get(0)?), row.get(1)?));
            let found = find(connection, FIND, [session.as_str()], read)?;
            let end = last_seq(connection, session.as_str())?;
            Ok(found.filter(|(last_seq, _)| *last_seq <= end))
        })?;
        Ok(stored.and_then(|(last_seq, state)| Some((last_seq, unpack(&state)?))))
    }
}

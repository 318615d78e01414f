//! Contents that a session wants kept: stored once, on the disk before anything follows from them, and remembered as
//! the session's, so that they are there as long as it is.

pub(crate) mod blobs;
pub(crate) mod garbage;
pub(crate) mod project_snapshots;
pub(crate) mod session_snapshots;

use crate::chain::cross_references::{ContentUse, refer};
use crate::database::statements::find;
use crate::writer::write::Durability;
use crate::{ContentReader, ContentWriter, StoreError, StoreReader};
use arki_domain::{Content, ContentKind, SessionId};
use blobs::{Blob, refresh};
use rusqlite::{Connection, params};
use std::collections::HashSet;

impl ContentWriter<'_> {
    /// Stores what is not there yet and remembers all of it as the session's. On the disk when it returns. It is stored
    /// as it is: a content under its own hash cannot be redacted.
    ///
    /// # Errors
    /// `BlobTooLarge`, `Internal` for a content that is not what its hash says, or when the database cannot be written;
    /// then none of it is kept.
    pub async fn put_contents(self, session: &SessionId, contents: Vec<Content>) -> Result<(), StoreError> {
        if contents.is_empty() {
            return Ok(());
        }
        // Compressing takes longer than everything else together.
        let kept = self.store.read(move |reader| pack(reader, contents)).await?;
        let (session, clock) = (session.clone(), self.store.reader().clock.clone());
        self.store
            .write(Durability::Full, move |transaction| {
                let now_ms = clock.now_ms();
                kept.iter().try_for_each(|content| content.keep(transaction, &session, now_ms))
            })
            .await
    }

    /// Stores the content, once, and answers with its SHA-256. It is stored as it is: a content under its own hash
    /// cannot be redacted.
    pub async fn put_blob(self, bytes: &[u8]) -> Result<String, StoreError> {
        let (blob, clock) = (Blob::pack(bytes)?, self.store.reader().clock.clone());
        self.store
            .write(Durability::Normal, move |transaction| {
                blob.keep_anew(transaction, clock.now_ms())?;
                Ok(blob.hash)
            })
            .await
    }
}

impl ContentReader<'_> {
    /// Returns the hashes whose content is not, or no longer, stored.
    pub fn missing_contents<'a>(self, hashes: &[&'a str]) -> Result<Vec<&'a str>, StoreError> {
        self.reader.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?;
            let mut missing = Vec::new();
            for hash in hashes {
                if !statement.exists([hash])? {
                    missing.push(*hash);
                }
            }
            Ok(missing)
        })
    }
}

/// Also what the session's origins, if it is a fork, keep whole.
const OF_LINE: &str = "WITH RECURSIVE line (id) AS (SELECT ?1 UNION SELECT s.origin FROM sessions s \
     JOIN line ON s.session_id = line.id WHERE s.origin IS NOT NULL) \
     SELECT r.hash FROM blob_refs r JOIN line ON r.session_id = line.id \
     WHERE r.kind = ?2 AND substr(r.hash, 1, length(?3)) = ?3 LIMIT 1";

impl ContentReader<'_> {
    /// Returns what a session keeps whole, such as an artifact or a picture of a message, under a hash that begins so;
    /// nothing that only others keep.
    ///
    /// # Errors
    /// `Damaged` when what is stored is not that content any more, or when the database cannot be read.
    pub fn artifact(self, session: &SessionId, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let hash: Option<String> = self.reader.read(|connection| {
            find(connection, OF_LINE, params![session.as_str(), ContentUse::Whole as i64, id], |row| row.get(0))
        })?;
        hash.map_or(Ok(None), |hash| self.blob(&hash))
    }
}

struct StoredContent {
    content: Content,
    /// `None` where it was there already.
    blob: Option<Blob>,
}

fn pack(reader: &StoreReader, contents: Vec<Content>) -> Result<Vec<StoredContent>, StoreError> {
    let hashes: Vec<&str> = contents.iter().map(|content| content.hash.as_str()).collect();
    let missing: HashSet<String> =
        reader.contents().missing_contents(&hashes)?.into_iter().map(str::to_owned).collect();
    let keep = |content: Content| {
        let blob = missing.contains(&content.hash).then(|| pack_one(&content)).transpose()?;
        Ok(StoredContent { content, blob })
    };
    contents.into_iter().map(keep).collect()
}

fn pack_one(content: &Content) -> Result<Blob, StoreError> {
    let blob = Blob::pack(&content.bytes)?;
    if blob.hash == content.hash {
        return Ok(blob);
    }
    Err(StoreError::internal(format!("a content has the hash {}, not {}", blob.hash, content.hash)))
}

impl StoredContent {
    fn keep(&self, transaction: &Connection, session: &SessionId, now_ms: i64) -> Result<(), StoreError> {
        let content_use = match self.content.kind {
            ContentKind::Plain => ContentUse::Image,
            ContentKind::Manifest => ContentUse::Manifest,
        };
        refer(transaction, session, &self.content.hash, content_use)?;
        match &self.blob {
            Some(blob) => blob.keep(transaction, now_ms),
            None if refresh(transaction, &self.content.hash, now_ms)? => Ok(()),
            // It was there a moment ago, and has been cleared away since.
            None => pack_one(&self.content)?.keep(transaction, now_ms),
        }
    }
}

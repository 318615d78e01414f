//! The last snapshot of each project's files: one a project, replaced as it changes. It is a content like others, spoken
//! of by the project instead of a session, so that the images it lists are kept as long as it is the last.

use crate::chain::cross_references::{ContentUse, refer};
use crate::contents::blobs::Blob;
use crate::database::statements::{change, find};
use crate::writer::write::Durability;
use crate::{ContentReader, ContentWriter, StoreError};
use arki_domain::SessionId;
use rusqlite::Connection;

impl ContentWriter<'_> {
    /// Takes the place of the project's last snapshot. `project`: canonical path.
    ///
    /// # Errors
    /// `BlobTooLarge`, or when the database cannot be written.
    pub async fn put_project_snapshot(self, project: &str, snapshot: Vec<u8>) -> Result<(), StoreError> {
        let blob = self.store.read(move |_| Blob::pack(&snapshot)).await?;
        let (owner, clock) = (owner(project), self.store.reader().clock.clone());
        self.store
            .write(Durability::Normal, move |transaction| {
                if let Some(last) = last_hash(transaction, &owner)?
                    && last != blob.hash
                {
                    forget(transaction, &owner, &last)?;
                }
                blob.keep(transaction, clock.now_ms())?;
                refer(transaction, &owner, &blob.hash, ContentUse::Manifest)
            })
            .await
    }
}

impl ContentReader<'_> {
    /// The project's last snapshot, in the bytes it was put with; a damaged one is none.
    pub fn project_snapshot(self, project: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let owner = owner(project);
        let Some(hash) = self.reader.read(|connection| last_hash(connection, &owner))? else { return Ok(None) };
        match self.blob(&hash) {
            Err(StoreError::Damaged { .. }) => Ok(None),
            stored => stored,
        }
    }
}

/// No session has such an id.
fn owner(project: &str) -> SessionId {
    SessionId::from(format!("project:{project}"))
}

fn last_hash(connection: &Connection, owner: &SessionId) -> Result<Option<String>, StoreError> {
    find(connection, "SELECT hash FROM blob_refs WHERE session_id = ?1", [owner.as_str()], |row| row.get(0))
}

/// Should another project's snapshot be the very same, it is taken anew when it is next asked for.
fn forget(transaction: &Connection, owner: &SessionId, hash: &str) -> Result<(), StoreError> {
    change(transaction, "DELETE FROM blob_refs WHERE session_id = ?1 AND hash = ?2", [owner.as_str(), hash])?;
    change(transaction, "DELETE FROM blobs WHERE hash = ?1", [hash]).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::{Store, StoreOptions};
    use arki_domain::SystemClock;
    use arki_redaction::Redactor;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_project_has_one_snapshot_and_the_last_is_it() {
        let options = StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
        let store = Store::open_in_memory(options).unwrap();
        assert_eq!(store.reader().contents().project_snapshot("/p").unwrap(), None);
        for snapshot in ["one", "two", "two"] {
            store.contents().put_project_snapshot("/p", snapshot.into()).await.unwrap();
        }
        store.contents().put_project_snapshot("/q", "other".into()).await.unwrap();
        assert_eq!(store.reader().contents().project_snapshot("/p").unwrap(), Some("two".into()));
        let kept: i64 = store
            .reader()
            .read(|found| Ok(found.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0))?))
            .unwrap();
        assert_eq!(kept, 2);
    }
}

//! Contents as the tools put them: in the store, and for each project the last snapshot of its files.

use arki_domain::{Content, ContentStore, Error, SessionId};
use arki_files::Snapshot;
use arki_store::Store;
use async_trait::async_trait;
use std::sync::Arc;

pub(crate) struct Contents {
    store: Arc<Store>,
}

impl Contents {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { store }
    }
}

#[async_trait]
impl ContentStore for Contents {
    async fn put(&self, session: &SessionId, contents: Vec<Content>) -> Result<(), Error> {
        Ok(self.store.contents().put_contents(session, contents).await?)
    }

    async fn artifact(&self, session: &SessionId, id: &str) -> Result<Option<Vec<u8>>, Error> {
        let (session, id) = (session.clone(), id.to_owned());
        Ok(self.store.read(move |reader| reader.contents().artifact(&session, &id)).await?)
    }

    async fn content(&self, hash: &str) -> Result<Option<Vec<u8>>, Error> {
        let hash = hash.to_owned();
        Ok(self.store.read(move |reader| reader.contents().blob(&hash)).await?)
    }

    /// A snapshot whose contents are not all there would have commands run without an image of what they change.
    async fn project_snapshot(&self, project: &str) -> Result<Option<Vec<u8>>, Error> {
        let project = project.to_owned();
        let stored = self.store.read(move |reader| {
            let Some(stored) = reader.contents().project_snapshot(&project)? else { return Ok(None) };
            let hashes = listed_hashes(&stored);
            let hashes: Vec<&str> = hashes.iter().map(String::as_str).collect();
            Ok(reader.contents().missing_contents(&hashes)?.is_empty().then_some(stored))
        });
        Ok(stored.await?)
    }

    async fn put_project_snapshot(&self, project: &str, snapshot: Vec<u8>) -> Result<(), Error> {
        Ok(self.store.contents().put_project_snapshot(project, snapshot).await?)
    }
}

/// Returns what a stored snapshot speaks of, so that it is kept.
pub(crate) fn listed_hashes(snapshot: &[u8]) -> Vec<String> {
    let snapshot: Option<Snapshot> = serde_json::from_slice(snapshot).ok();
    snapshot.iter().flat_map(Snapshot::hashes).map(str::to_owned).collect()
}

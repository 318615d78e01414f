//! Facts learned about models, as a setting of the database each.

use arki_llm::ModelMemory;
use arki_store::Store;
use async_trait::async_trait;
use std::sync::Arc;

pub(crate) struct StoredModelMemory(pub(crate) Arc<Store>);

#[async_trait]
impl ModelMemory for StoredModelMemory {
    async fn recall(&self, key: &str) -> Option<String> {
        let key = key.to_owned();
        self.0.read(move |reader| reader.meta(&key)).await.ok()?
    }

    fn keep(&self, key: String, value: String) {
        let store = Arc::clone(&self.0);
        tokio::spawn(async move {
            if let Err(error) = store.set_meta(&key, &value).await {
                tracing::debug!(%error, "what was learned of a model is not kept");
            }
        });
    }
}

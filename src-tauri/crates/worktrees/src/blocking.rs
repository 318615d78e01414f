//! Work that blocks, beside the threads on which others wait.

use arki_domain::Error;
use std::sync::Arc;

pub(crate) async fn blocking<S: Send + Sync + 'static, T: Send + 'static>(
    store: &Arc<S>,
    work: impl FnOnce(&Arc<S>) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let store = store.clone();
    tokio::task::spawn_blocking(move || work(&store)).await.map_err(Error::internal)?
}

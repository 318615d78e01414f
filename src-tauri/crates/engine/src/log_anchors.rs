//! Vouching for the ends of logs with a key that only the keychain has, so that a log that was cut off or rewritten
//! shows. Never on the way to anything: after a run, and only where a keychain answers by itself.

use crate::Records;
use crate::accounts::keys::{AnchorKey, anchor_key, new_anchor_key};
use arki_domain::SessionId;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;

/// The time that the end of the program waits for logs to be anchored. They are whole without it.
const ANCHOR_PATIENCE: Duration = Duration::from_secs(2);

/// Vouches for logs as they stand, with a key from the keychain.
pub struct LogAnchors {
    records: Arc<Records>,
    key: OnceCell<Option<AnchorKey>>,
    pending: Mutex<Vec<JoinHandle<()>>>,
}

impl LogAnchors {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        Self { records, key: OnceCell::default(), pending: Mutex::default() }
    }

    /// Begins to vouch for a session's log as it stands.
    pub(crate) fn anchor_soon(self: &Arc<Self>, session_id: &SessionId) {
        if self.records.is_ephemeral() {
            return;
        }
        let (anchors, session_id) = (self.clone(), session_id.clone());
        let anchoring = tokio::spawn(async move { anchors.anchor(&session_id).await });
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.retain(|anchoring: &JoinHandle<()>| !anchoring.is_finished());
        pending.push(anchoring);
    }

    async fn anchor(&self, session_id: &SessionId) {
        let Some(key) = self.key.get_or_init(load_or_make).await else { return };
        match self.records.store().anchor(session_id, key).await {
            Ok(_) => {}
            Err(error) => tracing::warn!(%session_id, %error, "the log was not vouched for"),
        }
    }

    /// Waits, for a short while, until what began is done. For the end of the program.
    pub async fn finish_anchoring(&self) {
        let pending = std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        let all = async {
            for anchoring in pending {
                let _ = anchoring.await;
            }
        };
        if tokio::time::timeout(ANCHOR_PATIENCE, all).await.is_err() {
            tracing::info!("the keychain did not answer in time; the log is not vouched for");
        }
    }
}

/// `None` where there is no keychain, or it does not want to.
async fn load_or_make() -> Option<AnchorKey> {
    let key = match anchor_key().await {
        Ok(Some(key)) => Ok(key),
        Ok(None) => new_anchor_key().await,
        Err(fault) => Err(fault),
    };
    key.inspect_err(|fault| tracing::debug!(%fault, "no key to vouch for logs with")).ok()
}

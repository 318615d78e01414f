//! A provider's HTTP client, made with the first request and let go of, with its connections, when it is not used.

use arki_domain::Error;
use reqwest::Client;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

#[derive(Default)]
pub(crate) struct KeptClient(Arc<Mutex<Option<Kept>>>);

struct Kept {
    client: Client,
    used: Instant,
}

impl KeptClient {
    /// An answer under way keeps its connection, whatever becomes of the client.
    pub(crate) fn get(&self, idle: Duration, make: impl FnOnce() -> Result<Client, Error>) -> Result<Client, Error> {
        let mut kept = lock(&self.0);
        if let Some(kept) = &mut *kept {
            kept.used = Instant::now();
            return Ok(kept.client.clone());
        }
        let client = make()?;
        *kept = Some(Kept { client: client.clone(), used: Instant::now() });
        tokio::spawn(evict_when_idle(Arc::downgrade(&self.0), idle));
        Ok(client)
    }
}

async fn evict_when_idle(kept: Weak<Mutex<Option<Kept>>>, idle: Duration) {
    loop {
        let Some(due) = kept.upgrade().and_then(|kept| Some(lock(&kept).as_ref()?.used + idle)) else { return };
        sleep_until(due).await;
        let Some(kept) = kept.upgrade() else { return };
        let mut kept = lock(&kept);
        if kept.as_ref().is_none_or(|kept| kept.used + idle <= Instant::now()) {
            *kept = None;
            return;
        }
    }
}

fn lock(kept: &Mutex<Option<Kept>>) -> MutexGuard<'_, Option<Kept>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn a_client_lives_as_long_as_it_is_used_in_time() {
        let (kept, made) = (KeptClient::default(), AtomicUsize::new(0));
        let get = || {
            let make = || {
                made.fetch_add(1, Ordering::SeqCst);
                crate::http::install_crypto();
                Ok(Client::builder().tls_certs_only([]).build().unwrap())
            };
            kept.get(Duration::from_secs(10), make).unwrap();
            made.load(Ordering::SeqCst)
        };
        assert_eq!(get(), 1);
        for _ in 0..5 {
            sleep(Duration::from_secs(9)).await;
            assert_eq!(get(), 1);
        }
        sleep(Duration::from_secs(11)).await;
        assert!(lock(&kept.0).is_none());
        assert_eq!(get(), 2);
    }
}

//! How much is answered at once: requests, readers, and connections on which nothing was said yet.

use crate::answers::HttpRefusal;
use arki_api::{Pairing, TokenRights};
use arki_domain::{Code, Error, sha256_hex};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// A message with pictures is the largest body of a command.
pub(crate) const MAX_COMMAND_BYTES: usize = 64 * 1024 * 1024;
/// The largest body of everything else: a prompt in JSON, where each of its bytes may take several.
pub(crate) const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;
pub(crate) const MAX_SIGN_IN_BYTES: usize = 4096;
pub(crate) const MAX_PROMPT_BYTES: usize = 4 * 1024 * 1024;
/// Connections at once.
pub(crate) const MAX_CONNECTIONS: usize = 1024;
/// The connections among them on which no token was shown yet.
const MAX_SILENT: usize = 256;
/// Streams at once, and those of all further tokens and of each.
const MAX_READERS: usize = 512;
const MAX_FURTHER_READERS: usize = 64;
const MAX_READERS_OF_TOKEN: usize = 16;
/// Requests in a row, and a second for ever.
const BURST: f64 = 2000.0;
const A_SECOND: f64 = 1000.0;
/// More tokens than there can be.
const MAX_TOKENS: usize = 1000;

/// Bounds how many requests come: a bucket for each token that is known, and one for all others together.
#[derive(Debug, Default)]
pub(crate) struct RequestRates {
    unknown: Mutex<Bucket>,
    /// By the tokens' hashes.
    known: Mutex<HashMap<String, Bucket>>,
}

/// Fills by the second.
#[derive(Debug)]
struct Bucket {
    left: f64,
    filled_at: Instant,
}

impl Default for Bucket {
    fn default() -> Self {
        Self { left: BURST, filled_at: Instant::now() }
    }
}

impl Bucket {
    fn take(&mut self) -> Result<(), HttpRefusal> {
        let now = Instant::now();
        let filled = self.left + now.duration_since(self.filled_at).as_secs_f64() * A_SECOND;
        (self.left, self.filled_at) = (filled.min(BURST), now);
        if self.left < 1.0 {
            return Err(too_many("requests"));
        }
        self.left -= 1.0;
        Ok(())
    }
}

impl RequestRates {
    /// # Errors
    /// `TOO_MANY_REQUESTS`.
    pub(crate) fn ensure_more_may_come(&self, token: Option<&str>) -> Result<(), HttpRefusal> {
        let hash = token.map(hash).unwrap_or_default();
        if let Some(bucket) = locked(&self.known).get_mut(&hash) {
            return bucket.take();
        }
        locked(&self.unknown).take()
    }

    /// Notes whether a token is one: those that are known aren't held up by whoever guesses.
    pub(crate) fn note(&self, token: &str, is_known: bool) {
        let mut known = locked(&self.known);
        if !is_known {
            known.remove(&hash(token));
            return;
        }
        if known.len() >= MAX_TOKENS {
            known.clear();
        }
        known.entry(hash(token)).or_default();
    }
}

fn hash(token: &str) -> String {
    sha256_hex(token.as_bytes())
}

/// Bounds how many read a stream.
#[derive(Debug)]
pub(crate) struct ReaderPlaces {
    all: Arc<Semaphore>,
    further: Arc<Semaphore>,
    each: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A reader's place, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct ReaderPlace {
    _of_all: OwnedSemaphorePermit,
    _of_further: Option<[OwnedSemaphorePermit; 2]>,
}

impl Default for ReaderPlaces {
    fn default() -> Self {
        let places = |count| Arc::new(Semaphore::new(count));
        Self { all: places(MAX_READERS), further: places(MAX_FURTHER_READERS), each: Mutex::default() }
    }
}

impl ReaderPlaces {
    /// # Errors
    /// `TOO_MANY_REQUESTS`.
    pub(crate) fn place(&self, pairing: &Pairing) -> Result<ReaderPlace, HttpRefusal> {
        let take = |places: &Arc<Semaphore>| places.clone().try_acquire_owned().map_err(|_| too_many("readers"));
        let further = (pairing.rights < TokenRights::Full).then(|| -> Result<_, HttpRefusal> {
            let mut each = locked(&self.each);
            each.retain(|_, places| places.available_permits() < MAX_READERS_OF_TOKEN);
            let own = each.entry(pairing.id.clone()).or_insert_with(|| Arc::new(Semaphore::new(MAX_READERS_OF_TOKEN)));
            Ok([take(own)?, take(&self.further)?])
        });
        Ok(ReaderPlace { _of_further: further.transpose()?, _of_all: take(&self.all)? })
    }
}

/// The connections on which no token was shown yet, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct SilentConnections(Mutex<(u64, BTreeMap<u64, CancellationToken>)>);

/// One of them, until this is dropped.
#[derive(Debug)]
pub(crate) struct SilentConnection {
    among: Arc<SilentConnections>,
    number: u64,
    /// Cancelled where it has to make room for another.
    pub(crate) closed: CancellationToken,
}

impl SilentConnections {
    pub(crate) fn enter(self: Arc<Self>) -> SilentConnection {
        let closed = CancellationToken::new();
        let mut silent = locked(&self.0);
        silent.0 += 1;
        let number = silent.0;
        silent.1.insert(number, closed.clone());
        if silent.1.len() > MAX_SILENT
            && let Some((_, oldest)) = silent.1.pop_first()
        {
            oldest.cancel();
        }
        drop(silent);
        SilentConnection { among: self, number, closed }
    }
}

impl Drop for SilentConnection {
    fn drop(&mut self) {
        locked(&self.among.0).1.remove(&self.number);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn too_many(what: &str) -> HttpRefusal {
    Error::new(Code::TOO_MANY_REQUESTS, format!("There are too many {what}."), "Ask again in a while.").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(id: &str, rights: TokenRights) -> Pairing {
        Pairing { id: id.to_owned(), rights, created_at: 0, browser: false }
    }

    #[test]
    fn a_burst_is_answered_and_then_no_more_than_the_bucket_fills() {
        let rates = RequestRates::default();
        let answered = (0..2 * BURST as usize).filter(|_| rates.ensure_more_may_come(None).is_ok()).count();
        assert!((BURST as usize..BURST as usize + 500).contains(&answered), "{answered}");
    }

    #[test]
    fn a_known_token_has_a_bucket_of_its_own() {
        let rates = RequestRates::default();
        rates.note("known", true);
        while rates.ensure_more_may_come(Some("guessed")).is_ok() {}
        assert!(rates.ensure_more_may_come(Some("known")).is_ok());
        rates.note("known", false);
        while rates.ensure_more_may_come(Some("guessed")).is_ok() {}
        assert!(rates.ensure_more_may_come(Some("known")).is_err());
    }

    #[test]
    fn further_tokens_leave_places_for_others_and_the_user() {
        let places = ReaderPlaces::default();
        let taken = |id: &str| -> Vec<ReaderPlace> {
            std::iter::from_fn(|| places.place(&pairing(id, TokenRights::Read)).ok()).collect()
        };
        let of_each: Vec<Vec<ReaderPlace>> = ["a", "b", "c", "d", "e"].map(taken).into();
        assert_eq!(of_each.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16, 16, 16, 0]);
        let own = pairing("own", TokenRights::Full);
        let own: Vec<ReaderPlace> = std::iter::from_fn(|| places.place(&own).ok()).collect();
        assert_eq!(own.len(), MAX_READERS - MAX_FURTHER_READERS);
        drop((of_each, own));
        assert!(places.place(&pairing("e", TokenRights::Decide)).is_ok());
    }

    #[test]
    fn a_silent_connection_makes_room_for_another() {
        let silent = Arc::new(SilentConnections::default());
        let mut all: Vec<SilentConnection> = (0..MAX_SILENT).map(|_| silent.clone().enter()).collect();
        // Something was said on the first one.
        all.remove(0);
        let _more = [silent.clone().enter(), silent.clone().enter()];
        let closed: Vec<bool> = all.iter().map(|one| one.closed.is_cancelled()).collect();
        assert_eq!((closed[0], closed.iter().filter(|closed| **closed).count()), (true, 1));
    }
}

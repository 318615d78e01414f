//! Requests that may be sent again: under the same `Idempotency-Key` the same request gets its first answer, and does
//! nothing twice. What was answered is in the log, with what it did; what is being answered is known here.

use crate::answers::HttpRefusal;
use crate::guard::TokenHolder;
use crate::serve::RouteState;
use arki_domain::{AnsweredRequest, Code, Error, sha256_hex};
use arki_engine::KeptAnswer;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use axum::response::Response;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

const HEADER: &str = "idempotency-key";
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const MAX_KEY_BYTES: usize = 128;

/// The requests with a key that are being answered, by token and key.
#[derive(Debug, Default)]
pub(crate) struct KeysInProgress(Mutex<HashMap<(String, String), AnsweredRequest>>);

/// A request that may be sent again, as far as it is known.
pub(crate) enum Repeatable {
    /// Comes for the first time, or has no key.
    First(Option<KeyInProgress>),
    /// Was answered before.
    Again(KeptAnswer),
}

/// A key that nobody else uses until this is dropped.
pub(crate) struct KeyInProgress {
    shared: Arc<RouteState>,
    pub(crate) request: AnsweredRequest,
}

impl Drop for KeyInProgress {
    fn drop(&mut self) {
        let mut keys = self.shared.keys.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.remove(&place(&self.request));
    }
}

/// Looks up a request by its key.
///
/// # Errors
/// `ARGUMENTS_INVALID` for a key of another form, `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_IN_PROGRESS`.
pub(crate) async fn looked_up(
    shared: &Arc<RouteState>,
    caller: &TokenHolder,
    (uri, headers): (&Uri, &HeaderMap),
    body: &[u8],
) -> Result<Repeatable, HttpRefusal> {
    let Some(key) = key(headers)? else { return Ok(Repeatable::First(None)) };
    let request = AnsweredRequest {
        token: caller.pairing.id.clone(),
        key_hash: sha256_hex(key.as_bytes()),
        path: uri.path().to_owned(),
        body_hash: sha256_hex(body),
    };
    let in_progress = begun(shared, request.clone())?;
    // Only now: whoever used the key a moment ago has noted its answer.
    let kept = shared.reading({
        let request = request.clone();
        move |engine| engine.pairings().kept_answer(&request.token, &request.key_hash)
    });
    match kept.await? {
        None => Ok(Repeatable::First(Some(in_progress))),
        Some(kept) if kept.path == request.path && kept.body_hash == request.body_hash => Ok(Repeatable::Again(kept)),
        Some(_) => Err(mismatch().into()),
    }
}

/// Says that it was said before.
pub(crate) fn replayed(mut answer: Response) -> Response {
    answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    answer
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Error> {
    let mut given = headers.get_all(HEADER).iter();
    let Some(key) = given.next() else { return Ok(None) };
    let bytes = key.as_bytes();
    let is_printable = bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    if bytes.is_empty() || bytes.len() > MAX_KEY_BYTES || !is_printable || given.next().is_some() {
        let message = format!("`Idempotency-Key` has to be 1 to {MAX_KEY_BYTES} printable ASCII characters, once.");
        return Err(Error::new(Code::ARGUMENTS_INVALID, message, "Send a UUID, for instance."));
    }
    Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
}

fn begun(shared: &Arc<RouteState>, request: AnsweredRequest) -> Result<KeyInProgress, Error> {
    let mut keys = shared.keys.0.lock().unwrap_or_else(PoisonError::into_inner);
    match keys.get(&place(&request)) {
        None => {
            keys.insert(place(&request), request.clone());
            Ok(KeyInProgress { shared: shared.clone(), request })
        }
        Some(other) if *other == request => {
            let message = "A request with this `Idempotency-Key` is still in progress.";
            Err(Error::new(Code::IDEMPOTENCY_IN_PROGRESS, message, "Send it again in a moment to get its answer."))
        }
        Some(_) => Err(mismatch()),
    }
}

fn place(request: &AnsweredRequest) -> (String, String) {
    (request.token.clone(), request.key_hash.clone())
}

fn mismatch() -> Error {
    let message = "This `Idempotency-Key` was used for another request.";
    Error::new(Code::IDEMPOTENCY_MISMATCH, message, "Use a new key for each new request.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(keys: &[&[u8]]) -> Result<Option<String>, Error> {
        let named = |key: &&[u8]| (HeaderName::from_static(HEADER), HeaderValue::from_bytes(key).unwrap());
        key(&keys.iter().map(named).collect())
    }

    #[test]
    fn a_key_is_1_to_128_printable_ascii_characters() {
        assert_eq!(of(&[]).unwrap(), None);
        for good in ["a", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "with space ~", &"x".repeat(128)] {
            assert_eq!(of(&[good.as_bytes()]).unwrap().as_deref(), Some(good));
        }
        for bad in ["", &"x".repeat(129), "tab\there", "schlüssel"] {
            assert!(of(&[bad.as_bytes()]).is_err_and(|fault| fault.is(Code::ARGUMENTS_INVALID)), "{bad}");
        }
        assert!(of(&[b"a", b"b"]).is_err());
    }
}

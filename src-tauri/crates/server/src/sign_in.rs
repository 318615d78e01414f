//! Signing in with a browser: the code of a link, good once, or a token, for a cookie that counts as a token.
//!
//! The code stands in the link's fragment, which no browser sends along. The cookie can't be read by the page, goes to no
//! other site, and stays with this host: its name has the port, for browsers keep cookies by host alone.

use crate::answers::{HttpRefusal, RouteAnswer, written};
use crate::guard::{Arrival, unauthorized, whose};
use crate::limits::MAX_SIGN_IN_BYTES;
use crate::routes::{parsed, whole};
use crate::serve::RouteState;
use arki_api::BrowserSignIn;
use arki_domain::{Error, sha256_hex};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time for which a code is good.
const CODE_LIFETIME: Duration = Duration::from_secs(5 * 60);
/// The time for which a browser is signed in.
const COOKIE_SECONDS: u32 = 30 * 24 * 60 * 60;
/// More codes than this at once are forgotten, the oldest first.
const MAX_CODES: usize = 16;

/// The codes that are good now.
#[derive(Default)]
pub(crate) struct SignIns(Mutex<Vec<MadeCode>>);

struct MadeCode {
    hash: String,
    made_at: Instant,
}

impl SignIns {
    /// From now on this code is good.
    pub(crate) fn keep(&self, code: &str) {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if codes.len() >= MAX_CODES {
            codes.remove(0);
        }
        codes.push(MadeCode { hash: sha256_hex(code.as_bytes()), made_at: Instant::now() });
    }

    /// Returns whether it is a code that is good; it is good no more then.
    fn take(&self, code: &str, now: Instant) -> bool {
        let hash = sha256_hex(code.as_bytes());
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|made| now.duration_since(made.made_at) < CODE_LIFETIME);
        let before = codes.len();
        codes.retain(|made| made.hash != hash);
        codes.len() < before
    }
}

/// The token in the cookie of the server at this port.
pub(crate) fn cookie_of(headers: &HeaderMap, port: u16) -> Option<&str> {
    let name = cookie_name(port);
    let mut given = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    given
        .find_map(|cookies| {
            cookies.split(';').filter_map(|cookie| cookie.trim().split_once('=')).find(|(key, _)| *key == name)
        })
        .map(|(_, token)| token)
}

fn cookie_name(port: u16) -> String {
    format!("arki-{port}")
}

/// Exchanges a code or a token for the cookie.
pub(crate) async fn sign_in(
    State(shared): State<Arc<RouteState>>,
    Extension(arrival): Extension<Arrival>,
    headers: HeaderMap,
    body: Body,
) -> RouteAnswer {
    let token = match parsed(&whole(body, MAX_SIGN_IN_BYTES).await?)? {
        BrowserSignIn::Code(code) => {
            let is_good = shared.sign_ins.as_ref().is_some_and(|codes| codes.take(code.trim(), Instant::now()));
            if !is_good {
                return Err(unauthorized());
            }
            browser_token(&shared).await?
        }
        BrowserSignIn::Token(token) => {
            let token = token.trim().to_owned();
            let pairing = whose(&shared, token.clone()).await.ok_or_else(unauthorized)?;
            // The user's own can't be withdrawn, so it stays in its file.
            if pairing.is_own() { browser_token(&shared).await? } else { token }
        }
    };
    with_cookie(&shared, (&headers, &arrival), &token, COOKIE_SECONDS)
}

/// Withdraws the browser's token, and has the browser forget it.
pub(crate) async fn sign_out(
    State(shared): State<Arc<RouteState>>,
    Extension(arrival): Extension<Arrival>,
    headers: HeaderMap,
) -> RouteAnswer {
    let pairing = match cookie_of(&headers, arrival.local.port()) {
        Some(token) => whose(&shared, token.to_owned()).await,
        None => None,
    };
    if let Some(pairing) = pairing.filter(|pairing| pairing.browser) {
        shared.reading(move |engine| engine.pairings().withdraw(&pairing.id)).await?;
    }
    with_cookie(&shared, (&headers, &arrival), "", 0)
}

async fn browser_token(shared: &Arc<RouteState>) -> Result<String, Error> {
    shared.reading(|engine| engine.pairings().pair_browser()).await
}

fn with_cookie(
    shared: &RouteState,
    (headers, arrival): (&HeaderMap, &Arrival),
    token: &str,
    seconds: u32,
) -> Result<axum::response::Response, HttpRefusal> {
    let (base, is_safe) = shared.hosts.place_of(headers, arrival);
    let secure = if is_safe { "; Secure" } else { "" };
    let cookie = format!(
        "{}={token}; Path={base}/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}",
        cookie_name(arrival.local.port())
    );
    let mut response = written(StatusCode::OK, "{}");
    response.headers_mut().insert(header::SET_COOKIE, HeaderValue::from_str(&cookie).map_err(Error::internal)?);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_good_once_and_for_five_minutes() {
        let codes = SignIns::default();
        codes.keep("code");
        assert!(!codes.take("another", Instant::now()));
        assert!(codes.take("code", Instant::now()));
        assert!(!codes.take("code", Instant::now()));
        codes.keep("late");
        assert!(!codes.take("late", Instant::now() + CODE_LIFETIME));
    }

    #[test]
    fn only_so_many_codes_are_good_at_once() {
        let codes = SignIns::default();
        for code in 0..=MAX_CODES {
            codes.keep(&code.to_string());
        }
        assert!(!codes.take("0", Instant::now()) && codes.take(&MAX_CODES.to_string(), Instant::now()));
    }

    #[test]
    fn a_cookie_is_the_one_of_this_port() {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, "theme=dark; arki-4871=other; arki-4870=own".parse().unwrap());
        assert_eq!(cookie_of(&headers, 4870), Some("own"));
        assert_eq!(cookie_of(&headers, 4872), None);
    }
}

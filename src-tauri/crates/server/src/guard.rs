//! The guard: before anything of a request is read but its head, it is known to be meant for this server, to come from no
//! other page, and to have a token. The window's files alone ask for none.
//!
//! Which hosts and pages are its own is in `hosts`. A body is JSON, which another page may only send when this server says
//! so, which it never does.

use crate::answers::HttpRefusal;
use crate::limits::SilentConnection;
use crate::rights::Reach;
use crate::serve::RouteState;
use crate::sign_in::cookie_of;
use arki_api::{Pairing, TokenRights};
use arki_domain::{Code, Error};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// More of a program's name is not looked at.
const MAX_NAME_CHARS: usize = 64;

/// Whoever asks.
#[derive(Debug, Clone)]
pub(crate) struct TokenHolder {
    pub(crate) pairing: Pairing,
    /// Names the page of one program: its token, and what it calls itself in `Arki-Client`.
    pub(crate) page: String,
    /// It asks with a cookie: its user decides in a browser.
    pub(crate) is_browser: bool,
    pub(crate) reach: Reach,
}

/// The way on which a request came.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    /// The address that is listened on, and the one of it that was reached.
    pub(crate) listener: SocketAddr,
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
    /// The path was below that of the public address.
    pub(crate) is_below_base: bool,
    /// Until a token is shown.
    pub(crate) silent: Arc<Mutex<Option<SilentConnection>>>,
}

impl Arrival {
    fn note_token(&self) {
        *self.silent.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl TokenHolder {
    /// # Errors
    /// `RIGHTS_MISSING`.
    pub(crate) fn ensure_may(&self, needed: TokenRights) -> Result<(), Error> {
        if self.pairing.rights >= needed {
            return Ok(());
        }
        let message = "This token has not the right to do that.";
        Err(Error::new(Code::RIGHTS_MISSING, message, "Use the user's own token, or one with more rights."))
    }

    /// # Errors
    /// `RIGHTS_MISSING` where it was asked from another computer.
    pub(crate) fn ensure_is_here(&self) -> Result<(), Error> {
        if self.reach == Reach::Loopback {
            return Ok(());
        }
        let message = "That can't be done from another computer, whatever the token.";
        Err(Error::new(Code::RIGHTS_MISSING, message, "Do it on the computer that Arki runs on."))
    }
}

/// Lets a request through, with who sends it.
pub(crate) async fn guarded(State(shared): State<Arc<RouteState>>, mut request: Request, next: Next) -> Response {
    let Some(arrival) = request.extensions().get::<Arrival>().cloned() else {
        return HttpRefusal::from(Error::internal("a request that came on no connection")).into_response();
    };
    match let_in(&shared, &arrival, request.headers()).await {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            in_json(next.run(request).await)
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// The library's own refusals, as of a query in another form, are texts.
fn in_json(response: Response) -> Response {
    let said = response.headers().get(header::CONTENT_TYPE);
    if !response.status().is_client_error() || said.is_some_and(|said| said == "application/json") {
        return response;
    }
    let message = "The path or the query isn't as it should be.";
    let error = Error::new(Code::ARGUMENTS_INVALID, message, "docs/http.md has their form.");
    HttpRefusal::new(response.status(), error).into_response()
}

async fn let_in(shared: &Arc<RouteState>, arrival: &Arrival, headers: &HeaderMap) -> Result<TokenHolder, HttpRefusal> {
    let reach = shared.hosts.ensure_meant(headers, arrival)?;
    let of_browser = || shared.sign_ins.as_ref().and_then(|_| cookie_of(headers, arrival.local.port()));
    let given = bearer(headers);
    let is_browser = given.is_none();
    let token = given.or_else(of_browser);
    shared.requests.ensure_more_may_come(token)?;
    let token = token.ok_or_else(unauthorized)?.to_owned();
    let pairing = whose(shared, token.clone()).await;
    shared.requests.note(&token, pairing.is_some());
    let pairing = pairing.ok_or_else(unauthorized)?;
    arrival.note_token();
    let named = headers.get("arki-client").and_then(|name| name.to_str().ok()).unwrap_or_default();
    let named: String = named.chars().take(MAX_NAME_CHARS).collect();
    Ok(TokenHolder { page: format!("{} {named}", pairing.id), pairing, is_browser, reach })
}

/// Lets a body through to its route only where it says that it is JSON.
pub(crate) async fn json_bodies(request: Request, next: Next) -> Response {
    let is_fit = if request.method() == Method::POST { ensure_json(request.headers()) } else { Ok(()) };
    match is_fit {
        Ok(()) => next.run(request).await,
        Err(refusal) => HttpRefusal::from(refusal).into_response(),
    }
}

/// # Errors
/// `MEDIA_TYPE_UNSUPPORTED`.
fn ensure_json(headers: &HeaderMap) -> Result<(), Error> {
    if says_json(headers) {
        return Ok(());
    }
    let message = "The body has to be JSON.";
    Err(Error::new(Code::MEDIA_TYPE_UNSUPPORTED, message, "Send the header `Content-Type: application/json`."))
}

/// Lets a request of the window through, which may have no token yet: a file of it, or signing in.
pub(crate) async fn meant(State(shared): State<Arc<RouteState>>, mut request: Request, next: Next) -> Response {
    let Some(arrival) = request.extensions().get::<Arrival>().cloned() else {
        return HttpRefusal::from(Error::internal("a request that came on no connection")).into_response();
    };
    let headers = request.headers();
    let let_in = shared.hosts.ensure_meant(headers, &arrival).and_then(|reach| {
        shared.requests.ensure_more_may_come(None)?;
        Ok(reach)
    });
    match let_in {
        Ok(reach) => {
            request.extensions_mut().insert(reach);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

pub(crate) async fn whose(shared: &Arc<RouteState>, token: String) -> Option<Pairing> {
    match shared.reading(move |engine| engine.pairings().whose(&token)).await {
        Ok(pairing) => pairing,
        Err(fault) => {
            tracing::warn!(%fault, "the tokens could not be read");
            None
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (given.next()?.to_str().ok()?, given.next()) else { return None };
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn says_json(headers: &HeaderMap) -> bool {
    let mut given = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(said), None) = (given.next(), given.next()) else { return false };
    let said = said.to_str().unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// The same whatever is wrong with the token.
pub(crate) fn unauthorized() -> HttpRefusal {
    let hint = "Send the header `Authorization: Bearer TOKEN`; `arki serve` prints where the token lies.";
    let error = Error::new(Code::AUTHENTICATION_REQUIRED, "A token is needed.", hint);
    HttpRefusal::new(StatusCode::UNAUTHORIZED, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_token_is_a_bearer_s_and_one() {
        assert_eq!(bearer(&head(&[("authorization", "Bearer abc")])), Some("abc"));
        assert_eq!(bearer(&head(&[("authorization", "bearer abc")])), Some("abc"));
        assert_eq!(bearer(&head(&[("authorization", "Basic abc")])), None);
        let mut twice = head(&[("authorization", "Bearer abc")]);
        twice.append(header::AUTHORIZATION, "Bearer def".parse().unwrap());
        assert_eq!(bearer(&twice), None);
    }

    #[test]
    fn a_body_is_json() {
        for (said, is_json) in [
            ("application/json", true),
            ("application/json; charset=utf-8", true),
            ("text/plain", false),
            ("application/jsonp", false),
        ] {
            assert_eq!(says_json(&head(&[("content-type", said)])), is_json, "{said}");
        }
        assert!(!says_json(&HeaderMap::new()));
    }
}

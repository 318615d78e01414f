//! The paths, as 002 names them, with the contract's ids and cursors.

mod approvals;
mod commands;
mod events;
pub(crate) mod runs;
mod sessions;

use crate::answers::{HttpRefusal, written};
use crate::guard::json_bodies;
use crate::limits::MAX_BODY_BYTES;
use crate::serve::RouteState;
use crate::sign_in::{sign_in, sign_out};
use crate::window_files;
use arki_domain::{Code, Error};
use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use axum::{Router, middleware};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use std::fmt::Display;
use std::sync::Arc;

/// Every route, without what is in front of them.
pub(crate) fn all() -> Router<Arc<RouteState>> {
    let routes = table().into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods));
    // Where a path hasn't the method, that is said first, whatever the body.
    routes.route_layer(middleware::from_fn(json_bodies)).fallback(unknown).method_not_allowed_fallback(wrong_method)
}

/// The routes of the window in a browser: its files, and signing in.
pub(crate) fn window() -> Router<Arc<RouteState>> {
    Router::new()
        .route("/v1/window/sign-in", post(sign_in))
        .route("/v1/window/sign-out", post(sign_out))
        .route("/", get(window_files::answer))
        .route("/index.html", get(window_files::answer))
        .route("/theme.js", get(window_files::answer))
        .route("/assets/{*file}", get(window_files::answer))
        .route_layer(middleware::from_fn(json_bodies))
}

/// The routes, which `docs/openapi.json` describes.
fn table() -> Vec<(&'static str, MethodRouter<Arc<RouteState>>)> {
    vec![
        ("/v1/runs", get(runs::list).post(runs::start)),
        ("/v1/runs/{id}", get(runs::one)),
        ("/v1/runs/{id}/stop", post(runs::stop)),
        ("/v1/runs/{id}/pause", post(runs::pause)),
        ("/v1/runs/{id}/resume", post(runs::resume)),
        ("/v1/runs/{id}/steer", post(runs::steer)),
        ("/v1/runs/{id}/events", get(events::of_run)),
        ("/v1/sessions", get(sessions::list)),
        ("/v1/sessions/{id}/events", get(sessions::events)),
        ("/v1/approvals", get(approvals::list)),
        ("/v1/approvals/{id}", post(approvals::decide)),
        ("/v1/approvals/{id}/resolve", post(approvals::decide)),
        ("/v1/events", get(events::all)),
        ("/v1/commands/{name}", post(commands::answer)),
        ("/v1/sessions/{id}/export", get(sessions::export)),
        ("/v1/access", get(commands::access)),
        ("/v1/openapi.json", get(openapi)),
    ]
}

/// The description of all this for programs, in OpenAPI 3.1: made by `cargo xtask codegen`, told as it is.
const OPENAPI: &str = include_str!("../../../../docs/openapi.json");

async fn openapi() -> Response {
    written(StatusCode::OK, OPENAPI)
}

async fn unknown() -> HttpRefusal {
    not_there().into()
}

async fn wrong_method() -> HttpRefusal {
    HttpRefusal::new(StatusCode::METHOD_NOT_ALLOWED, not_there())
}

pub(crate) fn not_there() -> Error {
    let hint = "`GET /v1/runs`, `/v1/sessions`, `/v1/approvals` and `/v1/events` are there; see docs/http.md.";
    Error::new(Code::ROUTE_NOT_FOUND, "There is nothing at this path, or not by this method.", hint)
}

/// Reads a body as its type; an empty one is an empty object.
async fn read<T: DeserializeOwned>(body: Body) -> Result<T, HttpRefusal> {
    parsed(&whole(body, MAX_BODY_BYTES).await?)
}

/// Reads a body. Call it once the rights are known: nobody else's is waited for.
pub(crate) async fn whole(body: Body, limit: usize) -> Result<Bytes, HttpRefusal> {
    let refused =
        || Error::new(Code::REQUEST_TOO_LARGE, "The body is too large, or ended early.", "Send less at once.");
    // One that says how long it is isn't read to its end to find out.
    if body.size_hint().lower() > limit as u64 {
        return Err(refused().into());
    }
    to_bytes(body, limit).await.map_err(|_| refused().into())
}

pub(crate) fn parsed<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, HttpRefusal> {
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { bytes };
    let unfit = |why: &dyn Display| {
        let message = format!("The body isn't as it should be: {why}.");
        Error::new(Code::ARGUMENTS_INVALID, message, "docs/http.md and the protocol's schema have its form.")
    };
    let body: Value = serde_json::from_slice(text).map_err(|error| unfit(&error))?;
    if !body.is_object() {
        // A list would do for a structure of no fields, or of few.
        return Err(unfit(&"it must be an object").into());
    }
    serde_json::from_value(with_whole_numbers(body)).map_err(|error| unfit(&error).into())
}

/// Larger integers aren't the same in every language (RFC 7493).
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// JSON has one kind of number: `3.0` is as good as `3`, and what isn't exact is no integer.
fn with_whole_numbers(body: Value) -> Value {
    match body {
        Value::Number(number) => {
            let text = number.to_string();
            let whole: Option<i64> = text.strip_suffix(".0").and_then(|digits| digits.parse().ok());
            let number = whole.map_or(number, Number::from);
            let size = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
            let inexact = number.as_f64().filter(|_| size.is_some_and(|size| size > MAX_INTEGER));
            inexact.and_then(Number::from_f64).unwrap_or(number).into()
        }
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_api::COMMANDS;
    use serde::Deserialize;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn whole_numbers_may_have_a_point() {
        fn read<T: DeserializeOwned>(numbers: &str) -> Option<T> {
            let body = format!(r#"{{"numbers": {numbers}}}"#);
            parsed::<BTreeMap<String, T>>(&body.into()).ok()?.remove("numbers")
        }
        assert_eq!(read::<Vec<u32>>("[3.0, 4, 0.0]").unwrap(), [3, 4, 0]);
        for inexact in ["[3.5]", "[-1.0]", "[1e30]"] {
            assert!(read::<Vec<u32>>(inexact).is_none(), "{inexact}");
        }
        for large in ["[9007199254740992]", "[-9007199254740992]", "[18446744073709551615]"] {
            assert!(read::<Vec<i64>>(large).is_none() && read::<Value>(large).is_some(), "{large}");
        }
        let unlike: Value = parsed(&Bytes::from_static(br#"{"a": [1.5, "2.0"], "b": 1e20}"#)).unwrap();
        assert_eq!(unlike, serde_json::json!({"a": [1.5, "2.0"], "b": 1e20}));
    }

    #[test]
    fn a_body_that_is_no_object_is_refused_also_where_nothing_is_asked_for() {
        #[derive(Deserialize)]
        struct Nothing {}
        let read = |body: &'static str| parsed::<Nothing>(&Bytes::from_static(body.as_bytes())).is_ok();
        assert!(read("") && read("{}") && !read("[]") && !read("null") && !read("1"));
    }

    #[test]
    fn the_document_describes_every_route_and_no_other() {
        let document: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
        let described: BTreeSet<&str> = document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let commands: Vec<String> = COMMANDS.iter().map(|(_, name)| format!("/v1/commands/{name}")).collect();
        let routes = table();
        let routed = routes.iter().map(|(path, _)| *path).filter(|path| !path.ends_with("/{name}"));
        assert_eq!(described, routed.chain(commands.iter().map(String::as_str)).collect());
    }
}

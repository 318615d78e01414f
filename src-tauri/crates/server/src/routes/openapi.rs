//! The description of all this for programs, in OpenAPI 3.1: made by `cargo xtask codegen`, told as it is.

use crate::answers::written;
use axum::http::StatusCode;
use axum::response::Response;

pub(super) const DOCUMENT: &str = include_str!("../../../../../docs/openapi.json");

pub(crate) async fn document() -> Response {
    written(StatusCode::OK, DOCUMENT)
}

//! Answers: JSON, and errors with the status that fits their code.

use arki_api::CommandError;
use arki_domain::{Code, Error};
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// An error, and the status that says so.
#[derive(Debug)]
pub(crate) struct HttpRefusal {
    status: StatusCode,
    error: CommandError,
}

pub(crate) type RouteAnswer = Result<Response, HttpRefusal>;

impl HttpRefusal {
    pub(crate) fn new(status: StatusCode, error: Error) -> Self {
        Self { status, error: error.into() }
    }
}

impl From<Error> for HttpRefusal {
    fn from(error: Error) -> Self {
        CommandError::from(error).into()
    }
}

impl From<CommandError> for HttpRefusal {
    fn from(error: CommandError) -> Self {
        Self { status: status(&error.code), error }
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        json(self.status, &self.error)
    }
}

/// Does what changes something to its end, also where whoever asked is gone.
pub(crate) async fn to_its_end<T: Send + 'static, E: Into<HttpRefusal> + Send + 'static>(
    work: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, HttpRefusal> {
    tokio::spawn(work).await.map_err(Error::internal)?.map_err(Into::into)
}

/// Says it in JSON.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => written(status, bytes),
        Err(error) => {
            tracing::warn!(%error, "an answer could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Says what is JSON already.
pub(crate) fn written(status: StatusCode, json: impl Into<Body>) -> Response {
    unkept(status, "application/json", json)
}

/// An answer of some media type that nobody keeps.
pub(crate) fn unkept(status: StatusCode, media_type: &'static str, body: impl Into<Body>) -> Response {
    let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-store")];
    (status, headers, body.into()).into_response()
}

/// Lines of JSON, each as it comes.
pub(crate) mod json_lines {
    use super::{Body, Response, StatusCode, unkept};
    use futures_util::stream::unfold;
    use std::convert::Infallible;
    use tokio::sync::mpsc;

    pub(crate) const MEDIA_TYPE: &str = "application/x-ndjson";

    /// The answer, and where its lines are put. It ends when nobody can put any more.
    pub(crate) fn body(waiting: usize) -> (mpsc::Sender<String>, Response) {
        let (sender, receiver) = mpsc::channel::<String>(waiting);
        let lines = unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|line| (Ok::<_, Infallible>(line), receiver))
        });
        (sender, unkept(StatusCode::OK, MEDIA_TYPE, Body::from_stream(lines)))
    }

    /// A line with one field, whose value is JSON already.
    pub(crate) fn line(name: &str, json: &str) -> String {
        format!("{{\"{name}\":{json}}}\n")
    }
}

/// The status of an error: 4xx where the one who asks can do something about it.
fn status(code: &str) -> StatusCode {
    match Code::ALL.iter().find(|(known, _)| known.0 == code).map(|(known, _)| *known) {
        Some(Code::USAGE | Code::ARGUMENTS_INVALID | Code::URL_INVALID | Code::PATTERN_INVALID) => {
            StatusCode::BAD_REQUEST
        }
        Some(Code::AUTHENTICATION_REQUIRED) => StatusCode::UNAUTHORIZED,
        Some(
            Code::UNTRUSTED
            | Code::POLICY_DENIED
            | Code::RIGHTS_MISSING
            | Code::REQUEST_REFUSED
            | Code::UNDER_TOOL
            | Code::NOT_AVAILABLE_HERE,
        ) => StatusCode::FORBIDDEN,
        Some(
            Code::FOLDER_UNAVAILABLE
            | Code::COMMAND_UNKNOWN
            | Code::ROUTE_NOT_FOUND
            | Code::AGENT_UNKNOWN
            | Code::GUIDE_UNKNOWN
            | Code::MCP_SERVER_UNKNOWN
            | Code::MEMORY_UNKNOWN
            | Code::TOOL_UNKNOWN
            | Code::UNKNOWN_PROVIDER
            | Code::WORKTREE_GONE,
        ) => StatusCode::NOT_FOUND,
        Some(
            Code::SESSION_BUSY
            | Code::STALE_PREVIEW
            | Code::CURSOR_UNKNOWN
            | Code::ID_AMBIGUOUS
            | Code::CONFIG_CHANGED
            | Code::PIPELINE_CHANGED
            | Code::APPROVAL_ALREADY_DECIDED
            | Code::APPROVAL_EXPIRED
            | Code::IDEMPOTENCY_IN_PROGRESS
            | Code::IDEMPOTENCY_MISMATCH
            | Code::SESSION_EXISTS
            | Code::SESSION_ELSEWHERE
            | Code::SESSION_HAS_FORKS
            | Code::QUESTION_ALREADY_ANSWERED,
        ) => StatusCode::CONFLICT,
        Some(Code::REQUEST_TOO_LARGE) => StatusCode::PAYLOAD_TOO_LARGE,
        Some(Code::MEDIA_TYPE_UNSUPPORTED) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Some(Code::TOO_MANY_REQUESTS | Code::QUEUE_FULL) => StatusCode::TOO_MANY_REQUESTS,
        Some(Code::INTERNAL | Code::IO_FAILED | Code::DATABASE_DAMAGED | Code::DISK_FULL) | None => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        Some(Code::DATABASE_LOCKED) => StatusCode::SERVICE_UNAVAILABLE,
        Some(_) if code.ends_with("_NOT_FOUND") => StatusCode::NOT_FOUND,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_caller_can_do_something_about_is_no_fault_of_the_server() {
        assert_eq!(status("SESSION_NOT_FOUND"), StatusCode::NOT_FOUND);
        assert_eq!(status("RUN_NOT_FOUND"), StatusCode::NOT_FOUND);
        assert_eq!(status("MEMORY_UNKNOWN"), StatusCode::NOT_FOUND);
        assert_eq!(status("SESSION_BUSY"), StatusCode::CONFLICT);
        assert_eq!(status("KEY_MISSING"), StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(status("INTERNAL"), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(status("of a later version"), StatusCode::INTERNAL_SERVER_ERROR);
    }
}

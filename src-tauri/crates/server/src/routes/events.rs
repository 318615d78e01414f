//! Streams of events, which go on from a cursor.

use crate::answers::{HttpRefusal, RouteAnswer, unkept};
use crate::guard::TokenHolder;
use crate::serve::RouteState;
use crate::stream::{EventStream, Place, StreamScope};
use arki_domain::projection::SessionState;
use arki_domain::{RunId, SessionId};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
pub(crate) struct InSession {
    session: Option<String>,
}

/// Streams the events of all sessions or one, from now on where no cursor is named.
pub(crate) async fn all(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Query(InSession { session }): Query<InSession>,
    headers: HeaderMap,
) -> RouteAnswer {
    let wanted = match session {
        None => StreamScope::All,
        Some(named) => {
            let found = shared.reading(move |engine| engine.session_names().find_session(&named)).await?;
            StreamScope::Session(found.session_id)
        }
    };
    let place = match last_event_id(&headers) {
        Some(cursor) => Place::After(cursor.to_owned()),
        None => Place::After(shared.engine().end_of_events().await?),
    };
    answered(&shared, caller, wanted, place).await
}

/// Streams a run's events, from its beginning where no cursor is named; a bare number is the `seq` that was read last.
pub(crate) async fn of_run(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> RouteAnswer {
    let run = shared.reading(move |engine| engine.session_reader().run(&RunId::from(id))).await?;
    let place = match last_event_id(&headers) {
        None => Place::OfSession { session: SessionId::from(run.session_id.clone()), after_seq: 0 },
        Some(text) => match text.parse() {
            Ok(after_seq) => Place::OfSession { session: SessionId::from(run.session_id.clone()), after_seq },
            Err(_) => Place::After(text.to_owned()),
        },
    };
    let is_over = matches!(run.state, SessionState::Done | SessionState::Failed | SessionState::Cancelled);
    answered(&shared, caller, StreamScope::Run { run: RunId::from(run.run_id), is_over }, place).await
}

fn last_event_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("last-event-id")?.to_str().ok().filter(|id| !id.is_empty())
}

async fn answered(
    shared: &Arc<RouteState>,
    caller: TokenHolder,
    wanted: StreamScope,
    place: Place,
) -> Result<Response, HttpRefusal> {
    let reader = shared.feed.readers.place(&caller.pairing)?;
    let stream = EventStream::open(shared.clone(), wanted, place, (caller.pairing.id, reader)).await?;
    let mut response = unkept(StatusCode::OK, "text/event-stream", Body::from_stream(stream.into_bytes()));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

//! Sessions, and their events a page at a time.

use crate::answers::{RouteAnswer, json};
use crate::serve::RouteState;
use arki_api::ExportFormat;
use arki_domain::Event;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use std::io::BufWriter;
use std::sync::Arc;

const LISTED: usize = 10_000;
const A_PAGE: usize = 1000;
const EXPORT_CHUNK_BYTES: usize = 64 * 1024;

#[derive(Deserialize)]
pub(crate) struct SessionEventsQuery {
    from: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionEvents {
    events: Vec<Event>,
    has_more: bool,
}

pub(crate) async fn list(State(shared): State<Arc<RouteState>>) -> RouteAnswer {
    let sessions = shared.reading(|engine| engine.worktrees().listed_sessions(LISTED)).await?;
    Ok(json(StatusCode::OK, &sessions))
}

pub(crate) async fn events(
    State(shared): State<Arc<RouteState>>,
    Path(id): Path<String>,
    Query(wanted): Query<SessionEventsQuery>,
) -> RouteAnswer {
    let page = shared.reading(move |engine| {
        let session = engine.session_names().find_session(&id)?;
        let before = wanted.from.unwrap_or(1).saturating_sub(1);
        engine.session_reader().events_after(&session.session_id, before, A_PAGE)
    });
    let page = page.await?;
    Ok(json(StatusCode::OK, &SessionEvents { events: page.events, has_more: page.has_more }))
}

#[derive(Deserialize)]
pub(crate) struct ExportQuery {
    format: Option<ExportFormat>,
}

/// A session as a file, written while it is read.
pub(crate) async fn export(
    State(shared): State<Arc<RouteState>>,
    Path(id): Path<String>,
    Query(wanted): Query<ExportQuery>,
) -> RouteAnswer {
    let session = shared.reading(move |engine| engine.session_names().find_session(&id)).await?;
    let format = wanted.format.unwrap_or(ExportFormat::Jsonl);
    let (media_type, name) = export_headers(format, session.session_id.as_str());
    let (chunks, body) = export_stream::body();
    tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::with_capacity(EXPORT_CHUNK_BYTES, chunks);
        if let Err(fault) = shared.engine().exports().export(&session, format, &mut out) {
            tracing::warn!(%fault, "a session could not be exported to its end");
            out.get_ref().break_off();
        }
    });
    // It quotes whatever the session has: as a page it can do nothing.
    let headers = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, body).into_response())
}

fn export_headers(format: ExportFormat, id: &str) -> (&'static str, String) {
    let (media_type, extension) = match format {
        ExportFormat::Jsonl => ("application/jsonl", "jsonl"),
        ExportFormat::Markdown => ("text/markdown; charset=utf-8", "md"),
        ExportFormat::Html => ("text/html; charset=utf-8", "html"),
        ExportFormat::Otlp => ("application/jsonl", "otlp.jsonl"),
    };
    let plain: String = id.chars().filter(|character| character.is_ascii_alphanumeric() || *character == '-').collect();
    (media_type, format!("session-{plain}.{extension}"))
}

/// An export on its way to whoever reads it.
mod export_stream {
    use axum::body::{Body, Bytes};
    use futures_util::stream::unfold;
    use std::io::{self, Write};
    use tokio::sync::mpsc;

    /// Chunks that are written and not read: what is exported waits for who reads it.
    const WAITING: usize = 4;

    pub(super) struct Chunks(mpsc::Sender<io::Result<Bytes>>);

    pub(super) fn body() -> (Chunks, Body) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let chunks = unfold(receiver, |mut receiver| async { receiver.recv().await.map(|chunk| (chunk, receiver)) });
        (Chunks(sender), Body::from_stream(chunks))
    }

    impl Chunks {
        /// Has the reader know that it isn't whole.
        pub(super) fn break_off(&self) {
            let _ = self.0.blocking_send(Err(io::ErrorKind::UnexpectedEof.into()));
        }
    }

    impl Write for Chunks {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes))).map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

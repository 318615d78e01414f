//! Events as they are sent: `text/event-stream`, with the cursor as the id of what is stored.

use arki_api::PrintedDelta;
use arki_domain::{Event, OutputDelta, RunId, SessionId};
use bytes::Bytes;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Sent where nothing has happened for a while. A client hears by it that the connection still stands.
pub(crate) const HEARTBEAT: Bytes = Bytes::from_static(b"event: heartbeat\ndata: {}\n\n");

/// One event, ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct SentEvent {
    pub(crate) session: SessionId,
    pub(crate) run: Option<RunId>,
    /// 0 for what isn't stored.
    pub(crate) seq: u64,
    /// `None` for what isn't stored: nobody can go on from there.
    pub(crate) cursor: Option<String>,
    pub(crate) ends_run: bool,
    pub(crate) rendered_at: Instant,
    pub(crate) text: Bytes,
}

impl SentEvent {
    pub(crate) fn stored(event: &Event, cursor: String) -> Self {
        let data = serde_json::to_string(event).unwrap_or_default();
        Self {
            session: event.session_id.clone(),
            run: event.run_id.clone(),
            seq: event.seq,
            rendered_at: Instant::now(),
            ends_run: matches!(event.kind.as_str(), "run.completed" | "run.failed" | "run.cancelled"),
            text: format!("id: {cursor}\nevent: {}\ndata: {data}\n\n", event.kind).into(),
            cursor: Some(cursor),
        }
    }

    /// A piece of an answer as it arrives.
    pub(crate) fn delta(session: SessionId, run: RunId, delta: OutputDelta) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let data = serde_json::to_string(&PrintedDelta::new(session.clone(), run.clone(), at, delta));
        Self {
            session,
            run: Some(run),
            seq: 0,
            cursor: None,
            ends_run: false,
            rendered_at: Instant::now(),
            text: format!("event: output.delta\ndata: {}\n\n", data.unwrap_or_default()).into(),
        }
    }
}

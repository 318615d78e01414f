//! Trace and span ids, made from the log's ids: whoever makes them again makes the same.

use arki_domain::{CallId, RunId, RunStarted, SessionId};
use sha2::{Digest, Sha256};

/// Sub-agents of sub-agents; beyond, a run counts as the first of its trace.
const MAX_DEPTH: usize = 32;

pub(crate) type TraceId = [u8; 16];
pub(crate) type SpanId = [u8; 8];

/// The trace of a run and of all that work for it.
pub(crate) fn trace_id(root: &RunId) -> TraceId {
    beginning(root.as_str())
}

pub(crate) fn span_id(id: &str) -> SpanId {
    beginning(id)
}

/// The span of a call. Its session is part of it: call ids are unique in a session, but a trace may have several.
pub(crate) fn call_span_id(session: &SessionId, call: &CallId) -> SpanId {
    span_id(&format!("{session}/{call}"))
}

pub(crate) fn turn_span_id(run: &RunId, turn: u32) -> SpanId {
    span_id(&format!("{run}/turn-{turn}"))
}

fn beginning<const N: usize>(text: &str) -> [u8; N] {
    let digest = Sha256::digest(text.as_bytes());
    std::array::from_fn(|place| digest[place])
}

/// The run that a run's trace is named after: the one above all whose calls it works for.
///
/// # Errors
/// Those of `start_of`, which finds a run's beginning.
pub fn root_run<E>(
    run: &RunId,
    started: &RunStarted,
    start_of: impl Fn(&RunId) -> Result<Option<RunStarted>, E>,
) -> Result<RunId, E> {
    let (mut root, mut above) = (run.clone(), started.parent.clone());
    for _ in 0..MAX_DEPTH {
        let Some(parent) = above else { break };
        above = start_of(&parent.run_id)?.and_then(|started| started.parent);
        root = parent.run_id;
    }
    Ok(root)
}

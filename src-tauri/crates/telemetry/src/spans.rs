//! The spans of one trace, in the order in which they began, and their ids, made from the log's ids: whoever makes them again
//! makes the same.

use crate::attributes::AttributeList;
use crate::messages::{STATUS_ERROR, Span, SpanEvent, Status};
use crate::names;
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

/// A run's trace has at most this many spans, and as many log records stand beside it. What comes later is left out,
/// and the run's own span says how much.
pub const MAX_RECORDS: usize = 50_000;

/// A span's place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpanPlace(usize);

pub(crate) struct SpanList {
    trace_id: TraceId,
    spans: Vec<Span>,
    left_out: usize,
}

impl SpanList {
    pub(crate) fn new(trace_id: TraceId) -> Self {
        Self { trace_id, spans: Vec::new(), left_out: 0 }
    }

    /// Begins a span by its name and kind; `at` is in nanoseconds since 1970, as all times here. `None` where there are too
    /// many already.
    pub(crate) fn begin(
        &mut self,
        id: SpanId,
        parent: Option<SpanId>,
        (name, kind): (String, i32),
        at: u64,
    ) -> Option<SpanPlace> {
        if self.spans.len() >= MAX_RECORDS {
            self.left_out += 1;
            return None;
        }
        self.spans.push(Span {
            trace_id: self.trace_id.to_vec(),
            span_id: id.to_vec(),
            parent_span_id: parent.map(|id| id.to_vec()).unwrap_or_default(),
            name,
            kind,
            start_time_unix_nano: at,
            ..Span::default()
        });
        Some(SpanPlace(self.spans.len() - 1))
    }

    pub(crate) fn at(&mut self, place: SpanPlace) -> &mut Span {
        &mut self.spans[place.0]
    }

    pub(crate) fn id(&self, place: SpanPlace) -> SpanId {
        SpanId::try_from(self.spans[place.0].span_id.as_slice()).unwrap_or_default()
    }

    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Ends what is still open.
    pub(crate) fn finish(mut self, at: u64) -> Vec<Span> {
        for span in self.spans.iter_mut().filter(|span| span.end_time_unix_nano == 0) {
            span.end(at);
            span.attributes.set(names::UNFINISHED, true);
        }
        self.spans
    }
}

impl Span {
    /// A clock may have been set back: nothing ends before it begins.
    pub(crate) fn end(&mut self, at: u64) {
        self.end_time_unix_nano = at.max(self.start_time_unix_nano);
    }

    pub(crate) fn fail(&mut self, code: &str) {
        self.attributes.set(names::ERROR_TYPE, code);
        self.status = Some(Status { message: String::new(), code: STATUS_ERROR });
    }

    pub(crate) fn tell(&mut self, at: u64, name: &str) -> &mut SpanEvent {
        self.events.push(SpanEvent { time_unix_nano: at, name: name.to_owned(), attributes: Vec::new() });
        let last = self.events.len() - 1;
        &mut self.events[last]
    }
}

//! The spans of one trace, in the order in which they began.

use crate::attributes::AttributeList;
use crate::ids::{SpanId, TraceId};
use crate::messages::{STATUS_ERROR, Span, SpanEvent, Status};
use crate::names;

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

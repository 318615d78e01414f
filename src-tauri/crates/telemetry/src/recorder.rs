//! A run's telemetry, gathered event by event.
//!
//! The spans: the run (`invoke_agent`), in it its turns, in these the requests to models, which cover their retries,
//! and the tool calls, in these the questions for approval and the hooks. A sub-agent's run is a child of the call that
//! began it, in the same trace, though its events lie in another session.

mod calls;
mod contents;
mod log_records;
mod requests;
mod runs;

pub use contents::{MAX_CONTENT_BYTES, TelemetryContents};

use crate::measures::{Measures, Period};
use crate::messages::{LogRecord, Span};
use crate::run_telemetry::{Resource, RunTelemetry};
use crate::spans::{MAX_RECORDS, SpanId, SpanList, SpanPlace, TraceId, trace_id};
use arki_domain::{Event, EventBody, RequestPurpose, RunId, SessionId};
use std::collections::HashMap;
use std::mem::Discriminant;

/// An event's moment in nanoseconds since 1970; the log has milliseconds.
fn nanoseconds(ts: i64) -> u64 {
    u64::try_from(ts).unwrap_or(0).saturating_mul(1_000_000)
}

fn seconds(milliseconds: u64) -> f64 {
    std::time::Duration::from_millis(milliseconds).as_secs_f64()
}

/// Takes a run's events, oldest first.
pub struct RunRecorder {
    session: SessionId,
    run: RunId,
    trace_id: TraceId,
    contents: TelemetryContents,
    period: Option<Period>,
    spans: SpanList,
    open: OpenSpans,
    is_compacted: bool,
    usage: runs::SummedUsage,
    measures: Measures,
    records: Vec<LogRecord>,
    left_out_records: usize,
}

/// The spans that later events belong to.
#[derive(Default)]
struct OpenSpans {
    run: Option<SpanPlace>,
    turn: Option<(u32, SpanPlace)>,
    /// By their purposes; `None` for turns.
    requests: HashMap<Option<Discriminant<RequestPurpose>>, requests::UnansweredRequest>,
    /// The last request that was answered, for the message that follows.
    answered: Option<SpanPlace>,
    calls: HashMap<String, SpanPlace>,
    approvals: HashMap<String, calls::OpenApproval>,
    steps: HashMap<String, SpanPlace>,
}

impl RunRecorder {
    /// `root` names the trace: see [`crate::root_run`].
    #[must_use]
    pub fn new(session: SessionId, run: RunId, root: &RunId, contents: TelemetryContents) -> Self {
        let trace_id = trace_id(root);
        Self {
            session,
            run,
            trace_id,
            contents,
            period: None,
            spans: SpanList::new(trace_id),
            open: OpenSpans::default(),
            is_compacted: false,
            usage: runs::SummedUsage::default(),
            measures: Measures::default(),
            records: Vec::new(),
            left_out_records: 0,
        }
    }

    pub fn take(&mut self, event: &Event) {
        let at = nanoseconds(event.ts);
        let period = self.period.get_or_insert(Period { from: at, to: at });
        period.to = period.to.max(at);
        let body = event.body();
        self.map(event, &body, at);
        self.record(event, &body, at);
    }

    fn map(&mut self, event: &Event, body: &EventBody, at: u64) {
        match body {
            EventBody::RunStarted(started) => self.run_started(event, started, at),
            EventBody::RunPaused(paused) => self.run_paused(paused, at),
            EventBody::RunResumed(_) => self.run_resumed(at),
            EventBody::RunCompleted(completed) => self.run_completed(completed, at),
            EventBody::RunFailed(failed) => self.run_failed(&failed.code, at),
            EventBody::RunCancelled(cancelled) => self.run_cancelled(&cancelled.code, at),
            EventBody::EngineRequest(request) => self.requested(event, request, at),
            EventBody::EngineRetry(retry) => self.retried(retry, at),
            EventBody::EngineResponse(response) => self.answered(response, at),
            EventBody::OutputMessage(message) => self.said(message),
            EventBody::ContextCompacted(_) => self.is_compacted = true,
            EventBody::ToolCall(call) => self.called(call, at),
            EventBody::PolicyDecided(decided) => self.decided(decided),
            EventBody::SubagentStarted(started) => self.handed_on(started),
            EventBody::ToolResult(result) => self.returned(result, at),
            EventBody::ApprovalRequested(requested) => self.asked(event, requested, at),
            EventBody::ApprovalResolved(resolved) => self.resolved(resolved, at),
            EventBody::HookRan(ran) => self.hook_ran(event, ran, at),
            EventBody::StepStarted(step) => self.step_started(event, step, at),
            EventBody::StepCompleted(step) => self.step_ended(&step.step, None, at),
            EventBody::StepFailed(step) => self.step_ended(&step.step, Some(&step.code), at),
            _ => {}
        }
    }

    /// The parent of what belongs to no call: the turn, or the run where there is none.
    fn innermost(&self) -> Option<SpanId> {
        let place = self.open.turn.map(|(_, place)| place).or(self.open.run)?;
        Some(self.spans.id(place))
    }

    fn span(&mut self, place: SpanPlace) -> &mut Span {
        self.spans.at(place)
    }

    /// All that the events came to. Spans that are still open end with the last event, and say that they are
    /// unfinished.
    #[must_use]
    pub fn finish(mut self, resource: &Resource) -> RunTelemetry {
        let period = self.period.unwrap_or(Period { from: 0, to: 0 });
        self.conclude_run();
        let (spans, metrics) = (self.spans.finish(period.to), self.measures.metrics(period));
        RunTelemetry::new(resource, spans, metrics, self.records)
    }

    fn left_out(&self) -> usize {
        self.spans.left_out() + self.left_out_records
    }

    fn keep(&mut self, record: LogRecord) {
        match self.records.len() < MAX_RECORDS {
            true => self.records.push(record),
            false => self.left_out_records += 1,
        }
    }
}

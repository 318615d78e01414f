//! A log record for each event: what happened and when, never what was written.

use super::RunRecorder;
use crate::attributes::AttributeList;
use crate::messages::LogRecord;
use crate::names;
use arki_domain::{Event, EventBody};

/// OpenTelemetry's numbers for severities, with their words.
const INFO: (i32, &str) = (9, "INFO");
const WARN: (i32, &str) = (13, "WARN");
const ERROR: (i32, &str) = (17, "ERROR");

impl RunRecorder {
    pub(super) fn record(&mut self, event: &Event, body: &EventBody, at: u64) {
        let (severity, code) = outcome(body);
        let mut attributes = Vec::new();
        attributes.set(names::EVENT_NAME, &event.kind);
        attributes.set(names::CONVERSATION_ID, event.session_id.as_str());
        attributes.set(names::RUN_ID, self.run.as_str());
        attributes.set(names::EVENT_ID, event.event_id.as_str());
        attributes.set(names::EVENT_SEQ, event.seq);
        attributes.set_some(names::ERROR_TYPE, code);
        let span = match call_of(body) {
            Some(call) => self.parent_of_call(Some(call)),
            None => self.innermost(),
        };
        self.keep(LogRecord {
            time_unix_nano: at,
            observed_time_unix_nano: at,
            severity_number: severity.0,
            severity_text: severity.1.to_owned(),
            attributes,
            trace_id: self.trace_id.to_vec(),
            span_id: span.map(|id| id.to_vec()).unwrap_or_default(),
            event_name: event.kind.clone(),
        });
    }
}

/// The call that an event is about.
fn call_of(body: &EventBody) -> Option<&str> {
    let call = match body {
        EventBody::ToolCall(call) => &call.call_id,
        EventBody::PolicyDecided(decided) => &decided.call_id,
        EventBody::CommandEnded(ended) => &ended.call_id,
        EventBody::ToolResult(result) => &result.call_id,
        EventBody::FileChanged(changed) => &changed.call_id,
        EventBody::SubagentStarted(started) => &started.call_id,
        EventBody::ApprovalRequested(requested) => requested.call_id.as_ref()?,
        EventBody::HookRan(ran) => ran.call_id.as_ref()?,
        _ => return None,
    };
    Some(call.as_str())
}

fn outcome(body: &EventBody) -> ((i32, &'static str), Option<&str>) {
    match body {
        EventBody::RunFailed(failed) => (ERROR, Some(&failed.code)),
        EventBody::StepFailed(failed) => (ERROR, Some(&failed.code)),
        EventBody::ToolResult(result) if result.is_error => (ERROR, result.code.as_deref()),
        EventBody::ToolAsyncResult(result) if result.is_error => (ERROR, None),
        EventBody::EngineRetry(retry) => (WARN, Some(&retry.code)),
        EventBody::RunCancelled(cancelled) => (WARN, Some(&cancelled.code)),
        _ => (INFO, None),
    }
}

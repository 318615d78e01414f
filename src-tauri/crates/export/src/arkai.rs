//! Events in the form of the arkai kernel, where work is a run of steps.
//!
//! One line for each event, named as its kind is. A *step* is what begins and ends within a run: a tool call (by its
//! id), a turn of the model (`turn-3`) or a pipeline's step (by its name). The idempotency key of a step names its run,
//! itself and its input; everything that is stored of the step carries the same one. What belongs to no step is keyed
//! by its kind and what it says.

mod summary;

use arki_domain::{Event, canonical_json, sha256_hex};
use serde::Serialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use summary::{failure, summary};

/// The length of an input's hash in a key, in hexadecimal digits.
const KEY_DIGITS: usize = 16;

/// One line.
#[derive(Debug, Serialize)]
pub struct ArkaiEvent<'a> {
    id: &'a str,
    /// RFC 3339, in UTC, to the millisecond.
    timestamp: String,
    /// The session's id for what happened outside of a run.
    run_id: &'a str,
    step_id: Option<String>,
    event_type: String,
    idempotency_key: String,
    /// One line.
    payload_summary: String,
    status: ArkaiStatus,
    /// The duration of a run, from its start, with all its pauses.
    duration_ms: Option<u64>,
    error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ArkaiStatus {
    /// Waits for somebody.
    Pending,
    /// Has begun, or may begin.
    Running,
    Completed,
    Failed,
    /// Will not be done: forbidden, rejected, or done before.
    Skipped,
}

/// Translates a session's or a run's events, oldest first and without gaps: what a step's later events mean is in its
/// earlier ones.
#[derive(Debug, Default)]
pub struct Arkai {
    run_started: Option<i64>,
    /// Keys of the steps of the current run.
    keys: HashMap<String, String>,
    /// The step that an approval, or something beside the run, belongs to.
    steps: HashMap<String, String>,
    /// The steps that will not be done.
    skipped: HashSet<String>,
}

/// Returns an event's summary, on one line.
#[must_use]
pub fn event_summary(event: &Event) -> String {
    summary(&event.kind, &serde_json::from_str(event.payload.get()).unwrap_or_default())
}

impl Arkai {
    pub fn line<'a>(&mut self, event: &'a Event) -> ArkaiEvent<'a> {
        let payload: Value = serde_json::from_str(event.payload.get()).unwrap_or_default();
        let run_id = event.run_id.as_ref().map_or(event.session_id.as_str(), |run| run.as_str());
        let step_id = self.step(event, &payload);
        let event_type = event.kind.replace('.', "_");
        let idempotency_key = self.key(run_id, step_id.as_deref(), &event_type, &payload);
        let status = self.status(&event.kind, step_id.as_deref(), &payload);
        let line = ArkaiEvent {
            id: event.event_id.as_str(),
            timestamp: timestamp(event.ts),
            run_id,
            step_id,
            event_type,
            idempotency_key,
            payload_summary: summary(&event.kind, &payload),
            status,
            duration_ms: self.duration(event, &payload),
            error: (status == ArkaiStatus::Failed).then(|| failure(&payload)),
        };
        if is_run_end(&event.kind) {
            *self = Self::default();
        }
        line
    }

    fn step(&mut self, event: &Event, payload: &Value) -> Option<String> {
        let field = |name: &str| payload[name].as_str().map(str::to_owned);
        if event.kind.starts_with("step.") {
            return field("step");
        }
        let beside = ["approvalId", "questionId", "asyncCallId"].into_iter().find_map(field);
        // A gate is a step of its pipeline.
        let gate = payload["args"]["step"].as_str().filter(|_| payload["kind"] == "gate").map(str::to_owned);
        let step = match field("callId").or(gate) {
            Some(step) => Some(step),
            None => match beside.as_ref().and_then(|id| self.steps.get(id)) {
                Some(known) => Some(known.clone()),
                None if event.kind == "tool.async_result" => beside.clone(),
                None => payload["turn"].as_u64().map(|turn| format!("turn-{turn}")),
            },
        };
        if let (Some(id), Some(step)) = (beside, &step) {
            self.steps.insert(id, step.clone());
        }
        step
    }

    fn key(&mut self, run_id: &str, step: Option<&str>, event_type: &str, payload: &Value) -> String {
        if let Some(key) = payload["idempotencyKey"].as_str() {
            return key.to_owned();
        }
        let Some(step) = step else { return format!("{run_id}:{event_type}:{}", digits(payload)) };
        let input = match event_type {
            "tool_call" => Some(digits(&payload["args"])),
            // It is a hash already: that of the request's bytes.
            "engine_request" => payload["requestHash"].as_str().map(|hash| hash.chars().take(KEY_DIGITS).collect()),
            _ => None,
        };
        match input {
            Some(input) => {
                let key = format!("{run_id}:{step}:{input}");
                self.keys.insert(step.to_owned(), key.clone());
                key
            }
            None => self.keys.get(step).cloned().unwrap_or_else(|| format!("{run_id}:{step}:{}", digits(payload))),
        }
    }

    /// The result of a call that was denied or rejected only says so: nothing has failed.
    fn status(&mut self, kind: &str, step: Option<&str>, payload: &Value) -> ArkaiStatus {
        let status = status(kind, payload);
        let Some(step) = step else { return status };
        match (kind, status) {
            ("policy.decided" | "approval.resolved", ArkaiStatus::Skipped) => {
                self.skipped.insert(step.to_owned());
                status
            }
            ("tool.result", ArkaiStatus::Failed) if self.skipped.contains(step) => ArkaiStatus::Skipped,
            _ => status,
        }
    }

    fn duration(&mut self, event: &Event, payload: &Value) -> Option<u64> {
        if event.kind == "run.started" {
            self.run_started = Some(event.ts);
        }
        let since_start = || self.run_started.and_then(|start| u64::try_from(event.ts - start).ok());
        payload["durationMs"].as_u64().or_else(|| is_run_end(&event.kind).then(since_start).flatten())
    }
}

fn digits(input: &Value) -> String {
    let canonical = canonical_json(input).unwrap_or_else(|_| input.to_string());
    sha256_hex(canonical.as_bytes()).chars().take(KEY_DIGITS).collect()
}

fn is_run_end(kind: &str) -> bool {
    matches!(kind, "run.completed" | "run.failed" | "run.cancelled")
}

fn timestamp(ts: i64) -> String {
    jiff::Timestamp::from_millisecond(ts).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn status(kind: &str, payload: &Value) -> ArkaiStatus {
    let is = |field: &str| payload[field] == Value::Bool(true);
    match kind {
        "run.paused" | "approval.requested" | "question.asked" | "message.queued" | "plan.proposed" => {
            ArkaiStatus::Pending
        }
        "run.started" | "run.resumed" | "engine.request" | "engine.retry" | "tool.call" | "step.started" => {
            ArkaiStatus::Running
        }
        "run.failed" | "run.cancelled" | "step.failed" => ArkaiStatus::Failed,
        "step.skipped" => ArkaiStatus::Skipped,
        "policy.decided" => match payload["decision"].as_str() {
            Some("deny") => ArkaiStatus::Skipped,
            Some("approval" | "preview") => ArkaiStatus::Pending,
            _ => ArkaiStatus::Running,
        },
        "approval.resolved" if payload["decision"] == "reject" => ArkaiStatus::Skipped,
        "approval.resolved" => ArkaiStatus::Running,
        "tool.result" | "tool.async_result" if is("isError") => ArkaiStatus::Failed,
        "output.message" if is("interrupted") => ArkaiStatus::Failed,
        "hook.ran" if payload["exitCode"].as_i64().is_some_and(|code| code != 0) => ArkaiStatus::Failed,
        _ => ArkaiStatus::Completed,
    }
}

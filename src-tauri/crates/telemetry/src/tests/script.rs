//! Runs as they would be stored, with ids and times that stay the same.

use crate::{Resource, RunRecorder, RunTelemetry, TelemetryContents};
use arki_domain::{Event, EventBody, EventId, GENESIS_HASH, RunId, SessionId};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The moment of the first event.
pub(super) const BEGUN: i64 = 1_760_000_000_000;

/// Something that must be nowhere unless contents are asked for.
pub(super) const WRITTEN: &str = "WRITTEN-BY-SOMEBODY";

#[derive(Debug)]
pub(super) struct Script {
    pub(super) run: &'static str,
    pub(super) events: Vec<Event>,
    now: i64,
}

impl Script {
    pub(super) fn of(run: &'static str) -> Self {
        Self { run, events: Vec::new(), now: BEGUN }
    }

    /// Appends an event that comes so many milliseconds after the last one.
    pub(super) fn after(&mut self, milliseconds: i64, kind: &str, payload: &Value) {
        self.now += milliseconds;
        let seq = self.events.len() as u64 + 1;
        let event = Event {
            event_id: EventId::from(format!("{}-event-{seq}", self.run)),
            run_id: Some(RunId::from(self.run)),
            session_id: SessionId::from("session-1"),
            seq,
            ts: self.now,
            kind: kind.to_owned(),
            payload: RawValue::from_string(payload.to_string()).unwrap(),
            prev_hash: GENESIS_HASH.to_owned(),
            hash: String::new(),
        };
        assert!(!matches!(event.body(), EventBody::Unknown), "{kind} {payload}");
        self.events.push(event);
    }

    pub(super) fn told(&self, contents: TelemetryContents) -> RunTelemetry {
        self.told_under(self.run, contents)
    }

    pub(super) fn told_under(&self, root: &str, contents: TelemetryContents) -> RunTelemetry {
        let (session, run) = (SessionId::from("session-1"), RunId::from(self.run));
        let mut recorder = RunRecorder::new(session, run, &RunId::from(root), contents);
        self.events.iter().for_each(|event| recorder.take(event));
        recorder.finish(&Resource::default())
    }
}

pub(super) fn lines(told: &RunTelemetry) -> Vec<Value> {
    let mut out = Vec::new();
    told.write_json_lines(&mut out).unwrap();
    String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn started() -> Value {
    json!({
        "prompt": WRITTEN, "agent": "arki", "model": "lab/small", "core": "tool-loop", "systemPromptHash": "00",
        "options": {"approve": "ask", "maxTurns": 50, "maxSeconds": null, "maxCostUsd": null},
    })
}

pub(super) fn usage(cost: Option<f64>) -> Value {
    json!({
        "promptTokens": 1200, "completionTokens": 34, "totalTokens": 1234, "cachedTokens": 1000, "reasoningTokens": 7,
        "costUsd": cost,
    })
}

/// A request that is tried again, an edit that is approved in part, a hook, a sub-agent, a command that fails.
pub(super) fn rich() -> Script {
    let mut script = Script::of("run-1");
    script.after(0, "run.started", &started());
    ask(&mut script, 1);
    script.after(
        1000,
        "engine.retry",
        &json!({"turn": 1, "code": "PROVIDER_OVERLOADED", "delayMs": 500, "attempt": 1}),
    );
    answer(&mut script, 1, Some(0.25));
    edit(&mut script);
    ask(&mut script, 2);
    answer(&mut script, 2, Some(0.5));
    delegate(&mut script);
    ask(&mut script, 3);
    answer(&mut script, 3, None);
    let completed = json!({"response": WRITTEN, "turns": 3, "usage": usage(Some(0.75))});
    script.after(10, "run.completed", &completed);
    script
}

pub(super) fn ask(script: &mut Script, turn: u32) {
    let request = json!({
        "turn": turn, "provider": "lab", "model": "small", "requestHash": "ab", "messageCount": 3,
    });
    script.after(10, "engine.request", &request);
}

pub(super) fn answer(script: &mut Script, turn: u32, cost: Option<f64>) {
    let response = json!({
        "turn": turn, "finishReason": "tool_calls", "usage": usage(cost), "ttftMs": 120, "durationMs": 900,
    });
    script.after(900, "engine.response", &response);
    let message = json!({
        "turn": turn, "role": "assistant", "content": WRITTEN, "thoughts": WRITTEN, "interrupted": false,
    });
    script.after(0, "output.message", &message);
}

pub(super) fn call(script: &mut Script, call: &str, tool: &str, category: &str) {
    let call = json!({
        "turn": 1, "callId": call, "toolId": tool, "args": {"path": WRITTEN}, "category": category,
    });
    script.after(0, "tool.call", &call);
}

pub(super) fn end(script: &mut Script, call: &str, tool: &str, code: Option<&str>) {
    let result = json!({
        "callId": call, "toolId": tool, "result": WRITTEN, "isError": code.is_some(), "durationMs": 25,
        "truncated": false, "code": code,
    });
    script.after(25, "tool.result", &result);
}

fn decide(script: &mut Script, call: &str, decision: &str) {
    let decided = json!({
        "callId": call, "decision": decision, "rule": "category:write", "reason": WRITTEN, "risk": "medium",
    });
    script.after(1, "policy.decided", &decided);
}

fn edit(script: &mut Script) {
    call(script, "call-1", "edit_file", "write");
    decide(script, "call-1", "preview");
    let hunk = |index: u32| json!({"index": index, "path": WRITTEN, "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1});
    let preview = json!({
        "filesAffected": [WRITTEN], "linesChanged": 2, "diff": WRITTEN, "hunks": [hunk(1), hunk(2)],
        "previewHash": "cd",
    });
    let requested = json!({
        "approvalId": "approval-1", "callId": "call-1", "toolId": "edit_file", "args": {"path": WRITTEN},
        "risk": "medium", "rule": "category:write", "reason": WRITTEN, "preview": preview,
    });
    script.after(1, "approval.requested", &requested);
    script.after(0, "run.paused", &json!({"reason": "approval", "approvalId": "approval-1"}));
    let resolved = json!({
        "approvalId": "approval-1", "decision": "approve", "hunks": [1], "reason": WRITTEN,
        "resolvedBy": WRITTEN, "previewHash": "cd",
    });
    script.after(60_000, "approval.resolved", &resolved);
    script.after(5, "run.resumed", &json!({"reason": "approval", "approvalId": "approval-1"}));
    decide(script, "call-1", "allow");
    let ran = json!({
        "hook": WRITTEN, "command": WRITTEN, "exitCode": 0, "durationMs": 40, "event": "PostToolUse",
        "callId": "call-1", "said": WRITTEN,
    });
    script.after(50, "hook.ran", &ran);
    end(script, "call-1", "edit_file", None);
}

fn delegate(script: &mut Script) {
    call(script, "call-2", "delegate", "read");
    let begun = json!({"callId": "call-2", "agent": "explorer", "sessionId": "session-2", "runId": "run-2"});
    script.after(5, "subagent.started", &begun);
    end(script, "call-2", "delegate", None);
    call(script, "call-3", "run_command", "exec");
    end(script, "call-3", "run_command", Some("COMMAND_FAILED"));
}

/// The run that [`rich`]'s sub-agent does.
pub(super) fn subagent() -> Script {
    let mut script = Script::of("run-2");
    let mut started = started();
    started["agent"] = json!("explorer");
    started["parent"] = json!({"sessionId": "session-1", "runId": "run-1", "callId": "call-2"});
    script.after(6, "run.started", &started);
    script.after(10, "run.failed", &json!({"code": "PROVIDER_OVERLOADED", "message": WRITTEN, "retryable": true}));
    script
}

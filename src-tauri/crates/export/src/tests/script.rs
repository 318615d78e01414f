//! Sessions as they would be stored, with ids and times that stay the same.

use crate::export::write;
use crate::lineage::EventSource;
use arki_api::ExportFormat;
use arki_domain::projection::SessionSummary;
use arki_domain::*;
use arki_store::EventPage;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Three milliseconds before the first event.
const BEGUN: i64 = 1_760_000_000_000;

#[derive(Default)]
pub(super) struct Script {
    pub(super) sessions: BTreeMap<SessionId, Vec<Event>>,
    /// The largest page that was asked for.
    pub(super) largest_page: Cell<usize>,
}

impl Script {
    /// Appends events of a run, or outside of one, as kind and payload.
    pub(super) fn append(&mut self, session: &str, run: Option<&str>, kind: &str, payload: &Value) {
        let events = self.sessions.entry(SessionId::from(session)).or_default();
        let seq = events.len() as u64 + 1;
        let prev_hash = events.last().map_or_else(|| GENESIS_HASH.to_owned(), |event| event.hash.clone());
        let mut event = Event {
            event_id: EventId::from(format!("event-{seq}").as_str()),
            run_id: run.map(RunId::from),
            session_id: SessionId::from(session),
            seq,
            ts: BEGUN + 1000 * i64::try_from(seq).unwrap(),
            kind: kind.to_owned(),
            payload: RawValue::from_string(canonical_json(payload).unwrap()).unwrap(),
            prev_hash,
            hash: String::new(),
        };
        event.hash = event.computed_hash().unwrap();
        let is_known = !matches!(event.body(), EventBody::Unknown);
        assert!(is_known || kind.contains("imagined"), "{kind} {payload}");
        events.push(event);
    }

    pub(super) fn events(&self, session: &str) -> &[Event] {
        &self.sessions[&SessionId::from(session)]
    }

    fn summary(&self, session: &str) -> SessionSummary {
        let mut summary = SessionSummary::new(SessionId::from(session));
        self.events(session).iter().for_each(|event| summary.apply(event, &event.body()));
        summary
    }

    pub(super) fn export(&self, session: &str, format: ExportFormat) -> String {
        let mut out = Vec::new();
        assert!(write(self, &self.summary(session), format, &mut out).is_ok());
        String::from_utf8(out).unwrap()
    }
}

impl EventSource for Script {
    fn events(&self, session: &SessionId, after_seq: u64, limit: usize) -> Result<EventPage, Error> {
        self.largest_page.set(self.largest_page.get().max(limit));
        let all = self.sessions.get(session).map(Vec::as_slice).unwrap_or_default();
        let later: Vec<Event> = all.iter().filter(|event| event.seq > after_seq).cloned().collect();
        Ok(EventPage { has_more: later.len() > limit, events: later.into_iter().take(limit).collect() })
    }
}

fn usage(cost: Option<f64>) -> Value {
    json!({"promptTokens": 1200, "completionTokens": 34, "totalTokens": 1234, "cachedTokens": 1000, "costUsd": cost})
}

/// One of everything that the documents tell of.
pub(super) fn rich() -> Script {
    let mut script = Script::default();
    let mut add = |run: Option<&str>, kind: &str, payload: Value| script.append("session-1", run, kind, &payload);
    let created = json!({"title": "Fix the *parser* <b>", "project": "/home/ada/code", "agent": "arki"});
    add(None, "session.created", created);
    add(None, "trust.changed", json!({"project": "/home/ada/code", "trusted": true, "pins": []}));
    first_run(&mut |kind, payload| add(Some("run-1"), kind, payload));
    second_run(&mut |kind, payload| add(Some("run-2"), kind, payload));
    script
}

fn first_run(add: &mut dyn FnMut(&str, Value)) {
    add("run.started", started("The parser drops the last line.\n\nPlease fix it."));
    turn(add, 1, Some(0.01), "Let me look at `parse.rs` first.", Some("It is the loop, I think."));
    call(add, 1, "call-1", "read_file", "read", &json!({"path": "src/parse.rs"}));
    add("policy.decided", decided("call-1", "allow", "category:read"));
    add("tool.result", result("call-1", "read_file", &numbered_lines(70), false));
    turn(add, 2, Some(0.01), "The loop ends early:\n\n```rust\nfor i in 0..n - 1 {}\n```\n\nI change it.", None);
    let edits = json!([{"old_text": "n - 1", "new_text": "n"}]);
    call(add, 2, "call-2", "edit_file", "write", &json!({"path": "src/parse.rs", "edits": edits}));
    add("policy.decided", decided("call-2", "preview", "category:write"));
    add("approval.requested", asked("call-2", &edits));
    add("run.paused", json!({"reason": "approval", "approvalId": "approval-1"}));
    add(
        "approval.resolved",
        json!({"approvalId": "approval-1", "decision": "approve", "hunks": [1], "edited": {"1": "for i in 0..n {\n"},
        "reason": "Only the first,\nplease.", "resolvedBy": "window", "previewHash": "ee"}),
    );
    add("policy.decided", decided("call-2", "allow", "approval:approval-1"));
    add(
        "file.changed",
        json!({"path": "src/parse.rs", "beforeHash": "aa", "afterHash": "bb", "callId": "call-2", "hunks": [1]}),
    );
    add("tool.result", result("call-2", "edit_file", "Hunk 1: edited. Hunk 2: rejected.", false));
    turn(add, 3, Some(0.01), "Done.", None);
    add("run.completed", json!({"response": "Done.", "turns": 3, "usage": usage(Some(0.03))}));
}

fn second_run(add: &mut dyn FnMut(&str, Value)) {
    add("run.started", started("Now a test, and clean up."));
    turn(add, 1, None, "", None);
    call(
        add,
        1,
        "call-3",
        "write_file",
        "write",
        &json!({"path": "tests/parse.rs", "content": "#[test]\nfn all() {}\n"}),
    );
    add("policy.decided", decided("call-3", "allow", "approve:edits"));
    add(
        "file.changed",
        json!({"path": "tests/parse.rs", "beforeHash": null, "afterHash": "cc", "callId": "call-3", "hunks": [1]}),
    );
    add("tool.result", result("call-3", "write_file", "", false));
    call(add, 1, "call-4", "run_command", "exec", &json!({"command": "rm -rf /"}));
    add("policy.decided", decided("call-4", "deny", "config:rules[0]"));
    let denied = json!({"callId": "call-4", "toolId": "run_command", "result": "The policy does not allow it.", "isError": true,
        "durationMs": 0, "truncated": false, "code": "POLICY_DENIED"});
    add("tool.result", denied);
    call(add, 1, "call-5", "run_command", "exec", &json!({"command": "cargo test"}));
    add(
        "approval.requested",
        json!({"approvalId": "approval-2", "callId": "call-5", "toolId": "run_command", "args": {"command": "cargo test"},
        "risk": "low", "rule": "category:exec", "reason": "Commands ask first.",
        "command": {"command": "cargo test", "directory": "/home/ada/code", "environment": ["PATH"], "sandbox": "landlock", "previewHash": "dd"}}),
    );
    add(
        "approval.resolved",
        json!({"approvalId": "approval-2", "decision": "reject", "resolvedBy": "cli", "previewHash": "dd"}),
    );
    add(
        "run.failed",
        json!({"code": "PROVIDER_UNREACHABLE", "message": "Can't reach lab.", "hint": "Start it.", "retryable": true}),
    );
}

/// What happens around a conversation.
pub(super) fn eventful() -> Script {
    let mut script = Script::default();
    let mut add = |kind: &str, payload: Value| script.append("session-1", Some("run-1"), kind, &payload);
    add("session.created", json!({"title": "A long day", "project": "/p", "agent": "arki"}));
    add("run.started", started("Begin."));
    add(
        "plan.proposed",
        json!({"intent": "Tidy *up*", "steps": [{"title": "Look", "state": "done"}, {"title": "Act", "state": "pending"}]}),
    );
    add("message.queued", json!({"messageId": "m-1", "text": "Not the tests!", "mode": "steer"}));
    add("message.queued", json!({"messageId": "m-2", "text": "Never mind.", "mode": "steer"}));
    add("queue.changed", json!({"queued": [{"messageId": "m-1", "mode": "steer", "text": "Not the slow tests!"}]}));
    add("queue.changed", json!({"queued": [], "delivered": ["m-1"]}));
    add("context.dropped", json!({"eventId": "e", "part": "result:c1", "reason": "lab refused it."}));
    add("engine.retry", json!({"turn": 1, "code": "PROVIDER_RATE_LIMITED", "delayMs": 1000, "attempt": 1}));
    let question = json!({"question": "Which one?", "options": ["The red one", "The blue one"]});
    add("tool.call", json!({"turn": 1, "callId": "ask", "toolId": "ask_user", "args": question, "category": "read"}));
    add(
        "question.asked",
        json!({"questionId": "q", "callId": "ask", "text": "Which one?", "options": ["The red one", "The blue one"]}),
    );
    add("run.paused", json!({"reason": "user", "questionId": "q"}));
    add("question.answered", json!({"questionId": "q", "text": "The blue one."}));
    add("run.resumed", json!({"reason": "user", "questionId": "q"}));
    add(
        "tool.result",
        json!({"callId": "ask", "toolId": "ask_user", "result": "The blue one.", "isError": false, "durationMs": 0,
            "truncated": false}),
    );
    add("hook.ran", json!({"hook": "PostToolUse", "command": "cargo fmt", "exitCode": 1, "durationMs": 3}));
    add(
        "artifact.emitted",
        json!({"artifactId": "a", "name": "plot.svg", "mediaType": "image/svg+xml", "bytes": 2048, "contentHash": "00"}),
    );
    add(
        "tool.async_result",
        json!({"asyncCallId": "x", "toolId": "run_command", "result": "all green", "isError": false}),
    );
    add(
        "context.compacted",
        json!({"strategy": "summarize-early", "tokensBefore": 9000, "tokensAfter": 900, "targetTokens": 4000, "droppedSeqRange": [2, 5], "summary": "…"}),
    );
    add("run.paused", json!({"reason": "budget"}));
    add("run.resumed", json!({"reason": "budget"}));
    add("run.cancelled", json!({"code": "CANCELLED", "message": "", "retryable": false}));
    let file =
        |path: &str, action: &str| json!({"path": path, "action": action, "beforeHash": null, "afterHash": null});
    add(
        "session.rewound",
        json!({"toSeq": 2, "files": true, "conversation": true,
        "changes": [file("a.rs", "restore"), file("b.rs", "conflict")]}),
    );
    script
}

fn started(prompt: &str) -> Value {
    json!({"prompt": prompt, "agent": "arki", "model": "lab/tiny", "core": "tool-loop", "systemPromptHash": "00", "options": {}})
}

fn turn(add: &mut dyn FnMut(&str, Value), turn: u32, cost: Option<f64>, content: &str, thoughts: Option<&str>) {
    let hash = "0123456789abcdef".repeat(4);
    add(
        "engine.request",
        json!({"turn": turn, "provider": "lab", "model": "tiny", "requestHash": hash, "messageCount": 2}),
    );
    add(
        "engine.response",
        json!({"turn": turn, "finishReason": "stop", "usage": usage(cost), "ttftMs": 5, "durationMs": 40}),
    );
    let mut message = json!({"turn": turn, "role": "assistant", "content": content, "interrupted": false});
    if let Some(thoughts) = thoughts {
        message["thoughts"] = json!(thoughts);
    }
    add("output.message", message);
}

fn call(add: &mut dyn FnMut(&str, Value), turn: u32, call_id: &str, tool: &str, category: &str, args: &Value) {
    add("tool.call", json!({"turn": turn, "callId": call_id, "toolId": tool, "args": args, "category": category}));
}

fn decided(call_id: &str, decision: &str, rule: &str) -> Value {
    json!({"callId": call_id, "decision": decision, "rule": rule, "reason": "It says so.", "risk": "medium"})
}

fn asked(call_id: &str, edits: &Value) -> Value {
    let diff = "--- a/src/parse.rs\n+++ b/src/parse.rs\n@@ -1,3 +1,3 @@\n fn parse() {\n-for i in 0..n - 1 {\n+for i in 0..n {\n }\n";
    let hunk = json!({"index": 1, "path": "src/parse.rs", "oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3});
    json!({"approvalId": "approval-1", "callId": call_id, "toolId": "edit_file", "args": {"path": "src/parse.rs", "edits": edits},
        "risk": "medium", "rule": "category:write", "reason": "Changes are shown first.",
        "preview": {"filesAffected": ["src/parse.rs"], "linesChanged": 2, "diff": diff, "hunks": [hunk], "previewHash": "ee"}})
}

fn result(call_id: &str, tool: &str, text: &str, is_error: bool) -> Value {
    json!({"callId": call_id, "toolId": tool, "result": text, "isError": is_error, "durationMs": 7, "truncated": false})
}

fn numbered_lines(count: usize) -> String {
    (1..=count).map(|number| format!("{number}: line\n")).collect()
}

/// A session in which everything that is not ours says the same.
pub(super) fn saying(text: &str) -> Script {
    let mut script = Script::default();
    let mut add = |run: Option<&str>, kind: &str, payload: Value| script.append("session-1", run, kind, &payload);
    add(None, "session.created", json!({"title": text, "project": text, "agent": text}));
    let run = Some("run-1");
    add(run, "run.started", started(text));
    add(
        run,
        "output.message",
        json!({"turn": 1, "role": "assistant", "content": text, "thoughts": text, "interrupted": true}),
    );
    add(
        run,
        "tool.call",
        json!({"turn": 1, "callId": "c", "toolId": text, "args": {"path": text}, "category": "write"}),
    );
    add(
        run,
        "tool.call",
        json!({"turn": 1, "callId": "d", "toolId": "write_file", "args": {"path": text, "content": text}, "category": "write"}),
    );
    add(run, "policy.decided", json!({"callId": "c", "decision": "deny", "rule": text, "reason": text, "risk": "low"}));
    add(
        run,
        "approval.requested",
        json!({"approvalId": "a", "callId": "c", "toolId": text, "args": {}, "risk": "low", "rule": text,
        "reason": text, "preview": {"filesAffected": [text], "linesChanged": 1, "diff": text, "hunks": [], "previewHash": ""},
        "command": {"command": text, "directory": text, "environment": [], "sandbox": text, "previewHash": ""}}),
    );
    add(
        run,
        "approval.resolved",
        json!({"approvalId": "a", "decision": "approve", "edited": {"1": text}, "reason": text, "resolvedBy": text, "previewHash": ""}),
    );
    add(run, "file.changed", json!({"path": text, "beforeHash": null, "afterHash": null, "callId": "c", "hunks": []}));
    add(
        run,
        "tool.result",
        json!({"callId": "c", "toolId": text, "result": text, "isError": true, "durationMs": 1, "truncated": true, "code": text}),
    );
    add(run, "run.failed", json!({"code": text, "message": text, "hint": text, "retryable": false}));
    script
}

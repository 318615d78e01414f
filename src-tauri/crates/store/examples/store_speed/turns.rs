//! The events of a run's turns as Arki stores them, transaction by transaction: reading a file, editing it, running a
//! command, and again.

use arki_domain::{EventBody, EventDraft, RunId};
use serde_json::{Value, json};

/// Turns after which the mix begins again.
pub(crate) const ROUND: usize = 3;

/// How a session begins, with its first run.
pub(crate) fn beginning(run: &RunId) -> Vec<EventDraft> {
    let created = json!({"title": "turns", "project": "/tmp/project", "agent": "arki"});
    let started = json!({
        "prompt": "work on src/app.txt", "agent": "arki", "model": "mock/mock", "core": "tool-loop",
        "systemPromptHash": "5c".repeat(32), "options": {"approve": "all"},
    });
    vec![draft(run, "session.created", &created), draft(run, "run.started", &started)]
}

/// The transactions of a turn.
pub(crate) fn turn(run: &RunId, number: usize) -> Vec<Vec<EventDraft>> {
    let call = format!("call_{number}");
    let (tool, category, args) = tool_call(number);
    let [asked, answered, called] = model_events(number, &call, (tool, category, &args));
    let files = if category == "write" { json!([effect()]) } else { json!([]) };
    let decided = (
        "policy.decided",
        json!({
            "callId": call, "decision": "allow", "rule": "approve:all", "reason": "Everything not denied is granted.",
            "risk": "low", "files": files,
        }),
    );
    let text =
        if category == "write" { "Wrote src/app.txt.".to_owned() } else { "12345678901234567890 line\n".repeat(20) };
    let result = (
        "tool.result",
        json!({
            "callId": call, "toolId": tool, "result": text, "isError": false, "durationMs": 12, "truncated": false,
        }),
    );
    let mut transactions = vec![vec![asked], vec![answered, called]];
    match category {
        "read" => transactions.push(vec![decided, result]),
        "write" => {
            let mut changed = effect();
            changed["callId"] = json!(call);
            changed["hunks"] = json!([1]);
            transactions.extend([vec![decided], vec![("file.changed", changed), result]]);
        }
        _ => transactions.extend([vec![decided], vec![result]]),
    }
    let drafts =
        |events: Vec<(&str, Value)>| events.into_iter().map(|(kind, payload)| draft(run, kind, &payload)).collect();
    transactions.into_iter().map(drafts).collect()
}

type ToolArguments = (&'static str, &'static str, Value);

fn tool_call(number: usize) -> ToolArguments {
    match number % ROUND {
        0 => ("read_file", "read", json!({"path": "src/app.txt", "offset": 1, "limit": 20})),
        1 => (
            "edit_file",
            "write",
            json!({"path": "src/app.txt", "edits": [{"old_text": "line 5\n", "new_text": "LINE FIVE\n"}]}),
        ),
        _ => ("run_command", "exec", json!({"command": "cargo test -p arki-store"})),
    }
}

fn model_events(number: usize, call: &str, (tool, category, args): (&str, &str, &Value)) -> [(&'static str, Value); 3] {
    let asked = (
        "engine.request",
        json!({
            "turn": number, "provider": "mock", "model": "mock", "requestHash": "7f".repeat(32), "messageCount": 2 * number,
        }),
    );
    let answered = (
        "engine.response",
        json!({
            "turn": number, "finishReason": "tool_calls", "ttftMs": 412, "durationMs": 1310,
            "usage": {"promptTokens": 2100, "completionTokens": 60, "totalTokens": 2160, "cachedTokens": 1900, "costUsd": null},
        }),
    );
    let called = (
        "tool.call",
        json!({
            "turn": number, "callId": call, "toolId": tool, "args": args, "category": category,
        }),
    );
    [asked, answered, called]
}

fn effect() -> Value {
    json!({"path": "src/app.txt", "beforeHash": "3a".repeat(32), "afterHash": "b4".repeat(32)})
}

pub(crate) fn draft(run: &RunId, kind: &str, payload: &Value) -> EventDraft {
    let body = EventBody::parse(kind, &payload.to_string());
    assert_ne!(body, EventBody::Unknown, "{kind} {payload}");
    EventDraft::of_run(run, body)
}

/// An event that need not be on the disk before its effect.
pub(crate) fn small(run: &RunId, number: usize) -> EventDraft {
    let payload = json!({
        "callId": format!("call_{number}"), "toolId": "read_file", "result": "12345678901234567890 line\n".repeat(8),
        "isError": false, "durationMs": 12, "truncated": false,
    });
    draft(run, "tool.result", &payload)
}

//! Events of one session, numbered and timed as the engine would: each is whole, so that one has to say only what matters.

use super::*;
use crate::{RunId, SessionId};
use serde_json::value::RawValue;

#[derive(Default)]
pub(super) struct Log(Vec<Event>);

/// A conversation as clients get it.
pub(super) struct Folded {
    items: Vec<ConversationItem>,
    pub(super) standing: Value,
}

impl Log {
    #[allow(clippy::needless_pass_by_value, reason = "cases read better")]
    pub(super) fn add(&mut self, kind: &str, payload: Value) -> u64 {
        let mut whole = blank(kind);
        whole.as_object_mut().unwrap().extend(payload.as_object().unwrap().clone());
        let seq = self.add_raw(kind, whole);
        assert_ne!(self.0.last().unwrap().body(), EventBody::Unknown, "{kind} {payload}");
        seq
    }

    #[allow(clippy::needless_pass_by_value, reason = "cases read better")]
    pub(super) fn add_raw(&mut self, kind: &str, payload: Value) -> u64 {
        let seq = self.0.len() as u64 + 1;
        self.0.push(Event {
            event_id: format!("s-{seq}").as_str().into(),
            run_id: Some(RunId::from("run-s")),
            session_id: SessionId::from("s"),
            seq,
            ts: 1_763_717_400_000 + 400 * i64::try_from(seq).unwrap(),
            kind: kind.to_owned(),
            payload: RawValue::from_string(payload.to_string()).unwrap(),
            prev_hash: String::new(),
            hash: String::new(),
        });
        seq
    }

    pub(super) fn events(&self) -> Vec<Event> {
        self.0.clone()
    }
}

/// Folds it, and holds what comes of it, and the window, to what it was.
pub(super) fn folded(name: &str, log: &Log) -> Folded {
    let mut conversation = Conversation::default();
    for event in &log.0 {
        conversation.apply(event, &event.body());
    }
    let items: Vec<ConversationItem> = conversation.items().cloned().collect();
    let standing = serde_json::to_value(conversation.standing()).unwrap();
    let lines = log.0.iter().map(as_client_gets_it).map(|event| json!({ "event": event }));
    let lines = lines.chain(items.iter().map(|item| json!({ "isShown": item.is_shown(), "item": item })));
    let text: Vec<String> = lines.chain([json!({ "standing": standing })]).map(|line| line.to_string()).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../../../../tests/fixtures/conversations");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text.join("\n")));
    Folded { items, standing }
}

fn as_client_gets_it(event: &Event) -> Value {
    let mut json = serde_json::to_value(event).unwrap();
    let body = event.body();
    match body.payload() {
        Ok(payload) if body != EventBody::Unknown => json["payload"] = payload,
        _ => (json["kind"], json["type"]) = (json["type"].clone(), json!("unknown")),
    }
    json
}

impl Folded {
    fn of(&self, is_shown: bool) -> Vec<Value> {
        let of = self.items.iter().filter(|item| item.is_shown() == is_shown);
        of.map(|item| serde_json::to_value(item).unwrap()).collect()
    }

    pub(super) fn kinds(&self) -> Vec<String> {
        self.of(true).iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect()
    }

    pub(super) fn other_kinds(&self) -> Vec<String> {
        self.of(false).iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// One field of each item that is shown.
    pub(super) fn each(&self, field: &str) -> Vec<Value> {
        self.of(true).iter().map(|item| item[field].clone()).collect()
    }

    pub(super) fn states(&self) -> Vec<String> {
        let calls = self.items.iter().filter_map(ConversationItem::call);
        calls.map(|call| serde_json::to_value(call.state).unwrap().as_str().unwrap().to_owned()).collect()
    }

    /// Asserts that an item that is shown has these fields, among others.
    pub(super) fn has(&self, place: usize, fields: &Value) {
        let item = &self.of(true)[place];
        assert!(contains(item, fields), "{fields} in {item}");
    }
}

fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => {
            part.iter().all(|(name, part)| value.get(name).is_some_and(|value| contains(value, part)))
        }
        (Value::Array(value), Value::Array(part)) => {
            value.len() == part.len() && value.iter().zip(part).all(|(value, part)| contains(value, part))
        }
        (value, part) => value == part,
    }
}

fn blank(kind: &str) -> Value {
    let usage = json!({"promptTokens": null, "completionTokens": null, "totalTokens": null, "cachedTokens": null,
        "costUsd": null});
    match kind {
        "session.forked" => json!({"fromSession": "", "fromSeq": 0}),
        "session.rewound" => json!({"toSeq": 0, "files": false, "conversation": false}),
        "trust.changed" => json!({"project": "", "trusted": false, "pins": []}),
        "message.queued" => json!({"messageId": "", "text": "", "mode": "follow_up"}),
        "queue.changed" => json!({"queued": []}),
        "question.asked" => json!({"questionId": "", "callId": "", "text": ""}),
        "question.answered" => json!({"questionId": "", "text": ""}),
        "run.started" => json!({"prompt": "", "agent": "arki", "model": "", "core": "tool-loop",
            "systemPromptHash": "", "options": {"approve": "ask", "maxTurns": null, "maxSeconds": null,
            "maxCostUsd": null}}),
        "subagent.started" => json!({"callId": "", "agent": "", "sessionId": "", "runId": ""}),
        "run.paused" | "run.resumed" => json!({"reason": "user"}),
        "run.completed" => json!({"response": "", "turns": 1, "usage": usage}),
        "run.failed" => json!({"code": "", "message": "", "hint": "", "retryable": false}),
        "run.cancelled" => json!({"code": "", "message": "", "retryable": false}),
        "engine.request" => json!({"turn": 1, "provider": "", "model": "", "requestHash": "", "messageCount": 1}),
        "engine.response" => json!({"turn": 1, "finishReason": "stop", "usage": usage, "ttftMs": null,
            "durationMs": 0}),
        "engine.retry" => json!({"turn": 1, "code": "", "delayMs": 0, "attempt": 1}),
        "context.dropped" => json!({"eventId": "", "part": "", "reason": ""}),
        "context.compacted" => json!({"strategy": "prune", "tokensBefore": 0, "tokensAfter": 0, "targetTokens": 0,
            "droppedSeqRange": null, "summary": ""}),
        "output.message" => json!({"turn": 1, "role": "assistant", "content": "", "interrupted": false}),
        "tool.call" => json!({"turn": 1, "callId": "", "toolId": "", "args": {}, "category": null}),
        "policy.decided" => json!({"callId": "", "decision": "allow", "rule": "", "reason": "", "risk": "low"}),
        "approval.requested" => json!({"approvalId": "", "callId": "", "toolId": "", "args": {}, "risk": "low",
            "rule": "", "reason": ""}),
        "approval.resolved" => json!({"approvalId": "", "decision": "approve", "resolvedBy": "window",
            "previewHash": ""}),
        "tool.result" => json!({"callId": "", "toolId": "", "result": "", "isError": false, "durationMs": 0,
            "truncated": false}),
        "command.ended" => json!({"callId": "", "result": {"callId": "", "toolId": "", "result": "", "isError": false,
            "durationMs": 0, "truncated": false}, "files": 1, "effects": ""}),
        "tool.async_result" => json!({"asyncCallId": "", "toolId": "", "result": "", "isError": false}),
        "file.changed" => json!({"path": "", "beforeHash": null, "afterHash": null, "callId": "", "hunks": []}),
        "change.taken_back" => json!({"callId": "", "seq": 0, "changes": []}),
        "sandbox.cleaned_up" => json!({"notes": []}),
        "plan.proposed" => json!({"intent": "", "steps": []}),
        "hook.ran" => json!({"hook": "", "command": "", "exitCode": null, "durationMs": 0}),
        "artifact.emitted" => json!({"artifactId": "", "name": "", "mediaType": "", "bytes": 0, "contentHash": ""}),
        other => panic!("nothing stands for {other}"),
    }
}

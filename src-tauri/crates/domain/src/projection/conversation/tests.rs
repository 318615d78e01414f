//! Each case is also a snapshot in `tests/fixtures/conversations`, events with their items, by which the window's own
//! fold is held to this one (`ui/src/protocol/conversations.test.ts`).

mod calls;
mod going_back;
mod log;
mod messages;

use super::*;
use log::{Log, folded};
use serde_json::{Value, json};

#[test]
fn a_run_is_told_from_prompt_to_answer_with_its_call_in_between() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "Hello"}));
    log.add("engine.request", json!({"turn": 1}));
    log.add("tool.call", json!({"callId": "c", "toolId": "read_file", "args": {"path": "a.rs"}, "category": "read"}));
    log.add("tool.result", json!({"callId": "c", "toolId": "read_file", "result": "text", "durationMs": 7}));
    log.add("output.message", json!({"content": "Done", "thoughts": "hm"}));
    log.add("run.completed", json!({}));
    let told = folded("a_run", &log);
    assert_eq!(told.kinds(), ["user", "tool", "assistant"]);
    told.has(1, &json!({"state": "done", "durationMs": 7, "result": "text"}));
    told.has(2, &json!({"text": "Done", "thoughts": "hm", "turn": 1, "interrupted": false}));
    assert_eq!((&told.standing["run"], &told.standing["lastPrompt"]), (&json!("ended"), &json!("Hello")));
}

#[test]
fn changes_name_the_items_that_an_event_starts_updates_and_completes() {
    let mut log = Log::default();
    log.add("tool.call", json!({"callId": "c"}));
    log.add("policy.decided", json!({"callId": "c"}));
    log.add("tool.result", json!({"callId": "c"}));
    log.add("output.message", json!({"content": "Done"}));
    let mut conversation = Conversation::default();
    let changes: Vec<Vec<ItemChange>> =
        log.events().iter().map(|event| conversation.apply(event, &event.body())).collect();
    let change = |place, step, part| vec![ItemChange { place, step, part }];
    let expected = [
        change(0, ChangeStep::Started, ItemPart::Whole),
        change(0, ChangeStep::Updated, ItemPart::Decision),
        change(0, ChangeStep::Completed, ItemPart::Result),
        change(1, ChangeStep::Completed, ItemPart::Whole),
    ];
    assert_eq!(changes, expected);
}

#[test]
fn a_conversation_that_is_let_go_of_changes_in_the_same_way() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "Hello"}));
    log.add("output.message", json!({"content": "First"}));
    for call_id in ["a", "b"] {
        log.add("tool.call", json!({"callId": call_id, "args": {"path": "a.rs"}}));
    }
    for call_id in ["a", "b"] {
        log.add("tool.result", json!({"callId": call_id, "result": "long"}));
        log.add("hook.ran", json!({"callId": call_id, "hook": "lint", "exitCode": 1, "outcome": "failed"}));
    }
    log.add("run.completed", json!({}));
    let (mut kept, mut light) = (Conversation::default(), Conversation::default());
    for event in log.events() {
        let changes = kept.apply(&event, &event.body());
        assert_eq!(light.apply(&event, &event.body()), changes);
        for change in &changes {
            assert_eq!(light.item(change.place).unwrap().key, kept.item(change.place).unwrap().key);
        }
        light.let_go(&changes);
        assert!(light.items().filter(|item| item.call().is_none()).count() <= 1);
    }
    assert_eq!((light.items().count(), kept.items().count()), (0, 6));
}

#[test]
fn attempts_in_a_row_are_one_line_the_last_of_them() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "Hello"}));
    for attempt in 1..=3 {
        log.add("engine.request", json!({"turn": 1}));
        log.add("engine.retry", json!({"code": "PROVIDER_UNREACHABLE", "delayMs": 1000, "attempt": attempt}));
    }
    let told = folded("attempts", &log);
    assert_eq!(told.kinds(), ["user", "notice"]);
    told.has(1, &json!({"notice": {"what": "retried", "attempt": 3}}));
    assert_eq!(told.standing["retry"]["attempt"], 3);
}

#[test]
fn a_summary_is_being_written_until_it_is_there_or_the_run_is_over() {
    let mut log = Log::default();
    let compacting = |log: &Log, name| folded(name, log).standing["compacting"].clone();
    log.add("run.started", json!({"prompt": "Hello"}));
    log.add("engine.request", json!({"turn": 1, "purpose": "compaction"}));
    assert_eq!(compacting(&log, "compacting"), true);
    log.add("engine.response", json!({"purpose": "compaction"}));
    log.add("context.compacted", json!({"tokensBefore": 900, "tokensAfter": 400, "prunedCalls": ["a", "b"]}));
    log.add("output.message", json!({"content": "Done"}));
    assert_eq!(compacting(&log, "compacted"), false);
    let told = folded("compacted", &log);
    assert_eq!(told.kinds(), ["user", "compacted", "assistant"]);
    told.has(1, &json!({"strategy": "prune", "tokensBefore": 900, "tokensAfter": 400, "results": 2}));
    log.add("engine.request", json!({"turn": 2, "purpose": "compaction"}));
    log.add("run.cancelled", json!({}));
    assert_eq!(compacting(&log, "compacting_cancelled"), false);
}

#[test]
fn what_cannot_be_read_is_ignored() {
    let mut log = Log::default();
    log.add_raw("something.new", json!({"a": 1}));
    log.add_raw("tool.call", json!({"callId": 7}));
    log.add_raw("output.message", Value::Null);
    log.add("run.failed", json!({}));
    assert_eq!(folded("unknown", &log).kinds(), ["failure"]);
}

#[test]
fn what_happens_around_a_conversation_is_an_item_too() {
    let mut log = Log::default();
    log.add("session.forked", json!({"fromSession": "o", "fromSeq": 3}));
    log.add("trust.changed", json!({"trusted": true}));
    log.add("run.started", json!({"prompt": "Hello", "model": "lab/tiny"}));
    log.add("context.dropped", json!({"part": "image:a", "reason": "No pictures."}));
    log.add("context.dropped", json!({"part": "image:a", "restored": true}));
    log.add("sandbox.cleaned_up", json!({"notes": ["A hook was removed."]}));
    log.add("artifact.emitted", json!({"name": "plan.md"}));
    log.add("approval.requested", json!({"approvalId": "g", "callId": null, "kind": "gate", "toolId": "gate"}));
    log.add("approval.resolved", json!({"approvalId": "g"}));
    log.add("run.failed", json!({"code": "E", "message": "broke", "hint": "do this", "retryable": true}));
    let told = folded("around", &log);
    assert_eq!(told.kinds(), ["forked", "user", "notice", "notice", "notice", "failure"]);
    told.has(5, &json!({"code": "E", "hint": "do this", "retryable": true, "provider": "lab"}));
    let others = ["other", "run_began", "other", "approval"];
    assert_eq!(told.other_kinds(), others);
}

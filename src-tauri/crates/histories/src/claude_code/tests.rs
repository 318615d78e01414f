#![allow(clippy::needless_pass_by_value, reason = "the values are made where they are passed")]

use super::*;
use crate::foreign_session::Moment;
use serde_json::json;
use std::fs;

fn line(kind: &str, id: &str, parent: Option<&str>, message: Value) -> Value {
    json!({
        "type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s", "cwd": "/project", "isSidechain": false,
        "timestamp": "2026-02-24T10:10:36.754Z", "message": message,
    })
}

fn user(id: &str, parent: Option<&str>, text: &str) -> Value {
    line("user", id, parent, json!({ "role": "user", "content": text }))
}

fn said(id: &str, parent: &str, block: Value) -> Value {
    line("assistant", id, Some(parent), json!({ "role": "assistant", "model": "claude-5", "content": [block] }))
}

fn answer(id: &str, parent: &str, text: &str) -> Value {
    said(id, parent, json!({ "type": "text", "text": text }))
}

fn call(id: &str, parent: &str, call: &str) -> Value {
    said(id, parent, json!({ "type": "tool_use", "id": call, "name": "Read", "input": { "file_path": "a" } }))
}

fn result(id: &str, parent: &str, call: &str, content: Value) -> Value {
    let block = json!({ "type": "tool_result", "tool_use_id": call, "content": content });
    line("user", id, Some(parent), json!({ "role": "user", "content": [block] }))
}

fn read_of(lines: &[Value]) -> ForeignSession {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    read_text(&text)
}

fn read_text(text: &str) -> ForeignSession {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0ad3cf10-9ea4-4a6c-8f63-7d9a3d5a8e1b.jsonl");
    fs::write(&path, text).unwrap();
    read(&path).unwrap()
}

fn told(session: &ForeignSession) -> Vec<String> {
    let word = |Moment { told, .. }: &Moment| match told {
        Told::Model(model) => format!("model {model}"),
        Told::Prompt(text) => format!("user {text}"),
        Told::Thought(text) => format!("thought {text}"),
        Told::Answer(text) => format!("said {text}"),
        Told::Call { id, tool, .. } => format!("call {id} {tool}"),
        Told::Result { id, text, is_error } => format!("result {id} {text} {is_error}"),
    };
    session.moments.iter().map(word).collect()
}

#[test]
fn a_conversation_is_told_with_its_calls_thoughts_and_title() {
    let session = read_of(&[
        json!({ "type": "file-history-snapshot", "messageId": "1" }),
        user("1", None, "look"),
        said("2", "1", json!({ "type": "thinking", "thinking": "hm", "signature": "x" })),
        call("3", "2", "t1"),
        call("4", "3", "t2"),
        // Results of calls made at once hang at their own calls, so that the way leads past the first.
        result("5", "3", "t1", json!("one")),
        result("6", "4", "t2", json!([{ "type": "text", "text": "two" }, { "type": "image", "source": {} }])),
        answer("7", "6", "done"),
        json!({ "type": "ai-title", "aiTitle": "A look", "sessionId": "s" }),
    ]);
    assert_eq!(session.title, "A look");
    assert_eq!((session.folder.as_str(), session.id.as_str()), ("/project", "0ad3cf10-9ea4-4a6c-8f63-7d9a3d5a8e1b"));
    let expected = [
        "user look",
        "model anthropic/claude-5",
        "thought hm",
        "call t1 Read",
        "call t2 Read",
        "result t1 one false",
        "result t2 two\n[picture] false",
        "said done",
    ];
    assert_eq!(told(&session), expected);
    assert_eq!(session.moments.first().unwrap().at_ms, 1_771_927_836_754);
}

#[test]
fn going_back_leaves_the_other_branch_out() {
    let session = read_of(&[
        user("1", None, "root"),
        answer("2", "1", "old"),
        user("3", Some("2"), "old question"),
        answer("4", "3", "old answer"),
        user("5", Some("2"), "new question"),
        answer("6", "5", "new answer"),
    ]);
    assert!(!told(&session).iter().any(|words| words.contains("old question")));
    assert!(told(&session).contains(&"said new answer".to_owned()));
}

#[test]
fn a_compaction_is_followed_back_and_its_summary_is_no_prompt() {
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null, "logicalParentUuid": "2",
    });
    let mut summary = user("c", Some("b"), "This session is being continued");
    summary["isCompactSummary"] = json!(true);
    let lines =
        [user("1", None, "before"), answer("2", "1", "answer"), boundary, summary, user("3", Some("c"), "after")];
    let words = |session: &ForeignSession| {
        told(session).into_iter().filter(|words| words.starts_with("user")).collect::<Vec<_>>()
    };
    assert_eq!(words(&read_of(&lines)), ["user before", "user after"]);
    // What came before is in another file: the summary is all that is known of it.
    assert_eq!(words(&read_of(&lines[2..])), ["user This session is being continued", "user after"]);
}

#[test]
fn what_the_program_says_in_the_users_name_is_left_out() {
    let mut meta = user("1", None, "Caveat: these are local commands");
    meta["isMeta"] = json!(true);
    let mut aside = user("9", None, "a sub-agent's task");
    aside["isSidechain"] = json!(true);
    let session = read_of(&[
        meta,
        user("2", Some("1"), "<command-name>/clear</command-name>"),
        user("3", Some("2"), "hello"),
        user("4", Some("3"), "[Request interrupted by user]"),
        aside,
    ]);
    assert_eq!(told(&session), ["user hello"]);
}

#[test]
fn damaged_lines_are_left_out_and_counted() {
    let session =
        read_text(&format!("{}\n{{\"type\":\nnull\n\n{}\n\u{fffd}", user("1", None, "a"), answer("2", "1", "b")));
    assert_eq!(session.left_out, 3);
    assert_eq!(told(&session), ["user a", "model anthropic/claude-5", "said b"]);
}

#[test]
fn lines_that_lead_to_themselves_end() {
    let session = read_of(&[user("1", Some("2"), "a"), answer("2", "1", "b")]);
    assert_eq!(told(&session).len(), 3);
}

#![allow(clippy::needless_pass_by_value, reason = "the values are made where they are passed")]

use super::*;
use crate::HistoryHomes;
use crate::foreign_session::Moment;
use arki_api::HistorySource;
use serde_json::json;
use std::fs;

fn line(kind: &str, payload: Value) -> String {
    format!("{}\n", json!({ "timestamp": "2026-05-01T08:00:00.000Z", "type": kind, "payload": payload }))
}

fn meta() -> String {
    line("session_meta", json!({ "id": "c-1", "cwd": "/project", "source": "cli", "model_provider": "openai" }))
}

fn prompt(text: &str) -> String {
    line("event_msg", json!({ "type": "user_message", "message": text }))
}

fn message(role: &str, text: &str) -> String {
    let kind = if role == "user" { "input_text" } else { "output_text" };
    line("response_item", json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] }))
}

fn read_text(text: &str) -> ForeignSession {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout-1.jsonl");
    fs::write(&path, text).unwrap();
    read(&path).unwrap()
}

fn told(text: &str) -> Vec<Told> {
    read_text(text).moments.into_iter().map(|Moment { told, .. }| told).collect()
}

#[test]
fn a_session_is_told_with_the_prompts_as_they_were_written() {
    let item = |payload: Value| line("response_item", payload);
    let text = [
        meta(),
        line("turn_context", json!({ "cwd": "/project", "model": "gpt-6" })),
        message("user", "<environment_context>…</environment_context>"),
        message("user", "look"),
        prompt("look"),
        item(json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": "hm" }], "encrypted_content": "x" })),
        item(json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}", "call_id": "1" })),
        item(json!({ "type": "function_call_output", "call_id": "1", "output": "{\"output\":\"a.txt\",\"metadata\":{\"exit_code\":2}}" })),
        item(json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "2" })),
        item(json!({ "type": "custom_tool_call_output", "call_id": "2", "output": [{ "type": "input_text", "text": "ok" }] })),
        message("assistant", "done"),
    ]
    .concat();
    let call = |id: &str, tool: &str, args: Value| Told::Call { id: id.into(), tool: tool.into(), args };
    let result = |id: &str, text: &str, is_error| Told::Result { id: id.into(), text: text.into(), is_error };
    let expected = [
        Told::Model("openai/gpt-6".into()),
        Told::Prompt("look".into()),
        Told::Thought("hm".into()),
        call("1", "exec_command", json!({ "cmd": "ls" })),
        result("1", "a.txt", true),
        call("2", "apply_patch", json!({ "input": "*** Begin" })),
        result("2", "ok", false),
        Told::Answer("done".into()),
    ];
    assert_eq!(told(&text), expected);
    let session = read_text(&text);
    assert_eq!((session.id.as_str(), session.folder.as_str()), ("c-1", "/project"));
}

#[test]
fn without_events_the_users_messages_are_the_prompts() {
    let text = [meta(), message("user", "# AGENTS.md instructions for /project"), message("user", "look")].concat();
    assert_eq!(told(&text), [Told::Prompt("look".into())]);
}

#[test]
fn prompts_that_were_rolled_back_are_gone_with_their_answers() {
    let back = line("event_msg", json!({ "type": "thread_rolled_back", "num_turns": 2 }));
    let text = [meta(), prompt("a"), message("assistant", "1"), prompt("b"), prompt("c"), back, prompt("d")].concat();
    assert_eq!(
        told(&text),
        ["a"]
            .map(|text| Told::Prompt(text.into()))
            .into_iter()
            .chain([Told::Answer("1".into()), Told::Prompt("d".into())])
            .collect::<Vec<_>>()
    );
}

#[test]
fn the_session_of_a_sub_agent_is_nobodys() {
    let of = |source: Value| json!({ "type": "session_meta", "payload": { "cwd": "/project", "source": source } });
    assert_eq!(folder_of(&of(json!("vscode"))), Some("/project"));
    assert_eq!(folder_of(&of(json!({ "subagent": "review" }))), None);
}

#[test]
fn a_compressed_session_is_read_too_and_a_plain_copy_comes_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let day = folder.path().join("sessions/2026/05/01");
    fs::create_dir_all(&day).unwrap();
    let packed = |text: String| zstd::encode_all(text.as_bytes(), 3).unwrap();
    fs::write(day.join("rollout-1.jsonl.zst"), packed([meta(), prompt("old")].concat())).unwrap();
    fs::write(day.join("rollout-2.jsonl.zst"), packed([meta(), prompt("two")].concat())).unwrap();
    fs::write(day.join("rollout-2.jsonl"), [meta(), prompt("two"), prompt("three")].concat()).unwrap();
    fs::write(day.join("rollout-3.jsonl.zst"), "no archive").unwrap();
    let homes =
        HistoryHomes { claude_code: Vec::new(), codex: folder.path().to_owned(), opencode: folder.path().join("none") };
    let found = homes.find(HistorySource::Codex, None).unwrap();
    let prompts: Vec<usize> = found.iter().map(|one| one.read().unwrap().moments.len()).collect();
    assert_eq!(prompts, [1, 2]);
}

//! Prompts that an editor sends while one is at work: they wait for their turn.

use crate::editor_client::Editor;
use crate::harness::{Stage, payloads};
use crate::tree::{playing, writing};
use arki_testkit::Turn;
use serde_json::{Value, json};

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

/// Waits for the answers to these requests, and returns them in the order in which they came.
fn answers(editor: &mut Editor, prompts: &[u64]) -> Vec<(u64, Value)> {
    let mut answers = Vec::new();
    while answers.len() < prompts.len() {
        let answer = editor.until(|message| message["method"].is_null() && !message["id"].is_null());
        let id = answer["id"].as_u64().unwrap();
        if prompts.contains(&id) {
            answers.push((id, answer));
        }
    }
    answers
}

fn prompts(stage: &Stage, session: &str) -> Vec<Value> {
    payloads(&stage.events(session), "run.started").iter().map(|started| started["prompt"].clone()).collect()
}

#[test]
fn prompts_are_carried_out_and_answered_one_after_another() {
    let write = writing("a.txt", "x").to_vec();
    let stage = playing([write, vec![Turn::text("Second."), Turn::text("Third.")]].concat());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let all = ["One", "Two", "Three"].map(|text| editor.prompt(&session, text));
    let asked = editor.asked("session/request_permission");
    assert_eq!(prompts(&stage, &session), ["One"]);
    let busy = json!({"sessionId": session, "cwd": stage.home.project_dir(), "mcpServers": []});
    assert_eq!(code(&editor.ask("session/load", busy)), -32600);
    editor.choose(&asked, "allow");
    let answered = answers(&mut editor, &all);
    assert_eq!(answered.iter().map(|(id, _)| *id).collect::<Vec<_>>(), all);
    assert!(answered.iter().all(|(_, answer)| answer["result"]["stopReason"] == "end_turn"), "{answered:?}");
    assert_eq!(prompts(&stage, &session), ["One", "Two", "Three"]);
    assert_eq!(editor.said().split_whitespace().collect::<String>(), "Done.Second.Third.");
    stage.verifies();
}

#[test]
fn a_cancellation_empties_the_queue() {
    let stage = playing(vec![Turn::silent(), Turn::text("Then.")]);
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let all = ["One", "Two", "Three"].map(|text| editor.prompt(&session, text));
    assert!(stage.model.wait_until(|journal| !journal.requests.is_empty()));
    editor.notify("session/cancel", &json!({"sessionId": session}));
    let answered = answers(&mut editor, &all);
    assert!(answered.iter().all(|(_, answer)| answer["result"]["stopReason"] == "cancelled"), "{answered:?}");
    assert_eq!(prompts(&stage, &session), ["One"]);
    let prompt = editor.prompt(&session, "Once more");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(prompts(&stage, &session), ["One", "Once more"]);
}

#[test]
fn one_that_waits_is_taken_back_alone() {
    let stage = playing([writing("a.txt", "x").to_vec(), vec![Turn::text("Third.")]].concat());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let all = ["One", "Two", "Three"].map(|text| editor.prompt(&session, text));
    let asked = editor.asked("session/request_permission");
    editor.notify("$/cancel_request", &json!({"requestId": all[1]}));
    assert_eq!(editor.stop_reason(all[1]), "cancelled");
    editor.choose(&asked, "allow");
    assert_eq!(
        (editor.stop_reason(all[0]), editor.stop_reason(all[2])),
        ("end_turn".to_owned(), "end_turn".to_owned())
    );
    assert_eq!(prompts(&stage, &session), ["One", "Three"]);
}

#[test]
fn the_one_at_work_is_taken_back_alone() {
    let stage = playing(vec![Turn::silent(), Turn::text("Second.")]);
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let all = ["One", "Two"].map(|text| editor.prompt(&session, text));
    assert!(stage.model.wait_until(|journal| !journal.requests.is_empty()));
    editor.notify("$/cancel_request", &json!({"requestId": all[0]}));
    assert_eq!(editor.stop_reason(all[0]), "cancelled");
    assert_eq!(editor.stop_reason(all[1]), "end_turn");
}

#[test]
fn the_queue_is_bounded_and_a_failure_ends_only_its_own_turn() {
    let refused = Turn::json(401, json!({"error": {"message": "no such key"}}));
    let stage = playing([writing("a.txt", "x").to_vec(), vec![refused, Turn::text("Last.")]].concat());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let first = editor.prompt(&session, "One");
    let asked = editor.asked("session/request_permission");
    let failing = editor.prompt(&session, "Two");
    let sound = json!({"sessionId": session, "prompt": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]});
    let odd = editor.begin("session/prompt", sound);
    let last = editor.prompt(&session, "Three");
    let waiting: Vec<u64> = (0..5).map(|number| editor.prompt(&session, &format!("More {number}"))).collect();
    let one_too_many = editor.prompt(&session, "Too many");
    assert_eq!(code(&editor.answer(one_too_many)), -32600);
    for request in &waiting {
        editor.notify("$/cancel_request", &json!({"requestId": request}));
    }
    let cancelled = answers(&mut editor, &waiting);
    assert!(cancelled.iter().all(|(_, answer)| answer["result"]["stopReason"] == "cancelled"), "{cancelled:?}");
    editor.choose(&asked, "allow");
    assert_eq!(editor.stop_reason(first), "end_turn");
    assert!(editor.answer(failing)["error"]["data"]["code"].is_string());
    assert_eq!(code(&editor.answer(odd)), -32602);
    assert_eq!(editor.stop_reason(last), "end_turn");
}

#[test]
fn a_session_that_is_closed_or_an_editor_that_leaves_drops_the_queue() {
    for way in ["close", "leave"] {
        let stage = playing(vec![Turn::silent(), Turn::text("Then.")]);
        let mut editor = Editor::plain(&stage);
        let session = editor.open(&stage);
        let all = ["One", "Two"].map(|text| editor.prompt(&session, text));
        assert!(stage.model.wait_until(|journal| !journal.requests.is_empty()));
        if way == "close" {
            editor.begin("session/close", json!({"sessionId": session}));
            let answered = answers(&mut editor, &all);
            assert!(answered.iter().all(|(_, answer)| answer["result"]["stopReason"] == "cancelled"), "{answered:?}");
        }
        editor.end().exits(0);
        assert_eq!(prompts(&stage, &session), ["One"], "{way}");
    }
}

#[test]
fn a_prompt_that_waited_answers_no_question_that_came_later() {
    let question =
        Turn::calls().call("ask_user", json!({"question": "Which?"})).pause(std::time::Duration::from_secs(1));
    let stage = playing(vec![question, Turn::text("Good.")]);
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let all = ["Ask me", "Delete it all"].map(|text| editor.prompt(&session, text));
    assert_eq!(editor.stop_reason(all[0]), "end_turn");
    let refused = editor.answer(all[1]);
    assert!(refused["error"]["message"].as_str().unwrap().contains("has asked a question"), "{refused}");
    let prompt = editor.prompt(&session, "Files");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(payloads(&stage.events(&session), "question.answered")[0]["text"], "Files");
}

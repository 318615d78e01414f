//! Files that the editor has open: read with its unsaved text, and asked about where that is right.

use crate::editor_client::Editor;
use crate::harness::Stage;
use crate::tree::{editing, one_call, playing};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) const READ: &str = "fs/read_text_file";

pub(crate) fn reading(path: &str) -> Vec<Turn> {
    one_call("read_file", json!({"path": path})).to_vec()
}

pub(crate) fn editor(stage: &Stage) -> Editor {
    Editor::with(stage, &json!({"fs": {"readTextFile": true, "writeTextFile": true}}))
}

pub(crate) fn asked(editor: &Editor, method: &str) -> Vec<Value> {
    editor.heard.iter().filter(|message| message["method"] == method).map(|message| message["params"].clone()).collect()
}

fn reads(editor: &Editor) -> usize {
    asked(editor, READ).len()
}

#[test]
fn a_read_shows_the_unsaved_text_and_says_so() {
    let stage = playing(reading("a.txt"));
    stage.write("a.txt", "saved\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Read it");
    let asked = editor.asked(READ);
    assert_eq!(asked["params"], json!({"sessionId": session, "path": stage.path("a.txt")}));
    editor.reply(&asked, &json!({"content": "one\nunsaved\n"}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let told = stage.told();
    assert!(told.contains("2\tunsaved") && !told.contains("saved\n1"), "{told}");
    assert!(told.starts_with("[a.txt has unsaved changes in the editor"), "{told}");
    assert_eq!((stage.read("a.txt").as_str(), reads(&editor)), ("saved\n", 1));
}

#[test]
fn a_saved_file_is_read_and_changed_as_ever() {
    for content in ["one\r\ntwo\r\n", "one\ntwo\n"] {
        let stage = playing([reading("a.txt"), editing("a.txt", "one", "1").to_vec()].concat());
        stage.write("a.txt", content);
        let mut editor = editor(&stage);
        let session = editor.open(&stage);
        let prompt = editor.prompt(&session, "Read it");
        let asked = editor.asked(READ);
        // An editor keeps line endings apart from the text, and perhaps the last one too.
        editor.reply(&asked, &json!({"content": "one\ntwo"}));
        assert_eq!(editor.stop_reason(prompt), "end_turn");
        assert!(stage.told().starts_with("1\tone"), "{}", stage.told());
        let prompt = editor.prompt(&session, "Change it");
        let asked = editor.asked(READ);
        editor.reply(&asked, &json!({"content": "one\ntwo"}));
        let permission = editor.asked("session/request_permission");
        editor.choose(&permission, "allow");
        let asked = editor.asked(READ);
        editor.reply(&asked, &json!({"content": "one\ntwo"}));
        assert_eq!(editor.stop_reason(prompt), "end_turn");
        assert_eq!(stage.read("a.txt"), content.replace("one", "1"));
    }
}

#[test]
fn the_editor_is_asked_in_the_session_that_asks() {
    let stage = playing((0..4).flat_map(|_| reading("a.txt")).collect());
    stage.write("a.txt", "saved\n");
    let mut editor = editor(&stage);
    let sessions: Vec<String> = (0..4).map(|_| editor.open(&stage)).collect();
    for session in &sessions {
        let prompt = editor.prompt(session, "Read it");
        let question = editor.asked(READ);
        assert_eq!(question["params"]["sessionId"], json!(session));
        editor.reply(&question, &json!({"content": "saved\n"}));
        assert_eq!(editor.stop_reason(prompt), "end_turn");
    }
}

#[test]
fn cancelling_a_read_ends_the_wait_and_is_no_silence() {
    let stage = playing([reading("a.txt")[..1].to_vec(), reading("a.txt")].concat());
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Read it");
    editor.asked(READ);
    let since = Instant::now();
    editor.notify("session/cancel", &json!({"sessionId": session}));
    assert_eq!(editor.stop_reason(prompt), "cancelled");
    assert!(since.elapsed() < Duration::from_millis(2500));
    let prompt = editor.prompt(&session, "Read it again");
    let question = editor.asked(READ);
    editor.reply(&question, &json!({"content": "mine\n"}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(stage.told().contains("mine"), "{}", stage.told());
}

#[test]
fn a_mentioned_file_is_read_with_its_unsaved_text() {
    let stage = playing(vec![Turn::text("Seen.")]);
    stage.write("a.txt", "saved\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let link =
        json!({"type": "resource_link", "uri": format!("file://{}", stage.path("a.txt").display()), "name": "a"});
    let prompt = editor.begin("session/prompt", json!({"sessionId": session, "prompt": [link]}));
    let asked = editor.asked(READ);
    editor.reply(&asked, &json!({"content": "typed just now\n"}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let told = Value::from(stage.messages()).to_string();
    assert!(told.contains("typed just now") && !told.contains("1\\tsaved"), "{told}");
}

#[test]
fn the_editor_is_not_asked_about_what_is_secret_denied_or_no_text() {
    let paths = [".env", "denied.txt", "missing.txt", "picture.bin", "folder"];
    let turns: Vec<Turn> = paths.iter().flat_map(|path| reading(path)).collect();
    let deny = json!({"policy": {"rules": [{"decision": "deny", "path": "denied.txt"}]}});
    let stage = Stage::configured(arki_testkit::Script::new(turns).sequential(), &deny);
    stage.write(".env", "TOKEN=abcdef1234567890\n");
    stage.write("denied.txt", "no\n");
    stage.write("picture.bin", [0_u8, 159, 146, 150]);
    stage.write("folder/file", "x\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    for path in paths {
        let prompt = editor.prompt(&session, "Read it");
        let stopped = editor.until(|message| {
            message["method"] == "session/request_permission"
                || (message["id"] == prompt && message["method"].is_null())
        });
        if stopped["method"] == "session/request_permission" {
            editor.choose(&stopped, "allow");
            assert_eq!(editor.stop_reason(prompt), "end_turn", "{path}");
        }
    }
    assert_eq!(reads(&editor), 0, "{:?}", editor.heard);
}

#[test]
fn an_editor_that_refuses_or_lies_leaves_the_file_on_the_disk() {
    let long = "x".repeat(5 << 20);
    for (answer, is_told) in [
        (json!({"error": {"code": -32002, "message": "not open"}}), false),
        (json!({"result": {"content": 7}}), true),
        (json!({"result": null}), true),
        (json!({"result": {"content": long}}), true),
    ] {
        let stage = playing([reading("a.txt"), editing("a.txt", "saved", "changed").to_vec()].concat());
        stage.write("a.txt", "saved\n");
        let mut editor = editor(&stage);
        let session = editor.open(&stage);
        let prompt = editor.prompt(&session, "Read it");
        let asked = editor.asked(READ);
        let mut reply = answer.clone();
        reply["jsonrpc"] = json!("2.0");
        reply["id"] = asked["id"].clone();
        editor.say(&reply);
        assert_eq!(editor.stop_reason(prompt), "end_turn");
        let told = stage.told();
        assert!(told.contains("1\tsaved"), "{told}");
        assert_eq!(told.contains("didn't say whether a.txt"), is_told, "{told}");
    }
}

#[test]
fn an_editor_that_does_not_answer_is_left_alone_for_a_while() {
    let stage = playing([reading("a.txt"), editing("a.txt", "saved", "changed").to_vec()].concat());
    stage.write("a.txt", "saved\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let since = Instant::now();
    let prompt = editor.prompt(&session, "Read it");
    let asked = editor.asked(READ);
    let taken_back = editor.until(|message| message["method"] == "$/cancel_request");
    assert_eq!(taken_back["params"]["requestId"], asked["id"]);
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(since.elapsed() < Duration::from_secs(20));
    assert!(stage.told().contains("1\tsaved") && stage.told().contains("didn't say"), "{}", stage.told());
    // Too late.
    editor.reply(&asked, &json!({"content": "late\n"}));
    let prompt = editor.prompt(&session, "Change it");
    let permission = editor.asked("session/request_permission");
    editor.choose(&permission, "allow");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!((stage.read("a.txt").as_str(), reads(&editor)), ("changed\n", 1));
    assert!(editor.said().contains("doesn't answer about unsaved files"), "{}", editor.said());
}

#[cfg(unix)]
#[test]
fn files_are_named_as_the_editor_names_the_folder() {
    let stage = playing(reading("link.txt"));
    stage.write("a.txt", "saved\n");
    std::os::unix::fs::symlink("a.txt", stage.path("link.txt")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().join("project");
    std::os::unix::fs::symlink(stage.home.project_dir(), &folder).unwrap();
    let mut editor = editor(&stage);
    let opened = editor.ask("session/new", json!({"cwd": folder, "mcpServers": []}));
    let prompt = editor.prompt(opened["result"]["sessionId"].as_str().unwrap(), "Read it");
    let asked = editor.asked(READ);
    assert_eq!(asked["params"]["path"], json!(folder.join("link.txt")));
    editor.reply(&asked, &json!({"content": "saved\n"}));
    // It may be open under its own name.
    let asked = editor.asked(READ);
    assert_eq!(asked["params"]["path"], json!(folder.join("a.txt")));
    editor.reply(&asked, &json!({"content": "unsaved\n"}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(stage.told().contains("1\tunsaved"), "{}", stage.told());
}

#[test]
fn an_editor_without_the_capability_is_not_asked() {
    let stage = playing(reading("a.txt"));
    stage.write("a.txt", "saved\n");
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Read it");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!((stage.told().starts_with("1\tsaved"), reads(&editor)), (true, 0));
}

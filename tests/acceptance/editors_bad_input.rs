//! Editors that lie, flood, send halves, or leave.

use crate::editor_client::Editor;
use crate::harness::{Stage, is_running, pid_in, wait_until};
use crate::tree::{commanding, playing};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn stage() -> Stage {
    playing(vec![Turn::text("Hello.")])
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_folder_that_is_not_trusted_is_refused_with_what_to_do() {
    let stage = Stage::untrusted(Script::new(vec![]), &Value::Null);
    let mut editor = Editor::plain(&stage);
    let refused = editor.ask("session/new", json!({"cwd": stage.home.project_dir(), "mcpServers": []}));
    assert_eq!((code(&refused), &refused["error"]["data"]["code"]), (-32603, &json!("UNTRUSTED")));
    let words = refused["error"]["message"].as_str().unwrap();
    assert!(words.contains("arki trust ") && words.contains("another program can't"), "{words}");
    assert!(stage.sessions().is_empty());
    stage.trust();
    editor.open(&stage);
}

#[test]
fn what_cannot_be_read_is_refused_and_the_next_line_is_heard() {
    let stage = stage();
    let mut editor = Editor::start(&stage);
    assert_eq!(code(&editor.ask("session/new", json!({}))), -32600, "before initialize");
    let refused = |editor: &mut Editor, line: &[u8]| {
        editor.write(line);
        code(&editor.until(|message| message["id"].is_null() && !message["error"].is_null()))
    };
    assert_eq!(refused(&mut editor, b"nonsense\n"), -32700);
    assert_eq!(refused(&mut editor, b"[]\n"), -32600);
    assert_eq!(refused(&mut editor, b"\xff\xfe\n"), -32700);
    assert_eq!(refused(&mut editor, &[&vec![b'x'; 20 << 20][..], b"\n"].concat()), -32600);
    editor.ask("initialize", json!({"protocolVersion": 7, "clientCapabilities": 3}));
    assert_eq!(code(&editor.ask("session/fly", json!({}))), -32601);
    editor.notify("session/fly", &json!({}));
    editor.write(b"\n  \n");
    editor.say(&json!({"jsonrpc": "2.0", "id": 99999, "result": {}}));
    for params in [json!(null), json!({"cwd": 1}), json!({"cwd": "relative"}), json!([])] {
        assert_eq!(code(&editor.ask("session/new", params)), -32602);
    }
    assert_eq!(code(&editor.ask("session/new", json!({"cwd": "/no/such/folder"}))), -32002);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Hello");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    editor.end().exits(0);
}

#[test]
fn sessions_that_are_not_there_or_elsewhere_are_refused() {
    let stage = stage();
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let at = |id: &str, cwd: &str| json!({"sessionId": id, "cwd": cwd, "mcpServers": []});
    let here = stage.home.project_dir().display().to_string();
    let none = "01a22bf8-96f4-758f-b989-000000000000";
    assert_eq!(code(&editor.ask("session/load", at(none, &here))), -32002);
    // A part of an ID, which the command line would take.
    assert_eq!(code(&editor.ask("session/load", at(&session[..13], &here))), -32002);
    assert_eq!(code(&editor.ask("session/load", at(&session, "/tmp"))), -32602);
    for method in ["session/prompt", "session/close", "session/set_mode"] {
        let params = json!({"sessionId": none, "prompt": [], "modeId": "ask"});
        assert_eq!(code(&editor.ask(method, params)), -32602, "{method}");
    }
    let params = json!({"sessionId": session, "modeId": "yolo"});
    assert_eq!(code(&editor.ask("session/set_mode", params)), -32602);
    editor.notify("session/cancel", &json!({"sessionId": none}));
    editor.notify("session/cancel", &json!({"sessionId": session}));
    let sound = json!({"sessionId": session, "prompt": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]});
    assert_eq!(code(&editor.ask("session/prompt", sound)), -32602);
    assert_eq!(code(&editor.ask("session/prompt", json!({"sessionId": session, "prompt": []}))), -32602);
    let prompt = editor.prompt(&session, "Hello");
    assert_eq!(editor.stop_reason(prompt), "end_turn", "the refused prompts left nothing behind");
}

#[test]
fn a_closed_session_says_nothing_more() {
    let stage = playing(vec![Turn::silent()]);
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "One");
    assert!(stage.model.wait_until(|journal| !journal.requests.is_empty()));
    let closed = editor.begin("session/close", json!({"sessionId": session}));
    let (mut stopped, mut is_closed) = (None, false);
    while stopped.is_none() || !is_closed {
        let answer = editor.until(|message| message["id"].is_u64() && message["method"].is_null());
        is_closed |= answer["id"] == closed;
        if answer["id"] == prompt {
            stopped = Some(answer["result"]["stopReason"].clone());
        }
    }
    assert_eq!(stopped, Some(json!("cancelled")));
    let heard = editor.heard.len();
    editor.ask("session/list", json!({}));
    assert_eq!(editor.heard.len(), heard + 1, "{:?}", &editor.heard[heard..]);
    assert_eq!(code(&editor.ask("session/close", json!({"sessionId": session}))), -32602);
}

#[test]
fn a_flood_of_requests_is_bounded() {
    let stage = stage();
    let mut editor = Editor::plain(&stage);
    let flood: String =
        (1000..1500).map(|id| format!("{}\n", json!({"id": id, "method": "session/list", "params": {}}))).collect();
    editor.write(flood.as_bytes());
    let mut refused = 0;
    for _ in 1000..1500 {
        let answer = editor.until(|message| message["id"].as_u64().is_some_and(|id| id >= 1000));
        match &answer["error"]["code"] {
            Value::Null => {}
            code => {
                assert_eq!(*code, -32001);
                refused += 1;
            }
        }
    }
    println!("{refused} of 500 were refused");
    editor.open(&stage);
}

#[test]
fn many_loads_leave_one_session_behind() {
    let stage = stage();
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let at = json!({"sessionId": session, "cwd": stage.home.project_dir(), "mcpServers": []});
    for _ in 0..100 {
        assert!(editor.ask("session/load", at.clone())["result"].is_object());
    }
    let prompt = editor.prompt(&session, "Hello");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(editor.said().trim_end(), "Hello.", "each piece is told once");
}

#[cfg(unix)]
#[test]
fn the_end_of_input_ends_everything_also_in_the_middle_of_a_line() {
    let stage = playing(commanding("sleep 300").to_vec());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    editor.prompt(&session, "Run it");
    editor.until(|message| message["params"]["update"]["status"] == "in_progress");
    editor.write(br#"{"jsonrpc":"2.0","id":5,"meth"#);
    editor.end().exits(0);
    assert_eq!(stage.sessions()[0]["state"], "cancelled");
}

#[cfg(unix)]
#[test]
fn the_children_of_a_killed_editor_go_with_it() {
    let stage = Stage::configured(
        Script::new(commanding("echo $$ > pid; exec sleep 300").to_vec()).sequential(),
        &crate::harness::asking_policy(),
    );
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    editor.prompt(&session, "Run it");
    let asked = editor.asked("session/request_permission");
    editor.choose(&asked, "allow");
    wait_until("the command has begun", || std::fs::metadata(stage.path("pid")).is_ok_and(|file| file.len() > 1));
    let pid = pid_in(&stage.path("pid"));
    editor.end().exits(0);
    wait_until("the command is gone", || !is_running(pid));
}

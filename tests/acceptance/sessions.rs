//! Sessions are listed, shown and gone on with; several run at once, one at a time each.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn, kinds, stored, verify_chain};
use serde_json::{Value, json};

fn talking() -> Stage {
    Stage::of(Script::new(vec![Turn::text("One."), Turn::text("Two."), Turn::text("Three.")]).sequential())
}

fn session_of(events: &[Value]) -> String {
    text(&events[0]["sessionId"])
}

#[test]
fn sessions_are_listed_newest_first_with_the_fields_of_the_contract() {
    let stage = talking();
    let first = session_of(&stage.exec(&["the first one\nwith more lines"]).exits(0).lines());
    let second = session_of(&stage.exec(&["the second one"]).exits(0).lines());
    let listed = stage.sessions();
    assert_eq!(listed.iter().map(|s| text(&s["sessionId"])).collect::<Vec<_>>(), [second.clone(), first.clone()]);
    let project = stage.home.project_dir().canonicalize().unwrap();
    assert_eq!(listed[1]["title"], "the first one");
    assert_eq!(listed[1]["project"], json!(project.to_str().unwrap()));
    assert_eq!(listed[1]["state"], "done");
    assert!(listed[1]["updatedAt"].as_i64().unwrap() > 1_600_000_000_000);
    stage.exec(&["--session", &first, "and on"]).exits(0);
    assert_eq!(text(&stage.sessions()[0]["sessionId"]), first);
    let people = stage.arki(&["sessions", "list"]).exits(0).stdout;
    assert!(people.contains(&first) && people.contains("the second one"), "{people}");
}

#[test]
fn sessions_are_pinned_and_archived_and_a_run_brings_one_back() {
    let stage = talking();
    let first = session_of(&stage.exec(&["the first one"]).exits(0).lines());
    let second = session_of(&stage.exec(&["the second one"]).exits(0).lines());
    stage.arki(&["sessions", "pin", &first]).exits(0);
    let told = stage.arki(&["sessions", "archive", &first, "--json"]).exits(0).lines();
    assert_eq!(told, [json!({"sessionId": first, "pinned": true, "archived": true})]);
    let ids = |sessions: Vec<Value>| sessions.iter().map(|s| text(&s["sessionId"])).collect::<Vec<_>>();
    assert_eq!(ids(stage.sessions()), std::slice::from_ref(&second));
    let archived = stage.arki(&["sessions", "list", "--archived", "--json"]).exits(0).lines();
    assert_eq!((&archived[0]["pinned"], &archived[0]["archived"]), (&json!(true), &json!(true)));
    // What is so already is not said again, and neither is a use of the session.
    stage.arki(&["sessions", "archive", &first]).exits(0);
    assert_eq!(payloads(&stage.events(&first), "session.configured").len(), 2);
    stage.exec(&["--session", &first, "and on"]).exits(0);
    assert_eq!(ids(stage.sessions()), [first.clone(), second]);
    let people = stage.arki(&["sessions", "list"]).exits(0).stdout;
    assert!(people.contains("(pinned) the first one"), "{people}");
    stage.arki(&["sessions", "unpin", &first]).exits(0);
    assert!(stage.sessions()[0]["pinned"].is_null());
    assert_eq!(verify_chain(&stage.events(&first)), Ok(()));
    stage.arki(&["sessions", "pin", "none-such"]).fails(2, "SESSION_NOT_FOUND");
}

#[test]
fn a_session_that_waits_is_not_archived() {
    let turn = Turn::calls().call("write_file", json!({"path": "a.txt", "content": "x"}));
    let stage = Stage::of(Script::new(vec![turn]));
    stage.trust();
    let session = session_of(&stage.exec(&["write"]).exits(3).lines());
    stage.arki(&["sessions", "archive", &session]).fails(1, "SESSION_BUSY");
    assert_eq!(stage.sessions().len(), 1);
}

#[test]
fn a_session_goes_on_with_what_was_said() {
    let stage = talking();
    let session = session_of(&stage.exec(&["my name is Ada"]).exits(0).lines());
    stage.exec(&["--continue", "and my cat is Bob"]).exits(0);
    stage.exec(&["--session", &session[..session.len() - 2], "who am I?"]).exits(0);
    let said: Vec<String> = stage.messages()[1..].iter().map(|message| text(&message["content"])).collect();
    assert_eq!(said, ["my name is Ada", "One. ", "and my cat is Bob", "Two. ", "who am I?"]);
    let log = stage.log();
    assert_eq!(payloads(&log, "run.started").len(), 3);
    assert_eq!(verify_chain(&log), Ok(()));
    let shown = stage.arki(&["sessions", "show", &session]).exits(0).stdout;
    assert!(shown.contains("› my name is Ada") && shown.contains("Three."), "{shown}");
}

#[test]
fn continue_takes_the_newest_session_of_this_folder_only() {
    let stage = talking();
    let other = tempfile::tempdir().unwrap();
    let elsewhere = stage.command(&["exec", "elsewhere", "--json"]).current_dir(other.path()).spawn().unwrap();
    crate::harness::Done::of_child(elsewhere).exits(0);
    stage.exec(&["--continue", "here"]).fails(2, "SESSION_NOT_FOUND");
    stage.exec(&["here"]).exits(0);
    stage.exec(&["--continue", "and on"]).exits(0);
    assert_eq!(stage.sessions().len(), 2);
}

#[test]
fn a_session_that_is_not_there_is_a_wrong_use() {
    let stage = talking();
    stage.exec(&["hello"]).exits(0);
    for args in [
        &["sessions", "show", "none"][..],
        &["events", "none"],
        &["verify", "none"],
        &["exec", "--session", "none", "x"],
        &["resume", "none"],
    ] {
        stage.arki(args).fails(2, "SESSION_NOT_FOUND");
    }
}

#[test]
fn events_can_be_read_from_a_number_on_and_by_run() {
    let stage = talking();
    let first = stage.exec(&["hello"]).exits(0).lines();
    let second = stage.exec(&["--continue", "again"]).exits(0).lines();
    let log = stage.log();
    let session = session_of(&first);
    let tail = stage.arki(&["events", &session, "--from", "5", "--json"]).exits(0).lines();
    assert_eq!(tail, log[4..]);
    let run = text(&second[0]["runId"]);
    assert_eq!(stage.events(&run), stored(&second));
    assert_eq!(stage.arki(&["events", &session, "--from", "1000", "--json"]).exits(0).stdout, "");
    assert_eq!(stage.arki(&["events", &session]).exits(0).stdout.lines().count(), log.len());
}

#[test]
fn what_would_steer_a_terminal_is_written_out_in_events() {
    let stage = Stage::new(vec![Turn::text("\u{9b}31m \u{202e}txt \u{2066}x \u{7f} end")]);
    let session = session_of(&stage.exec(&["\u{9b}2J \u{202e}evil"]).exits(0).lines());
    let shown = stage.arki(&["events", &session]).exits(0).stdout;
    let steers =
        |c: &char| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert_eq!(shown.chars().find(steers), None, "{shown}");
    for written in ["\\u{9b}2J", "\\u{202e}evil", "\\u{202e}txt", "\\u{2066}x"] {
        assert!(shown.contains(written), "{written} {shown}");
    }
    assert!(Value::from(stage.events(&session)).to_string().contains('\u{202e}'), "programs are given it as it is");
}

#[test]
fn two_sessions_run_at_once_on_one_data_directory() {
    let waiting = |_: &Value| Turn::text("ok").pause(std::time::Duration::from_millis(200));
    let stage = Stage::new(vec![Turn::calls().call("read_file", json!({"path": "a.txt"})), Turn::computed(waiting)]);
    stage.write("a.txt", "a\n");
    let runs: Vec<_> = (0..4).map(|number| stage.start(&["exec", &format!("run {number}")])).collect();
    let ended: Vec<Vec<Value>> = runs.into_iter().map(|run| run.end().exits(0).lines()).collect();
    assert_eq!(stage.sessions().len(), 4);
    for events in ended {
        let log = stage.events(&session_of(&events));
        assert_eq!(verify_chain(&log), Ok(()));
        assert_eq!(stored(&events), log);
    }
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn a_session_that_another_process_runs_is_busy() {
    use rustix::process::Signal;
    let stage = Stage::of(
        Script::new(vec![Turn::text("These words have come and the rest has not").hang_after(700), Turn::text("ok")])
            .sequential(),
    );
    let mut run = stage.start(&["exec", "go"]);
    let session = text(&run.until_kind("output.delta")["sessionId"]);
    let mut watched = stage.start(&["events", &session, "--follow"]);
    watched.until_kind("engine.request");
    let before = stage.events(&session);
    let shown = stage.exec(&["--session", &session, "me too"]).exits(1).json_error();
    assert_eq!(shown.code, "SESSION_BUSY");
    stage.arki(&["resume", &session]).fails(1, "SESSION_BUSY");
    assert_eq!(stage.events(&session), before);
    assert_eq!(stage.sessions()[0]["state"], "running");
    run.signal(Signal::INT);
    run.end().exits(130);
    watched.until_kind("run.cancelled");
    stage.exec(&["--session", &session, "now me"]).exits(0);
}

#[test]
fn a_session_that_waits_for_an_approval_takes_no_new_prompt() {
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", json!({"path": "a.txt", "content": "x"})),
        Turn::text("Done."),
    ]);
    stage.exec(&["go"]).exits(3);
    let shown = stage.exec(&["--continue", "and this"]).fails(1, "SESSION_BUSY");
    assert!(shown.hint.contains("arki approvals list"), "{shown:?}");
    let log = stage.log();
    assert_eq!(payload(&log, "run.started")["prompt"], "go");
    assert_eq!(kinds(&log).last(), Some(&"run.paused"));
}

#[test]
fn a_session_can_be_shown_to_programs() {
    let stage = talking();
    let session = session_of(&stage.exec(&["hello"]).exits(0).lines());
    let shown = stage.arki(&["sessions", "show", &session, "--json"]).exits(0).lines();
    assert_eq!(shown[0]["sessionId"], json!(session));
    assert_eq!(shown[1], json!({"role": "user", "content": "hello", "interrupted": false}));
    assert_eq!(shown[2], json!({"role": "assistant", "content": "One. ", "interrupted": false}));
}

#[test]
fn a_session_is_shown_to_programs_with_its_calls() {
    let stage = Stage::new(vec![Turn::calls().call("read_file", json!({"path": "a.txt"})), Turn::text("Read.")]);
    stage.write("a.txt", "eins\n");
    let session = session_of(&stage.exec(&["read"]).exits(0).lines());
    let shown = stage.arki(&["sessions", "show", &session, "--json"]).exits(0).lines();
    let roles: Vec<&str> = shown[1..].iter().map(|line| line["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "tool_request", "tool_result", "assistant"]);
    assert_eq!((&shown[2]["toolId"], &shown[2]["args"]), (&json!("read_file"), &json!({"path": "a.txt"})));
    assert_eq!((&shown[3]["callId"], &shown[3]["isError"]), (&shown[2]["callId"], &json!(false)));
    assert!(shown[3]["content"].as_str().unwrap().contains("eins"), "{shown:?}");
}

#[test]
fn a_session_can_be_renamed() {
    let stage = talking();
    stage.exec(&["look around"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["sessions", "rename", &session, "  A first\nlook "]).exits(0);
    assert_eq!(stage.sessions()[0]["title"], "A first look");
    stage.exec(&["--continue", "again"]).exits(0);
    assert_eq!(stage.sessions()[0]["title"], "A first look");
    stage.arki(&["sessions", "rename", &session, "with ghp_0123456789abcdefghijABCDEFGHIJ888888"]).exits(0);
    let shown = text(&stage.sessions()[0]["title"]);
    assert!(shown.starts_with("with [secret:"), "{shown}");
    stage.arki(&["sessions", "rename", &session, " "]).fails(2, "USAGE");
    stage.arki(&["sessions", "rename", &session, &"x".repeat(201)]).fails(2, "USAGE");
    stage.verifies();
}

//! Tools that are switched off in a session: not offered, not carried out, on again when the user says so.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn offered(stage: &Stage) -> Vec<String> {
    let tools = stage.model.requests().last().unwrap().json["tools"].clone();
    tools.as_array().unwrap().iter().map(|tool| text(&tool["function"]["name"])).collect()
}

fn session_of(events: &[Value]) -> String {
    text(&events[0]["sessionId"])
}

fn is_on(listed: &[Value], name: &str) -> bool {
    listed.iter().find(|tool| tool["name"] == name).unwrap()["enabled"] == true
}

#[test]
fn a_tool_that_is_off_is_neither_offered_nor_carried_out() {
    let turns = vec![Turn::calls().call("run_command", json!({"command": "touch made"})), Turn::text("I see.")];
    let stage = Stage::of(Script::new(turns));
    let events = stage.exec(&["--approve", "all", "--disable-tool", "run_command", "go"]).exits(0).lines();
    assert!(!offered(&stage).contains(&"run_command".to_owned()) && offered(&stage).contains(&"read_file".to_owned()));
    assert!(!stage.path("made").exists());
    assert_eq!(payload(&events, "session.configured")["disabledTools"], json!(["run_command"]));
    assert_eq!(payload(&events, "policy.decided")["rule"], "builtin:disabled-tool");
    assert_eq!(payloads(&events, "tool.result")[0]["isError"], true);
}

#[test]
fn it_stays_off_in_the_session_and_in_its_forks_until_it_is_switched_on() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    let session = session_of(&stage.exec(&["hello"]).exits(0).lines());
    let listed = stage.arki(&["tools", "--session", &session, "--off", "write_file", "--off", "fetch_url", "--json"]);
    let listed = listed.exits(0).lines();
    assert!(!is_on(&listed, "write_file") && !is_on(&listed, "fetch_url") && is_on(&listed, "read_file"));
    stage.exec(&["--session", &session, "again"]).exits(0);
    assert!(!offered(&stage).contains(&"write_file".to_owned()));
    let fork = stage.arki(&["sessions", "fork", &session, "--json"]).exits(0).lines();
    let fork = text(&fork[0]["sessionId"]);
    stage.exec(&["--session", &fork, "again"]).exits(0);
    assert!(!offered(&stage).contains(&"write_file".to_owned()), "a fork");
    stage.arki(&["tools", "--session", &session, "--on", "write_file"]).exits(0);
    stage.exec(&["--session", &session, "again"]).exits(0);
    let now = offered(&stage);
    assert!(now.contains(&"write_file".to_owned()) && !now.contains(&"fetch_url".to_owned()), "{now:?}");
    stage.exec(&["hello"]).exits(0);
    assert!(offered(&stage).contains(&"fetch_url".to_owned()), "another session has them all");
    stage.arki(&["verify"]).exits(0);
}

#[test]
fn a_misspelt_tool_is_an_error_before_anything_happens() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    let shown = stage.exec(&["--disable-tool", "run_comand", "go"]).fails(2, "TOOL_UNKNOWN");
    assert!(shown.hint.contains("run_command"), "{shown:?}");
    assert_eq!(stage.model.requests().len(), 0);
    stage.arki(&["tools", "--off", "run_command"]).exits(2);
}

//! What a model may send by mistake or in malice: nothing happens, the model is told how to do better, the run goes on.
//! The kinds are tests of the executor (`tools/src/executor/tests/refused_calls.rs`).

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::Turn;
use serde_json::{Value, json};

/// Plays one call with everything granted, and a last word. Returns the call's result as logged and as the model saw
/// it.
fn refused(stage: &Stage) -> (Value, String) {
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    let result = payload(&events, "tool.result");
    assert_eq!(result["isError"], json!(true), "{result}");
    assert!(events.iter().any(|event| event["type"] == "run.completed"));
    assert_eq!(stage.log().iter().filter(|event| event["type"] == "file.changed").count(), 0);
    stage.verifies();
    (result, stage.told())
}

fn call(name: &str, args: Value) -> Vec<Turn> {
    vec![Turn::calls().call(name, args), Turn::text("I see.")]
}

#[test]
fn a_path_that_leads_out_of_the_project_is_refused() {
    let stage = Stage::new(call("write_file", json!({"path": "../config/config.json", "content": "x"})));
    let before = std::fs::read(stage.path("../config/config.json")).unwrap();
    let (result, told) = refused(&stage);
    assert_eq!(result["code"], "PATH_OUTSIDE_PROJECT", "{result}");
    assert!(told.starts_with("Error: ") && told.len() > 30, "{told}");
    assert_eq!(std::fs::read(stage.path("../config/config.json")).unwrap(), before);
}

#[test]
fn an_unknown_tool_is_denied_and_the_nearest_one_is_named() {
    let stage = Stage::new(call("edit_files", json!({"path": "a"})));
    let (result, told) = refused(&stage);
    assert_eq!(result["code"], "TOOL_UNKNOWN");
    assert!(told.contains("edit_files") && told.contains("Did you mean edit_file?"), "{told}");
}

#[test]
fn arguments_that_are_no_json_are_told_as_such() {
    let raws = ["{\"path\": \"a", "path=a", "", "[1, 2]", "null", "\"a\""];
    let calls = raws.iter().fold(Turn::calls(), |calls, raw| calls.call_raw("read_file", *raw));
    let stage = Stage::new(vec![calls, Turn::text("I see.")]);
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    let results = payloads(&events, "tool.result");
    assert_eq!(results.len(), raws.len());
    for (raw, result) in raws.iter().zip(&results) {
        assert_eq!((&result["isError"], &result["code"]), (&json!(true), &json!("ARGUMENTS_INVALID")), "{raw:?}");
        assert!(text(&result["result"]).contains("read_file"), "{result}");
    }
    stage.verifies();
}

#[test]
fn what_is_not_there_is_said_in_words_for_people() {
    let stage = Stage::new(Vec::new());
    let rule = stage.arki(&["policy", "backtest", "nope"]).fails(2, "USAGE");
    assert!(rule.message.contains("no such file"), "{rule:?}");
    let session = stage.arki(&["sessions", "show", ""]).fails(2, "SESSION_NOT_FOUND");
    assert_eq!(session.message, "No session was given.");
}

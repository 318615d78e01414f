//! `ask_user` where nobody sees the window: the model is told at once, and the run goes on.

use crate::harness::{Stage, payload, payloads};
use arki_testkit::Turn;
use serde_json::{Value, json};

fn question() -> Turn {
    Turn::calls().call("ask_user", json!({"question": "Which?", "options": ["a", "b"]}))
}

#[test]
fn headless_a_question_is_an_error_to_the_model_and_the_run_goes_on() {
    let stage = Stage::new(vec![question(), Turn::text("I took a.")]);
    let events = stage.exec(&["go"]).exits(0).lines();
    let result = payload(&events, "tool.result");
    assert_eq!((&result["isError"], &result["code"]), (&json!(true), &json!("NOBODY_TO_ASK")));
    assert!(stage.told().contains("Make the most likely choice"), "{}", stage.told());
    assert_eq!(payloads(&events, "question.asked"), Vec::<Value>::new());
    assert_eq!(payload(&events, "run.completed")["turns"], 2);
}

#[test]
fn there_is_no_answering_where_nothing_is_asked() {
    let stage = Stage::new(vec![question(), Turn::text("I took a.")]);
    stage.exec(&["go"]).exits(0);
    let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    let hint = stage.arki(&["resume", &session, "--answer", "b"]).fails(2, "QUESTION_NOT_FOUND").hint;
    assert!(hint.contains(&format!("arki exec --session {session}")), "{hint}");
    stage.arki(&["resume", &session, "--answer", "b", "--approve", "all"]).exits(2);
}

#[test]
fn the_tool_is_listed_with_what_it_asks() {
    let stage = Stage::new(vec![]);
    let tools = stage.arki(&["tools", "--json"]).exits(0).lines();
    let tool = tools.iter().find(|tool| tool["name"] == "ask_user").unwrap();
    assert_eq!(tool["category"], "read", "{tool}");
}

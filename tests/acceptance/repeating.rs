//! A model that goes round in circles: the third same call in a row is a question.

use crate::harness::{Stage, payload, payloads};
use arki_testkit::Turn;
use serde_json::{Value, json};

fn reading() -> Turn {
    Turn::calls().call("read_file", json!({"path": "a.txt"}))
}

fn going_round(times: usize) -> Stage {
    let turns = (0..times).map(|_| reading()).chain([Turn::text("Done.")]);
    let stage = Stage::new(turns.collect());
    stage.write("a.txt", "one\n");
    stage
}

fn rules(events: &[Value]) -> Vec<Value> {
    payloads(events, "policy.decided").iter().map(|decided| decided["rule"].clone()).collect()
}

#[test]
fn the_third_same_call_in_a_row_waits_for_the_user_whatever_is_granted() {
    let stage = going_round(5);
    let events = stage.exec(&["--approve", "all", "go"]).exits(3).lines();
    assert_eq!(rules(&events)[2], "builtin:repeated-call");
    assert_ne!(rules(&events)[1], "builtin:repeated-call");
    assert_eq!(payload(&events, "approval.requested")["reason"], "The same call was made 3 times in a row.");
    // What is granted from now on does not answer it either.
    let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    stage.arki(&["resume", &session, "--approve", "all"]).exits(3);
    // The user agrees, and the count begins anew.
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert_eq!(rules(&stage.log()).iter().filter(|rule| *rule == "builtin:repeated-call").count(), 1);
}

#[test]
fn where_nobody_answers_the_model_is_told_to_do_something_else() {
    let stage = going_round(3);
    stage.exec(&["--approve", "never", "go"]).exits(0);
    let told = stage.told();
    assert!(told.contains("The same call was made 3 times in a row. Repeating it"), "{told}");
}

#[test]
fn a_call_in_between_is_no_going_round() {
    let other = || Turn::calls().call("list_directory", json!({}));
    let stage = Stage::new(vec![reading(), reading(), other(), reading(), reading(), Turn::text("Done.")]);
    stage.write("a.txt", "one\n");
    stage.exec(&["go"]).exits(0);
}

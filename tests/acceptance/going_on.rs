//! `arki resume`: a run that failed, paused or was interrupted goes on where it stood; one that has ended does not.

use crate::harness::{payload, payloads, text};
use crate::tree::{one_call, playing, session_of};
use arki_testkit::{Turn, kinds};
use serde_json::{Value, json};

fn broken() -> Turn {
    Turn::json(500, json!({"error": {"message": "the model is not well"}}))
}

fn run_of(events: &[Value]) -> String {
    text(&events.iter().find(|event| event["type"] == "run.started").unwrap()["runId"])
}

#[test]
fn a_failed_run_goes_on_once_the_provider_answers() {
    let stage = playing(vec![
        Turn::calls().call("read_file", json!({"path": "a.txt"})),
        broken(),
        Turn::text("Now it is done."),
    ]);
    stage.write("a.txt", "a\n");
    let events = stage.exec(&["go"]).exits(1).lines();
    let run = run_of(&events);
    let failed = payload(&events, "run.failed");
    assert_eq!(failed["retryable"], json!(true));
    let resumed = stage.arki(&["resume", &run, "--json"]).exits(0).lines();
    assert_eq!(payload(&resumed, "run.completed")["response"], "Now it is done. ");
    assert!(resumed.iter().filter(|event| !event["runId"].is_null()).all(|event| event["runId"] == json!(run)));
    assert_eq!(kinds(&resumed)[0], "run.resumed");
    let requests = stage.model.requests();
    assert_eq!(requests[1].json["messages"], requests[2].json["messages"], "the same question, word by word");
    stage.verifies();
}

#[test]
fn approve_grants_from_now_on() {
    let stage = playing(
        [
            vec![broken()],
            one_call("write_file", json!({"path": "a.txt", "content": "a\n"})).to_vec(),
            one_call("write_file", json!({"path": "b.txt", "content": "b\n"})).to_vec(),
        ]
        .concat(),
    );
    let events = stage.exec(&["go"]).exits(1).lines();
    stage.arki(&["resume", &run_of(&events), "--approve", "all"]).exits(0);
    assert_eq!(stage.read("a.txt"), "a\n");
    assert_eq!(payload(&stage.log(), "run.resumed")["approve"], "all");
    // It was granted to that run alone.
    stage.exec(&["--continue", "and b"]).exits(3);
    assert!(!stage.path("b.txt").exists());
    stage.arki(&["resume", &session_of(&events), "--approve", "sometimes"]).fails(2, "USAGE");
}

#[test]
fn a_run_that_its_budget_paused_goes_on_with_a_fresh_one() {
    let stage = playing(vec![
        Turn::calls().call("list_directory", json!({})),
        Turn::calls().call("list_directory", json!({})),
        Turn::text("Done."),
    ]);
    let run = run_of(&stage.exec(&["--max-turns", "1", "go"]).exits(5).lines());
    stage.arki(&["resume", &run]).exits(5);
    stage.arki(&["resume", &run]).exits(0);
    let reasons: Vec<Value> =
        payloads(&stage.log(), "run.resumed").iter().map(|resumed| resumed["reason"].clone()).collect();
    assert_eq!(reasons, [json!("budget"), json!("budget")]);
    stage.verifies();
}

#[test]
fn a_run_that_waits_for_an_approval_says_so_again_and_can_be_granted_everything() {
    let stage = playing(one_call("write_file", json!({"path": "a.txt", "content": "a\n"})).to_vec());
    let events = stage.exec(&["go"]).exits(3).lines();
    let waiting = stage.waiting();
    stage.arki(&["resume", &run_of(&events)]).exits(3);
    assert_eq!(stage.waiting(), waiting, "still the same question");
    assert!(!stage.path("a.txt").exists());
    stage.arki(&["approvals", "approve", &waiting]).exits(0);
    assert_eq!(stage.read("a.txt"), "a\n");
    stage.verifies();
}

#[test]
fn what_has_ended_is_not_gone_on_with() {
    let stage = playing(vec![Turn::text("Done."), broken(), Turn::text("never")]);
    let events = stage.exec(&["go"]).exits(0).lines();
    let (session, run) = (session_of(&events), run_of(&events));
    let before = stage.events(&session);
    for id in [&run, &session] {
        let shown = stage.arki(&["resume", id, "--json"]).exits(2).json_error();
        assert_eq!(shown.code, "RUN_NOT_FOUND");
        assert!(shown.message.contains("ended"), "{shown:?}");
    }
    assert_eq!(stage.events(&session), before);
    // Nor does naming it go on with the one that came after it.
    stage.exec(&["--session", &session, "more"]).exits(1);
    stage.arki(&["resume", &run]).fails(2, "RUN_NOT_FOUND");
    assert_eq!(stage.model.requests().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_cancelled_run_has_ended_too() {
    use rustix::process::Signal;
    let stage = playing(vec![Turn::text("These words have come and the rest has not").hang_after(700)]);
    let mut running = stage.start(&["exec", "go"]);
    running.until_kind("output.delta");
    running.signal(Signal::INT);
    let run = run_of(&running.end().exits(130).lines());
    let shown = stage.arki(&["resume", &run]).fails(2, "RUN_NOT_FOUND");
    assert!(shown.message.contains("ended") && !shown.hint.is_empty(), "{shown:?}");
    stage.verifies();
}

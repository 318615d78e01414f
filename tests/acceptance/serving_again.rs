//! Requests that are sent again under the same `Idempotency-Key`: one run, one decision, one answer.
#![cfg(unix)]

use crate::harness::{Stage, text, wait_until};
use crate::server::{Answered, Serving, sent_to};
use crate::tree::{playing, writing};
use arki_testkit::Turn;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::Write;

fn run_of(stage: &Stage, prompt: &str) -> Value {
    json!({"project": stage.home.project_dir(), "prompt": prompt})
}

fn is_replayed(head: &str) -> bool {
    head.to_ascii_lowercase().contains("idempotency-replayed: true")
}

#[test]
fn the_same_request_starts_one_run_and_another_one_under_its_key_is_refused() {
    let stage = playing((0..3).map(|_| Turn::text("Done.")).collect());
    let made = &stage.arki(&["--json", "serve", "--pair", "decide"]).exits(0).lines()[0];
    let serving = Serving::of(&stage);
    let key = "Idempotency-Key: 7c9e6679-7425-40de-944b-e07fc1f90ae7";
    let ask = |header: &str, prompt: &str| serving.post_with(header, "/v1/runs", &run_of(&stage, prompt));
    let first = ask(key, "one");
    assert_eq!((first.status, is_replayed(&first.head)), (201, false), "{}", first.body);
    let again = ask(key, "one");
    assert_eq!((again.status, is_replayed(&again.head), &again.body), (201, true, &first.body));
    assert_eq!(ask(key, "two").code(), (409, "IDEMPOTENCY_MISMATCH".to_owned()));
    assert_eq!(
        serving.post_with(key, "/v1/approvals/a", &json!({"decision": "reject"})).code().1,
        "IDEMPOTENCY_MISMATCH"
    );
    // Who may not start a run hears nothing of those that others started.
    let denied = serving.request(&text(&made["token"]), ("POST", "/v1/runs"), &format!("{key}\r\n"), "{}");
    assert_eq!(serving.sent(&denied).code(), (403, "RIGHTS_MISSING".to_owned()));
    for wrong in [String::new(), "x".repeat(129), "schlüssel".to_owned()] {
        assert_eq!(ask(&format!("Idempotency-Key: {wrong}"), "one").code(), (400, "ARGUMENTS_INVALID".to_owned()));
    }
    // What was refused has used no key.
    let failed = serving.post_with("Idempotency-Key: k", "/v1/runs", &json!({"prompt": "no folder"}));
    assert_eq!(failed.code(), (400, "USAGE".to_owned()));
    assert_eq!(ask("Idempotency-Key: k", "two").status, 201);
    assert_eq!(serving.get("/v1/runs").json().as_array().unwrap().len(), 2);
    serving.end();
    stage.verifies();
}

/// Two that come at once: one starts the run, the other hears that it is in progress, or the answer.
#[test]
fn of_requests_that_come_at_once_one_starts_a_run() {
    let stage = playing((0..8).map(|_| Turn::text("Done.")).collect());
    let serving = Serving::of(&stage);
    let body = run_of(&stage, "go").to_string();
    let request = serving.request(&serving.token, ("POST", "/v1/runs"), "Idempotency-Key: once\r\n", &body);
    let port = serving.port;
    let answers: Vec<_> = std::thread::scope(|scope| {
        let ask = || sent_to(port, &request);
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    let begun = |answer: &&Answered| answer.status == 201 && !is_replayed(&answer.head);
    assert_eq!(answers.iter().filter(begun).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!(answer.code(), (409, "IDEMPOTENCY_IN_PROGRESS".to_owned()));
    }
    assert_eq!(serving.get("/v1/runs").json().as_array().unwrap().len(), 1);
    serving.end();
}

/// The server is killed when the run is in the log, and before its answer was read.
#[test]
fn the_same_request_starts_nothing_twice_after_the_server_was_killed() {
    let stage = playing(vec![Turn::text("These words have come").hang_after(10), Turn::text("Done.")]);
    let serving = Serving::of(&stage);
    let body = run_of(&stage, "go");
    let key = "Idempotency-Key: once\r\n";
    let mut asking = serving.connect();
    asking.write_all(serving.request(&serving.token, ("POST", "/v1/runs"), key, &body.to_string()).as_bytes()).unwrap();
    wait_until("the run is in the log", || !stage.sessions().is_empty());
    serving.running.signal(Signal::KILL);
    drop(serving);
    let session = text(&stage.sessions()[0]["sessionId"]);
    let serving = Serving::of(&stage);
    let again = serving.post_with(key.trim(), "/v1/runs", &body);
    assert_eq!((again.status, is_replayed(&again.head)), (201, true), "{}", again.body);
    assert_eq!(again.json()["sessionId"], json!(session));
    assert_eq!(serving.get("/v1/runs").json().as_array().unwrap().len(), 1);
    serving.end();
    stage.verifies();
}

#[test]
fn a_decision_that_is_sent_again_gets_its_first_answer() {
    let stage = Stage::new([writing("a.txt", "a\n").to_vec(), vec![]].concat());
    let serving = Serving::of(&stage);
    let (session, run) = serving.start(&stage, "write it");
    wait_until("an approval waits", || serving.get("/v1/approvals").json()[0]["approvalId"].is_string());
    let path = format!("/v1/approvals/{}", text(&serving.get("/v1/approvals").json()[0]["approvalId"]));
    let decide = |decision: &str| serving.post_with("Idempotency-Key: d", &path, &json!({"decision": decision}));
    let first = decide("approve");
    assert_eq!((first.status, is_replayed(&first.head), first.body.as_str()), (200, false, "{}"));
    wait_until("the run has ended", || serving.get(&format!("/v1/runs/{run}")).json()["state"] == json!("done"));
    let again = decide("approve");
    assert_eq!((again.status, is_replayed(&again.head), again.body.as_str()), (200, true, "{}"));
    assert_eq!(decide("reject").code(), (409, "IDEMPOTENCY_MISMATCH".to_owned()));
    let resolved = stage.events(&session).into_iter().filter(|event| event["type"] == "approval.resolved").count();
    assert_eq!((resolved, stage.read("a.txt").as_str()), (1, "a\n"));
    serving.end();
}

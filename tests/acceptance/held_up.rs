//! A process that was held up for longer than its lease, stopped or asleep, does not go on as if nothing had happened.
#![cfg(unix)]

use crate::harness::{Running, Stage, payloads, text};
use arki_testkit::{Turn, kinds, verify_chain};
use rusqlite::Connection;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::Duration;

/// As if the process had been silent for a minute.
fn age_the_lease(stage: &Stage) {
    let database = Connection::open(stage.database()).unwrap();
    assert_eq!(database.execute("UPDATE leases SET renewed_at = renewed_at - 60000", []).unwrap(), 1);
}

/// Holds a run up where it stands, has another process take it over to its end, and lets it go again.
fn taken_over(stage: &Stage, held_up: Running) -> Vec<Value> {
    held_up.signal(Signal::STOP);
    age_the_lease(stage);
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["resume", &session, "--json"]).exits(0);
    let log = stage.log();
    held_up.signal(Signal::CONT);
    held_up.end().fails(1, "SESSION_BUSY");
    assert_eq!(kinds(&stage.log()), kinds(&log), "it added something once it was let go");
    assert_eq!(verify_chain(&log), Ok(()));
    log
}

#[test]
fn an_answer_that_arrives_after_another_process_took_over_is_not_stored() {
    let stage = Stage::new(vec![Turn::text("Done.").pause(Duration::from_secs(2))]);
    let mut held_up = stage.start(&["exec", "go"]);
    held_up.until_kind("engine.request");
    let log = taken_over(&stage, held_up);
    assert_eq!(payloads(&log, "output.message").len(), 1);
    assert_eq!(payloads(&log, "run.completed").len(), 1);
}

#[test]
fn a_command_that_ends_after_another_process_took_over_has_one_result() {
    let command = json!({"command": "touch begun.txt; sleep 2; touch after.txt"});
    let stage = Stage::asking(vec![Turn::calls().call("run_command", command), Turn::text("I see.")]);
    if !stage.has_sandbox() {
        return;
    }
    let mut held_up = stage.start(&["exec", "--approve", "all", "go"]);
    held_up.until_kind("policy.decided");
    crate::harness::wait_until("the command", || stage.path("begun.txt").exists());
    let log = taken_over(&stage, held_up);
    let results = payloads(&log, "tool.result");
    assert_eq!(results.len(), 1);
    assert!(text(&results[0]["result"]).contains("effect is unknown"), "{results:?}");
}

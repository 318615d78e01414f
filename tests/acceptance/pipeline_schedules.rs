//! Schedules, and runs that are repeated from a step on.
#![cfg(unix)]

use crate::harness::{payload, text, wait_until};
use crate::pipelines::{run_id, stage, status};

const NOTE: &str = "name: note\nsteps:\n  - { name: a, adapter: command, run: echo noted >> log.txt }\n";

#[test]
fn a_schedule_starts_its_pipeline_when_it_is_due_and_keeps_the_history() {
    let stage = stage(&[("note", NOTE)]);
    if !stage.has_sandbox() {
        return;
    }
    stage.arki(&["schedule", "add", "minutely", "note", "--cron", "* * * * *", "--missed", "once"]).exits(0);
    let listed = stage.arki(&["schedule", "list", "--json"]).exits(0).lines();
    assert_eq!((text(&listed[0]["name"]), listed[0]["isOn"].as_bool()), ("minutely".to_owned(), Some(true)));
    assert!(listed[0]["nextAt"].is_i64());
    // Nothing is due yet.
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert!(!stage.path("log.txt").exists());
    // It was added an hour ago.
    let database = stage.database();
    let connection = rusqlite::Connection::open(&database).unwrap();
    let changed = connection
        .execute("UPDATE meta SET value = json_set(value, '$.minutely.sinceMs', json_extract(value, '$.minutely.sinceMs') - 3600000) WHERE key = 'schedules'", [])
        .unwrap();
    assert_eq!(changed, 1);
    drop(connection);
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert_eq!(stage.read("log.txt"), "noted\n", "one run makes up for all that were missed");
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert_eq!(stage.read("log.txt"), "noted\n", "it is not due again");
    let history = stage.arki(&["schedule", "history", "minutely", "--json"]).exits(0).lines();
    assert_eq!((history.len(), text(&history[0]["runId"])), (1, run_id(&stage)));
    stage.arki(&["schedule", "rm", "minutely"]).exits(0);
    stage.arki(&["schedule", "rm", "minutely"]).fails(2, "USAGE");
    stage.arki(&["schedule", "run"]).fails(2, "USAGE");
}

#[test]
fn a_schedule_that_can_not_be_is_refused() {
    let stage = stage(&[("note", NOTE)]);
    stage.arki(&["schedule", "add", "x", "note", "--cron", "every day"]).fails(2, "USAGE");
    stage
        .arki(&["schedule", "add", "x", "note", "--cron", "0 7 * * *", "--time-zone", "Nowhere/Else"])
        .fails(2, "USAGE");
    stage.arki(&["schedule", "add", "x", "nothing", "--cron", "0 7 * * *"]).fails(2, "PIPELINE_NOT_FOUND");
    assert!(stage.arki(&["schedule", "list", "--json"]).exits(0).lines().is_empty());
}

#[test]
fn a_run_is_repeated_from_a_step_on_and_takes_over_what_came_before() {
    let text_of = "name: three\nsteps:\n  - { name: a, adapter: command, run: \"echo a >> runs.log; printf A\" }\n  - { name: b, adapter: command, run: \"echo b >> runs.log; cat; printf B\" }\n  - { name: c, adapter: command, run: \"echo c >> runs.log; cat; printf C\" }\n";
    let stage = stage(&[("three", text_of)]);
    if !stage.has_sandbox() {
        return;
    }
    assert_eq!(stage.arki(&["run", "three"]).exits(0).stdout, "ABC");
    let first = run_id(&stage);
    assert_eq!(stage.arki(&["resume", "three", "--from", "b"]).exits(0).stdout, "ABC");
    assert_eq!(stage.read("runs.log"), "a\nb\nc\nb\nc\n");
    assert_ne!(run_id(&stage), first, "it is a run of its own");
    let started = payload(&stage.events(&run_id(&stage)), "run.started");
    assert_eq!(started["options"]["pipeline"]["retryOf"]["runId"], first.as_str());
    assert!(status(&stage).iter().all(|(_, state, _)| state == "completed"));
    stage.arki(&["resume", "three", "--from", "x"]).fails(2, "USAGE");
    wait_until("all is told", || stage.arki(&["verify"]).code == Some(0));
}

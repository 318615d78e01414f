//! Schedules, and runs that are repeated from a step on.
#![cfg(unix)]

use crate::harness::{Stage, payload, text, wait_until};
use crate::pipelines::{run_id, stage, status};

const NOTE: &str = "name: note\nsteps:\n  - { name: a, adapter: command, run: echo noted >> log.txt }\n";

/// Lets a schedule be as it would be an hour later.
fn passes_an_hour(stage: &Stage, name: &str) {
    let connection = rusqlite::Connection::open(stage.database()).unwrap();
    let since = format!("$.{name}.sinceMs");
    let changed = connection
        .execute(
            "UPDATE meta SET value = json_set(value, ?1, json_extract(value, ?1) - 3600000) WHERE key = 'schedules'",
            [since],
        )
        .unwrap();
    assert_eq!(changed, 1);
}

/// Returns why a schedule did not start its pipeline when it was last due.
fn skipped(stage: &Stage) -> String {
    text(&stage.arki(&["schedule", "list", "--json"]).exits(0).lines()[0]["last"]["skipped"])
}

const EVERY_MINUTE: [&str; 4] = ["--cron", "* * * * *", "--missed", "once"];

#[test]
fn a_schedule_runs_its_pipeline_only_as_it_was_when_the_schedule_was_made() {
    let outer = "name: outer\nsteps:\n  - { name: in, adapter: pipeline, pipeline: note }\n";
    let stage = stage(&[("note", NOTE), ("outer", outer)]);
    if !stage.has_sandbox() {
        return;
    }
    let add = || stage.arki(&[["schedule", "add", "minutely", "outer"].as_slice(), &EVERY_MINUTE].concat()).exits(0);
    add();
    // The user agrees to a change of the nested one, without a thought of the schedule.
    stage.write(".arki/pipelines/note.yaml", NOTE.replace("log.txt", "log.txt, network: true"));
    stage.trust();
    passes_an_hour(&stage, "minutely");
    let shown = stage.arki(&["schedule", "run", "--once"]).fails(2, "PIPELINE_CHANGED");
    assert!(shown.message.contains("\"minutely\""), "{shown:?}");
    assert_eq!(skipped(&stage), "The pipeline has changed since the schedule was made.");
    assert!(!stage.path("log.txt").exists() && stage.sessions().is_empty());
    assert!(add().stderr.contains("The step a of note uses the network."));
    passes_an_hour(&stage, "minutely");
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert_eq!(stage.read("log.txt"), "noted\n");
}

#[test]
fn a_schedule_whose_run_fails_is_named_and_the_exit_code_says_so() {
    let failing = "name: failing\nsteps:\n  - { name: a, adapter: command, run: echo no >&2; exit 3 }\n";
    let stage = stage(&[
        ("failing", failing),
        ("gate", "name: gate\nsteps:\n  - { name: g, adapter: approval, message: Go? }\n"),
    ]);
    if !stage.has_sandbox() {
        return;
    }
    for name in ["failing", "gate"] {
        stage.arki(&[["schedule", "add", name, name].as_slice(), &EVERY_MINUTE].concat()).exits(0);
    }
    passes_an_hour(&stage, "failing");
    let shown = stage.arki(&["schedule", "run", "--once"]).fails(1, "STEP_FAILED");
    assert!(shown.message.contains("\"failing\"") && shown.message.contains("said: no"), "{shown:?}");
    passes_an_hour(&stage, "gate");
    let told = stage.arki(&["schedule", "run", "--once"]).exits(3).stderr;
    assert!(told.contains("gate: the run stopped.") && told.contains("arki status"), "{told}");
}

#[test]
fn a_schedule_does_not_start_beside_a_run_that_waits_however_long() {
    let stage = stage(&[("gate", "name: gate\nsteps:\n  - { name: g, adapter: approval, message: Go? }\n")]);
    stage.arki(&[["schedule", "add", "minutely", "gate"].as_slice(), &EVERY_MINUTE].concat()).exits(0);
    passes_an_hour(&stage, "minutely");
    stage.arki(&["schedule", "run", "--once"]).exits(3);
    for _ in 0..2 {
        passes_an_hour(&stage, "minutely");
        stage.arki(&["schedule", "run", "--once"]).exits(0);
        assert_eq!(skipped(&stage), "The previous run hadn't ended.");
    }
    assert_eq!(stage.sessions().len(), 1);
    stage.arki(&["approvals", "reject"]).exits(1);
    passes_an_hour(&stage, "minutely");
    stage.arki(&["schedule", "run", "--once"]).exits(3);
}

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
    passes_an_hour(&stage, "minutely");
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert_eq!(stage.read("log.txt"), "noted\n", "one run makes up for all that were missed");
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert_eq!(stage.read("log.txt"), "noted\n", "it is not due again");
    let history = stage.arki(&["schedule", "history", "minutely", "--json"]).exits(0).lines();
    assert_eq!((history.len(), text(&history[0]["runId"])), (1, run_id(&stage)));
    stage.arki(&["schedule", "rm", "minutely"]).exits(0);
    stage.arki(&["schedule", "rm", "minutely"]).fails(2, "USAGE");
    assert_eq!(stage.arki(&["schedule", "history", "minutely", "--json"]).exits(0).lines(), history);
    stage.arki(&["schedule", "history", "hourly"]).fails(2, "USAGE");
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

#[test]
fn a_date_that_never_comes_is_refused() {
    let stage = stage(&[("note", NOTE)]);
    for cron in ["0 0 31 2 *", "30 4 31 6,9 *"] {
        let shown = stage.arki(&["schedule", "add", "never", "note", "--cron", cron]).fails(2, "USAGE");
        assert!(shown.message.contains("never comes"), "{shown:?}");
    }
    assert_eq!(stage.arki(&["schedule", "list", "--json"]).exits(0).lines().len(), 0);
}

#[test]
fn a_schedule_runs_again_after_the_clock_was_years_ahead() {
    let stage = stage(&[("note", NOTE)]);
    if !stage.has_sandbox() {
        return;
    }
    stage.arki(&[["schedule", "add", "minutely", "note"].as_slice(), &EVERY_MINUTE].concat()).exits(0);
    let connection = rusqlite::Connection::open(stage.database()).unwrap();
    let ahead = "UPDATE meta SET value = json_set(value, '$.minutely.sinceMs', json_extract(value, '$.minutely.sinceMs') \
                 + 315360000000) WHERE key = 'schedules'";
    assert_eq!(connection.execute(ahead, []).unwrap(), 1);
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert!(!stage.path("log.txt").exists());
    passes_an_hour(&stage, "minutely");
    stage.arki(&["schedule", "run", "--once"]).exits(0);
    assert_eq!(stage.read("log.txt"), "noted\n");
}

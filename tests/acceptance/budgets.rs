//! Hard limits pause a run, never fail it; `arki resume` gives a fresh one.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

/// Two rounds of reading, then an answer.
fn three_turns() -> Vec<Turn> {
    let read = || Turn::calls().call("read_file", json!({"path": "a.txt"}));
    vec![read(), read(), Turn::text("Done.")]
}

fn run_id(events: &[Value]) -> String {
    text(&events.iter().find(|event| event["type"] == "run.started").unwrap()["runId"])
}

#[test]
fn turns_are_counted_and_a_resumed_run_gets_as_many_again() {
    let stage = Stage::new(three_turns());
    stage.write("a.txt", "a\n");
    let done = stage.exec(&["--max-turns", "1", "go"]).exits(5);
    let events = done.lines();
    assert_eq!(payload(&events, "run.paused")["reason"], "budget");
    assert_eq!(stage.model.requests().len(), 1);
    assert!(done.stderr.contains(&format!("arki resume {}", run_id(&events))), "{}", done.stderr);
    stage.arki(&["resume", &run_id(&events), "--json"]).exits(5);
    assert_eq!(stage.model.requests().len(), 2);
    let last = stage.arki(&["resume", &run_id(&events), "--json"]).exits(0).lines();
    let completed = payload(&last, "run.completed");
    assert_eq!((&completed["turns"], &completed["usage"]["promptTokens"]), (&json!(3), &json!(300)));
    assert_eq!(payloads(&stage.log(), "run.resumed").len(), 2);
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn the_time_limit_ends_a_command_that_takes_longer() {
    let stage = Stage::new(vec![
        Turn::calls().call("run_command", json!({"command": "sleep 300"})),
        Turn::text("Not asked for."),
    ]);
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["--approve", "all", "--max-seconds", "2", "go"]).exits(5);
    let log = stage.log();
    assert!(text(&payload(&log, "tool.result")["result"]).contains("the run's time is up"));
    assert_eq!(stage.model.requests().len(), 1);
}

#[test]
fn a_cost_limit_that_cannot_be_kept_is_named() {
    let stage = Stage::new(vec![Turn::text("Done.")]);
    let told = stage.exec(&["--max-cost", "0.01", "go"]).exits(0).stderr;
    assert!(told.contains("cost limit can't stop the run"), "{told}");
    let stage = Stage::new(vec![Turn::text("Done.")]);
    assert!(!stage.exec(&["go"]).exits(0).stderr.contains("cost limit"));
}

#[test]
fn the_configured_limit_holds_too() {
    let stage = Stage::configured(Script::new(three_turns()), &json!({"limits": {"maxTurns": 2}}));
    stage.exec(&["go"]).exits(5);
    assert_eq!(stage.model.requests().len(), 2);
}

#[test]
fn seconds_end_an_answer_in_the_middle_and_keep_what_has_come() {
    let turns =
        vec![Turn::text("These words have come and the rest has not").hang_after(700), Turn::text("Here is the rest.")];
    let stage = Stage::of(Script::new(turns).sequential());
    let events = stage.exec(&["--max-seconds", "1", "go"]).exits(5).lines();
    assert_eq!(payload(&events, "run.paused")["reason"], "budget");
    let message = payload(&events, "output.message");
    assert_eq!(message["interrupted"], json!(true));
    assert!(text(&message["content"]).starts_with("These words"), "{message}");
    let shown = stage.arki(&["sessions", "show", &text(&events[0]["sessionId"])]).exits(0).stdout;
    assert!(shown.contains("The answer was cut off here."), "{shown}");
    let last = stage.arki(&["resume", &run_id(&events), "--json"]).exits(0).lines();
    assert_eq!(payload(&last, "run.completed")["response"], "Here is the rest.");
}

#[test]
fn what_costs_an_unknown_sum_is_not_stopped_by_a_limit_of_money() {
    let stage = Stage::new(three_turns());
    stage.exec(&["--max-cost", "0.01", "go"]).exits(0);
}

#[test]
fn a_run_that_has_ended_cannot_be_resumed() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    let events = stage.exec(&["go"]).exits(0).lines();
    stage.arki(&["resume", &run_id(&events)]).fails(2, "RUN_NOT_FOUND");
    stage.arki(&["resume", "no-such-run"]).exits(2).error();
}

#[test]
fn resuming_what_waits_for_an_approval_waits_on() {
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", json!({"path": "a.txt", "content": "x"})),
        Turn::text("Done."),
    ]);
    let events = stage.exec(&["go"]).exits(3).lines();
    let id = stage.waiting();
    stage.arki(&["resume", &run_id(&events)]).exits(3);
    assert_eq!(stage.waiting(), id);
    assert!(!stage.path("a.txt").exists());
}

#[test]
fn an_ephemeral_run_leaves_nothing_behind() {
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", json!({"path": "a.txt", "content": "x"})),
        Turn::text("A word that is in no file: rhubarb."),
    ]);
    let events = stage.exec(&["--ephemeral", "--approve", "edits", "go"]).exits(0).lines();
    assert!(text(&payload(&events, "run.completed")["response"]).contains("rhubarb"));
    assert_eq!(stage.read("a.txt"), "x", "trust holds in an ephemeral run as well");
    assert!(stage.sessions().is_empty());
    for file in crate::harness::files_below(&stage.home.data_dir()) {
        assert!(!crate::harness::contains(&std::fs::read(&file).unwrap(), b"rhubarb"), "{}", file.display());
    }
}

#[test]
fn a_time_limit_may_stand_in_the_configuration_and_a_project_may_only_lower_it() {
    let limits = json!({"limits": {"maxSeconds": 100}});
    let script = || Script::new(vec![Turn::text("Done.")]);
    let stage = Stage::configured(script(), &limits);
    let events = stage.exec(&["go"]).exits(0).lines();
    assert_eq!(payload(&events, "run.started")["options"]["maxSeconds"], 100);
    let events = stage.exec(&["--max-seconds", "7", "go"]).exits(0).lines();
    assert_eq!(payload(&events, "run.started")["options"]["maxSeconds"], 7);
    for (seconds, exit) in [(50, 0), (101, 2)] {
        let stage = Stage::untrusted(script(), &limits);
        stage.write(".arki/config.json", json!({"limits": {"maxSeconds": seconds}}).to_string());
        stage.trust();
        stage.exec(&["go"]).exits(exit);
    }
}

//! What the reference documents name beside the main job: filters by agent, number and time; specifications of tools;
//! checkpoints of a conversation; what failed, with its cause.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

#[test]
fn a_session_shows_its_newest_entries_and_those_of_a_time() {
    let stage = Stage::of(Script::new(vec![Turn::text("first answer"), Turn::text("second answer")]).sequential());
    stage.exec(&["one"]).exits(0);
    stage.exec(&["--continue", "two"]).exits(0);
    let at = |kind: &str, place: usize| {
        let events: Vec<Value> = stage.log().into_iter().filter(|event| event["type"] == kind).collect();
        events[place]["ts"].as_i64().unwrap()
    };
    let show = |options: &[&str]| stage.arki(&[&["sessions", "show", "last"], options].concat()).exits(0).stdout;
    let newest = show(&["--limit", "2"]);
    assert!(newest.contains("second answer") && newest.contains("two") && !newest.contains("first"), "{newest}");
    let second = at("run.started", 1).to_string();
    let since = show(&["--since", &second]);
    assert!(since.contains("second answer") && !since.contains("first answer"), "{since}");
    let until = show(&["--until", &second]);
    assert!(until.contains("first answer") && !until.contains("second answer"), "{until}");
    let lines = stage.arki(&["sessions", "show", "last", "--limit", "1", "--json"]).exits(0).lines();
    assert_eq!(lines.last().unwrap()["content"], "second answer ");
    assert_eq!(lines.len(), 2, "the session and one entry: {lines:?}");
}

#[test]
fn sessions_events_and_observations_can_be_those_of_one_agent() {
    let stage = Stage::of(Script::new(vec![Turn::text("ok")]));
    stage.exec(&["one"]).exits(0);
    let lines = |arguments: &[&str]| stage.arki(&[arguments, &["--json"]].concat()).exits(0).lines();
    assert_eq!(lines(&["sessions", "list", "--agent", "arki"]).len(), 1);
    assert!(lines(&["sessions", "list", "--agent", "reviewer"]).is_empty());
    assert!(lines(&["events", "last", "--agent", "reviewer"]).is_empty());
    let events = lines(&["events", "last", "--agent", "arki"]);
    assert!(!events.is_empty() && events.iter().all(|event| event["runId"].is_string()), "{events:?}");
    let later = lines(&["events", "last", "--agent", "arki", "--from", "5"]);
    assert!(!later.is_empty() && later.iter().all(|event| event["seq"].as_u64() >= Some(5)));
    let observed = lines(&["events", "--observations", "--agent", "arki"]);
    assert!(!observed.is_empty() && observed.iter().all(|seen| seen["metadata"]["agent"] == "arki"), "{observed:?}");
    assert!(lines(&["events", "--observations", "--agent", "reviewer"]).is_empty());
}

#[test]
fn tools_tell_their_version_capabilities_examples_and_retries() {
    let stage = Stage::of(Script::new(vec![]));
    let tools = stage.arki(&["tools", "--json"]).exits(0).lines();
    let named = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    let read = named("read_file");
    assert_eq!((&read["capabilities"], &read["outputSchema"]["type"]), (&json!(["fs.read"]), &json!("string")));
    assert_eq!(read["retry"]["attempts"], 3);
    assert!(named("write_file")["retry"].is_null(), "a write is never tried again by itself");
    assert!(tools.iter().all(|tool| tool["version"].is_string() && !tool["examples"][0].is_null()), "{tools:?}");
}

#[test]
fn a_plan_that_is_done_is_a_checkpoint_with_summary_and_memory() {
    let steps = |state: &str| json!({"steps": [{"title": "look", "state": state}]});
    let stage = Stage::new(vec![
        Turn::calls().call("update_plan", steps("in_progress")),
        Turn::calls().call("update_plan", steps("done")),
        Turn::text("done"),
    ]);
    let events = stage.exec(&["Look around"]).exits(0).lines();
    let created = payloads(&events, "checkpoint.created");
    assert_eq!(created.len(), 1, "once");
    assert_eq!(
        (&created[0]["reason"], &created[0]["summary"]),
        (&json!("milestone"), &json!("Asked: Look around 1 of 1 step done."))
    );
    assert!(created[0]["memorySnapshot"]["observations"].is_array());
    let memory = payload(&stage.log(), "working_memory.snapshot");
    assert_eq!(memory["checkpointId"], created[0]["checkpointId"]);
    for part in ["observations", "reflections", "goals", "blockers"] {
        assert!(memory[part].is_array(), "{memory}");
    }
    assert_eq!(stage.model.requests().len(), 3, "no request of its own");
    stage.verifies();
}

#[test]
fn a_tool_that_failed_and_the_end_of_the_run_are_observed() {
    let edit = json!({"path": "a.txt", "edits": [{"old_text": "x", "new_text": "y"}]});
    let stage = Stage::new(vec![
        Turn::calls().call("read_file", json!({"path": "gone.txt"})),
        Turn::calls().call("edit_file", edit),
        Turn::text("It failed."),
    ]);
    stage.exec(&["--approve", "edits", "edit"]).exits(0);
    let observed = payload(&stage.log(), "memory.observed");
    let all = observed["observations"].as_array().unwrap().clone();
    let failed = all.iter().find(|one| one["context"]["toolId"] == "read_file").unwrap();
    assert!(failed["type"] == "error" && text(&failed["text"]).contains("gone.txt"), "{failed}");
    assert_eq!(all.last().unwrap()["type"], "success");
    assert!(observed["processedSeqRange"]["end"].as_u64() > observed["processedSeqRange"]["start"].as_u64());
}

#[test]
fn a_failed_run_keeps_the_error_behind_it() {
    let body = json!({"error": {"message": "bad tool schema", "type": "invalid_request_error"}});
    let stage = Stage::of(Script::new(vec![Turn::json(400, body)]));
    let done = stage.exec(&["go"]).exits(1);
    let failed = payload(&done.lines(), "run.failed");
    let cause = text(&failed["cause"]);
    assert!(cause.contains("status 400") && cause.contains("bad tool schema"), "{cause}");
}

//! A day in the terminal: what a user of git, rg or codex would type, and what comes of it.

use crate::harness::{Done, Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::time::Duration;

fn stage() -> Stage {
    Stage::new(vec![Turn::text("Hello.")])
}

/// Runs `arki -C PROJECT args...` from another folder.
fn from_elsewhere(stage: &Stage, args: &[&str]) -> Done {
    let mut command = stage.command(&[&["-C", stage.home.project_dir().to_str().unwrap()], args].concat());
    let elsewhere = tempfile::tempdir().unwrap();
    Done::of_child(command.current_dir(elsewhere.path()).spawn().unwrap())
}

#[test]
fn files_on_the_command_line_are_relative_to_the_given_folder() {
    let stage = Stage::new(vec![Turn::text("{}")]);
    stage.write("schema.json", r#"{"type": "object"}"#);
    from_elsewhere(&stage, &["exec", "go", "--output-schema", "schema.json"]).exits(0);
    from_elsewhere(&stage, &["exec", "go", "--image", "schema.json"]).fails(2, "USAGE");
    stage.write("rule.json", r#"{"decision": "deny", "command": ["rm"]}"#);
    from_elsewhere(&stage, &["policy", "backtest", "rule.json"]).exits(0);
    from_elsewhere(&stage, &["sessions", "export", "last", "-o", "out.jsonl"]).exits(0);
    assert!(stage.read("out.jsonl").contains("session.created"));
    from_elsewhere(&stage, &["verify", "out.jsonl"]).exits(0);
    from_elsewhere(&stage, &["sessions", "import", "out.jsonl"]).exits(0);
}

#[cfg(unix)]
#[test]
fn a_run_of_another_process_is_stopped_and_paused_by_its_id() {
    let hold = "until [ -e go.now ]; do sleep 0.01; done";
    let turns = || vec![Turn::calls().call("run_command", json!({"command": hold})), Turn::text("Done.")];
    let stage = Stage::new(turns());
    let mut run = stage.start(&["exec", "--approve", "all", "go"]);
    let session = text(&run.until_kind("policy.decided")["sessionId"]);
    let stopped = stage.arki(&["stop", &session[..13], "--json"]).exits(0).lines();
    assert_eq!(stopped[0]["state"], "cancelled");
    run.end().exits(130);
    stage.arki(&["stop", &session]).fails(2, "RUN_NOT_FOUND");
    stage.arki(&["pause", "last"]).fails(2, "RUN_NOT_FOUND");
    stage.arki(&["stop", "none"]).fails(2, "SESSION_NOT_FOUND");

    // More steps than there is time for: it pauses after one of them.
    let step = |number: u32| Turn::calls().call("run_command", json!({"command": format!("sleep 0.2; echo {number}")}));
    let stage = Stage::of(Script::new((0..60).map(step).collect()).sequential());
    let mut run = stage.start(&["exec", "--approve", "all", "--max-turns", "100", "go"]);
    run.until_kind("policy.decided");
    let paused = stage.arki(&["pause", "last"]).exits(0);
    run.end().exits(5);
    assert_eq!(stage.sessions()[0]["state"], "paused");
    assert!(paused.stdout.starts_with("Paused: "), "{paused:?}");
}

#[test]
fn pause_says_at_once_that_it_waits_for_a_slow_answer_and_then_what_became_of_it() {
    let stage = Stage::new(vec![Turn::text("Done.").pause(Duration::from_secs(3))]);
    let mut run = stage.start(&["exec", "go"]);
    run.until_kind("engine.request");
    let paused = stage.arki(&["pause", "last"]).exits(0);
    run.end();
    assert!(paused.stderr.contains("will pause after its current step"), "{paused:?}");
    let is_paused = stage.sessions()[0]["state"] == "paused";
    assert_eq!(paused.stdout.starts_with("Paused: "), is_paused, "{paused:?}");
}

#[test]
fn a_range_of_events_that_ends_before_it_begins_is_an_error() {
    let stage = stage();
    stage.exec(&["hi"]).exits(0);
    let none = stage.arki(&["events", "last", "--from", "9", "--to", "3"]).exits(2);
    assert!(none.stderr.contains("--from 9 is after --to 3"), "{none:?}");
    assert_eq!(stage.arki(&["events", "last", "--from", "2", "--to", "2"]).exits(0).stdout.lines().count(), 1);
}

#[test]
fn a_run_that_waits_for_an_approval_is_stopped_too() {
    let call = json!({"path": "a.txt", "content": "x"});
    let stage = Stage::new(vec![Turn::calls().call("write_file", call)]);
    stage.exec(&["go"]).exits(3);
    stage.arki(&["stop", "last"]).exits(0);
    assert_eq!(stage.sessions()[0]["state"], "cancelled");
    assert_eq!(stage.inbox(), Vec::<Value>::new());
}

#[test]
fn artifacts_are_listed_and_got() {
    let stage = stage();
    let long = "line\n".repeat(100_000);
    stage.arki_reading(&["exec", "Why?"], &long).exits(0);
    let listed = stage.arki(&["artifacts", "list", "--json"]).exits(0).lines();
    assert_eq!(listed.len(), 1, "{listed:?}");
    let id = text(&listed[0]["artifactId"]);
    assert_eq!(listed, stage.arki(&["artifacts", "list", "last", "--json"]).exits(0).lines());
    for name in [id.as_str(), &id[..6], "last", &text(&listed[0]["name"])] {
        assert_eq!(stage.arki(&["artifacts", "get", name]).exits(0).stdout, long, "{name}");
    }
    from_elsewhere(&stage, &["artifacts", "get", &id, "-o", "got.txt"]).exits(0);
    assert_eq!(stage.read("got.txt"), long);
    stage.arki(&["artifacts", "get", "nothing"]).fails(2, "ARTIFACT_NOT_FOUND");
    assert!(stage.arki(&["artifacts", "list"]).exits(0).stdout.starts_with(&id));
}

#[test]
fn values_of_the_configuration_are_got_and_filtered() {
    let stage = stage();
    stage.arki(&["config", "set", "limits.maxTurns", "7"]).exits(0);
    assert_eq!(stage.arki(&["config", "get", "limits.maxTurns"]).exits(0).stdout, "7\n");
    assert_eq!(stage.arki(&["config", "get", "agents.arki.model"]).exits(0).stdout, "mock/mock\n");
    let json = stage.arki(&["config", "get", "limits.maxTurns", "--json"]).exits(0).lines();
    assert_eq!(json, [json!({"key": "limits.maxTurns", "value": 7})]);
    stage.arki(&["config", "get", "limits.nope"]).fails(2, "CONFIG_UNKNOWN_KEY");
    let shown = stage.arki(&["config", "show", "--origin", "limits"]).exits(0).stdout;
    assert!(shown.lines().count() > 1 && shown.lines().all(|line| line.starts_with("limits.")), "{shown}");
    assert!(stage.arki(&["config", "show", "limits"]).exits(0).stdout.contains("\"maxTurns\": 7"));
    let models = stage.arki(&["models", "MOCK", "--json"]).exits(0).lines();
    assert_eq!(models.iter().map(|model| text(&model["id"])).collect::<Vec<_>>(), ["mock/mock"]);
    assert!(stage.arki(&["models", "nope"]).exits(0).stderr.contains("No model fits"));
}

#[test]
fn the_configuration_is_not_edited_without_an_editor_or_a_terminal() {
    let shown = stage().arki(&["config", "edit"]).fails(2, "USAGE");
    assert!(shown.message.contains("EDITOR isn't set") && shown.hint.contains("config set"), "{shown:?}");
}

#[test]
fn sessions_are_listed_with_their_folders_or_for_one() {
    let stage = stage();
    stage.exec(&["one"]).exits(0);
    let other = tempfile::tempdir().unwrap();
    let there = other.path().to_str().unwrap();
    Done::of_child(stage.command(&["-C", there, "exec", "two"]).spawn().unwrap()).exits(0);
    let all = stage.arki(&["sessions", "list"]).exits(0).stdout;
    let ending = &there[there.len() - 10..];
    assert_eq!(all.lines().filter(|line| line.contains(ending)).count(), 1, "{all}");
    let here = stage.arki(&["sessions", "list", "--here", "--json"]).exits(0).lines();
    assert_eq!(here.iter().map(|session| text(&session["title"])).collect::<Vec<_>>(), ["one"]);
}

#[test]
fn events_end_where_it_is_said() {
    let stage = stage();
    stage.exec(&["one"]).exits(0);
    let seqs = |args: &[&str]| -> Vec<u64> {
        let events = stage.arki(&[&["events", "last", "--json"], args].concat()).exits(0).lines();
        events.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
    };
    assert_eq!(seqs(&["--from", "2", "--to", "4"]), [2, 3, 4]);
    assert_eq!(seqs(&["--to", "2", "--follow"]), [1, 2]);
}

#[cfg(unix)]
#[test]
fn events_of_all_sessions_are_followed_without_an_id() {
    let stage = stage();
    let mut follow = stage.start(&["events", "--follow"]);
    // It begins where the log ends when it has opened it.
    let heard = (0..50).find_map(|_| {
        stage.exec(&["one"]).exits(0);
        follow.seen_kind("run.started")
    });
    assert_eq!(payload(&[heard.unwrap()], "run.started")["prompt"], "one");
    follow.signal(rustix::process::Signal::INT);
    follow.end().exits(130);
}

#[test]
fn arki_alone_explains_itself_and_wrong_use_is_told_in_its_own_words() {
    let stage = stage();
    let alone = Done::of_child(stage.command(&[]).spawn().unwrap()).exits(2);
    assert!(alone.stderr.contains("arki exec") && alone.stderr.lines().count() <= 12, "{alone:?}");
    for args in [&["exec", "--bogus"][..], &["exec", "--model"], &["exec", "--approve", "x"], &["nope"], &["sessions"]]
    {
        let shown = stage.arki(&[args, &["--json"]].concat()).exits(2).json_error();
        assert_eq!(shown.code, "USAGE");
        for word in ["argument '", "subcommand", "invalid value", "supplied", "tip:"] {
            assert!(!shown.message.contains(word) && !shown.hint.contains(word), "{shown:?}");
        }
    }
}

#[test]
fn agents_are_added_listed_tested_and_removed() {
    let stage = stage();
    stage.arki(&["agents", "add", "helper", "--model", "mock/mock", "--description", "Helps."]).exits(0);
    let listed = stage.arki(&["agents", "list", "--json"]).exits(0).lines();
    let helper = listed.iter().find(|agent| agent["name"] == "helper").unwrap();
    assert_eq!((&helper["model"], &helper["description"]), (&json!("mock/mock"), &json!("Helps.")));
    assert!(stage.arki(&["agents", "test", "helper"]).exits(0).stdout.contains("answer"));
    stage.arki(&["agents", "rm", "helper"]).exits(0);
    stage.arki(&["agents", "rm", "helper"]).fails(2, "AGENT_UNKNOWN");
    stage.arki(&["agents", "rm", "arki"]).fails(2, "USAGE");
    stage.arki(&["agents", "add", "empty"]).fails(2, "USAGE");
}

#[test]
fn queued_messages_are_sent_when_the_run_completes() {
    let turns = vec![Turn::text("First."), Turn::text("Second."), Turn::text("Third.")];
    let stage = Stage::of(Script::new(turns).sequential());
    stage.exec(&["one"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["queue", "add", &session, "three"]).exits(0);
    let done = stage.arki(&["exec", "--continue", "two"]).exits(0);
    assert!(done.stdout.contains("Third."), "{done:?}");
    let prompts: Vec<String> = payloads(&stage.log(), "run.started").iter().map(|run| text(&run["prompt"])).collect();
    assert_eq!(prompts, ["one", "two", "three"]);
}

//! Several programs on one data directory: each sees what the others store, in order and once, and none disturbs another.
#![cfg(unix)]

use crate::harness::{Stage, text};
use crate::tree::{playing, session_of, writing};
use arki_testkit::{Script, Turn, kinds, stored, verify_chain};
use rustix::process::Signal;
use serde_json::{Value, json};

#[test]
fn what_others_append_is_shown_once_in_order_and_without_gaps() {
    let stage =
        playing([vec![Turn::text("One.")], writing("a.txt", "a\n").to_vec(), vec![Turn::text("Three.")]].concat());
    let session = session_of(&stage.exec(&["hello"]).exits(0).lines());
    let mut watching = stage.start(&["events", &session, "--follow"]);
    let mut from_the_fifth = stage.start(&["events", &session, "--follow", "--from", "5"]);
    watching.until_kind("run.completed");
    stage.exec(&["--approve", "all", "--session", &session, "more"]).exits(0);
    stage.arki(&["queue", "add", &session, "later"]).exits(0);
    stage.exec(&["--session", &session, "and more"]).exits(0);
    stage.arki(&["rewind", &session, "--to", "1"]).exits(0);
    let log = stage.events(&session);
    for (running, first) in [(&mut watching, 0), (&mut from_the_fifth, 4)] {
        running.until_kind("session.rewound");
        running.signal(Signal::INT);
        assert!(log.len() > first);
    }
    assert_eq!(watching.end().exits(130).lines(), log);
    assert_eq!(from_the_fifth.end().exits(130).lines(), log[4..]);
    assert_eq!(verify_chain(&log), Ok(()));
}

#[test]
fn following_a_run_ends_with_the_run() {
    let stage =
        playing(vec![Turn::text("These words have come and the rest has not").hang_after(700), Turn::text("never")]);
    let mut run = stage.start(&["exec", "go"]);
    run.until_kind("output.delta");
    let started = stage.events(&text(&stage.sessions()[0]["sessionId"]));
    let id = text(&started.iter().find(|event| event["type"] == "run.started").unwrap()["runId"]);
    let mut watching = stage.start(&["events", &id, "--follow"]);
    watching.until_kind("engine.request");
    run.signal(Signal::INT);
    let events = run.end().exits(130).lines();
    let of_run: Vec<Value> = stored(&events).into_iter().filter(|event| event["runId"] == json!(id)).collect();
    assert_eq!(watching.end().exits(0).lines(), of_run);
    assert_eq!(kinds(&of_run).last(), Some(&"run.cancelled"));
}

#[test]
fn observations_of_all_sessions_are_followed_from_the_first_on() {
    let stage = playing(["One.", "Two."].map(Turn::text).to_vec());
    stage.exec(&["one"]).exits(0);
    let mut watching = stage.start(&["events", "--observations", "--type", "INTENT,FINAL_RESPONSE", "--follow"]);
    watching.until(|line| line["type"] == "FINAL_RESPONSE");
    let session = session_of(&stage.exec(&["two"]).exits(0).lines());
    watching.until(|line| line["type"] == "FINAL_RESPONSE" && line["threadId"] == json!(session));
    watching.signal(Signal::INT);
    let lines = watching.end().exits(130).lines();
    let titles: Vec<String> = lines.iter().map(|line| text(&line["title"])).collect();
    assert_eq!(titles, ["Asked: one", "Done in 1 turn", "Asked: two", "Done in 1 turn"]);
    let named = stage.arki(&["events", "--observations", "--type", "INTENT"]).exits(0).stdout;
    assert!(named.lines().count() == 2 && named.contains(&session), "{named}");
}

#[test]
fn following_observations_of_a_run_ends_with_the_run() {
    let stage = playing(vec![Turn::text("These words have come").hang_after(700), Turn::text("never")]);
    let mut run = stage.start(&["exec", "go"]);
    run.until_kind("output.delta");
    let started = stage.events(&text(&stage.sessions()[0]["sessionId"]));
    let id = text(&started.iter().find(|event| event["type"] == "run.started").unwrap()["runId"]);
    let mut watching = stage.start(&["events", &id, "--observations", "--follow"]);
    watching.until(|line| line["type"] == "LLM_STREAM_START");
    run.signal(Signal::INT);
    run.end().exits(130);
    let seen = watching.end().exits(0).lines();
    assert_eq!((&seen.last().unwrap()["title"], &seen[0]["title"]), (&json!("Stopped"), &json!("Asked: go")));
    assert_eq!(stage.arki(&["events", &id, "--observations", "--json"]).exits(0).lines(), seen);
}

/// Each run writes, reads and runs a command; both are held back at their first request until both are there.
#[test]
fn two_runs_in_different_sessions_leave_both_chains_whole() {
    let both = std::sync::Arc::new(std::sync::Barrier::new(2));
    let first = Turn::computed(move |request: &Value| {
        both.wait();
        let name = text(&request["messages"][1]["content"]);
        Turn::calls().call("write_file", json!({"path": format!("{name}.txt"), "content": name}))
    });
    // Not in the same folder: what one changes while the other's command runs there is asked about.
    let all = |request: &Value| format!("of-{}/all.txt", text(&request["messages"][1]["content"]));
    let stage = Stage::of(Script::new(vec![
        first,
        Turn::computed(move |request: &Value| {
            let command = format!("cat a.txt b.txt > {}; true", all(request));
            Turn::calls().call("run_command", json!({"command": command}))
        }),
        Turn::computed(move |request: &Value| Turn::calls().call("read_file", json!({"path": all(request)}))),
        Turn::text("Done."),
    ]));
    stage.write("of-a/kept.txt", "");
    stage.write("of-b/kept.txt", "");
    let runs = ["a", "b"].map(|name| stage.start(&["exec", "--approve", "all", name]));
    let ended = runs.map(|run| run.end().exits(0).lines());
    for events in &ended {
        let log = stage.events(&session_of(events));
        assert_eq!(stored(events), log);
        assert_eq!(verify_chain(&log), Ok(()));
    }
    assert_ne!(session_of(&ended[0]), session_of(&ended[1]));
    assert_eq!((stage.read("a.txt"), stage.read("b.txt")), ("a".to_owned(), "b".to_owned()));
    stage.verifies();
}

#[test]
fn an_answer_that_comes_faster_than_it_can_be_shown_is_shown_whole() {
    let answer: String = (0..100_000).map(|number| format!("{number} ")).collect();
    let stage = Stage::new(vec![Turn::text(&answer)]);
    let shown = stage.arki(&["exec", "count"]).exits(0).stdout;
    assert_eq!(shown.trim_end().len(), answer.trim_end().len());
    assert!(shown.trim_end() == answer.trim_end(), "other text of the same length");
}

//! Arki is killed while a hook is at work: the run goes on, and no hook that has answered runs again.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, payloads, text, wait_until};
use crate::tree::session_of;
use arki_testkit::{Script, Turn};
use rustix::process::Signal;
use serde_json::{Value, json};

/// While this file of the project is there, a hook waits.
const GATE: &str = "closed-for-killed-hooks";

/// A length of sleep that no other program sleeps.
const PAUSE: &str = "0.0217";

/// A shell line that waits for the gate to open, and then goes on.
fn waiting(then: &str) -> String {
    format!("while test -e {GATE}; do sleep {PAUSE}; done; {then}")
}

fn hooks(lines: &[&str]) -> Value {
    let hooks: Vec<Value> = lines.iter().map(|line| json!({"type": "command", "command": line})).collect();
    json!([{"matcher": "", "hooks": hooks}])
}

/// Whether a process of this stage's project has such a command line.
fn is_there(stage: &Stage, is_it: impl Fn(&str) -> bool) -> bool {
    let root = stage.path("").canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes.into_iter().any(|process| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        is_it(&String::from_utf8_lossy(&line).replace('\0', " "))
            && std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&root))
    })
}

/// Kills Arki in the middle of the hook that waits, opens the gate and resumes; the exit code, and all events.
fn killed_and_resumed(event: &str, lines: &[&str], turns: Vec<Turn>) -> (Stage, Option<i32>, Vec<Value>) {
    let stage = Stage::configured(Script::new(turns).sequential(), &json!({"hooks": {event: hooks(lines)}}));
    stage.write(GATE, "");
    let mut running = stage.start(&["exec", "--approve", "all", "go"]);
    let started = running.until_kind("run.started");
    wait_until("a hook at the gate", || is_there(&stage, |line| line.trim() == format!("sleep {PAUSE}")));
    running.signal(Signal::KILL);
    running.end();
    wait_until("the hook ends with Arki", || !is_there(&stage, |line| line.contains(GATE)));
    std::fs::remove_file(stage.path(GATE)).unwrap();
    let session = session_of(&[started]);
    let code = stage.arki(&["resume", &session]).code;
    stage.verifies();
    let events = stage.events(&session);
    (stage, code, events)
}

/// The outcomes of the hooks, by the last word of their line.
fn outcomes(events: &[Value]) -> Vec<(String, String)> {
    let of = |ran: Value| (text(&ran["command"]).split(' ').next_back().unwrap().to_owned(), text(&ran["outcome"]));
    payloads(events, "hook.ran").into_iter().map(of).collect()
}

fn are(events: &[Value], expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(line, outcome)| ((*line).to_owned(), (*outcome).to_owned())).collect();
    assert_eq!(outcomes(events), expected);
}

#[test]
fn what_has_answered_is_not_asked_again() {
    for event in ["SessionStart", "UserPromptSubmit"] {
        let lines = ["echo one", &waiting("echo two")];
        let (stage, code, events) = killed_and_resumed(event, &lines, vec![Turn::text("Done.")]);
        assert_eq!(code, Some(0));
        are(&events, &[("one", "passed"), ("two", "passed")]);
        let asked = stage.model.requests()[0].json["messages"].to_string();
        assert_eq!((asked.matches(r"]\none").count(), asked.matches(r"]\ntwo").count()), (1, 1), "{asked}");
    }
}

#[test]
fn a_guard_that_was_killed_still_decides() {
    let no = waiting("echo no >&2; exit 2");
    let (stage, code, events) = killed_and_resumed("UserPromptSubmit", &[&no], vec![]);
    assert_eq!((code, stage.model.requests().len()), (Some(1), 0));
    are(&events, &[("2", "blocked")]);
    let writes = Turn::calls().call("write_file", json!({"path": "a.txt", "content": "a"}));
    let (stage, code, events) = killed_and_resumed("PreToolUse", &[&no], vec![writes, Turn::text("I can't.")]);
    assert_eq!(code, Some(0));
    are(&events, &[("2", "blocked")]);
    assert!(!stage.path("a.txt").exists());
    let once = waiting("grep -q '\"stop_hook_active\":true' || exit 2");
    let (_, code, events) = killed_and_resumed("Stop", &[&once], vec![Turn::text("Done."), Turn::text("Really.")]);
    assert_eq!(code, Some(0));
    are(&events, &[("2", "blocked"), ("2", "passed")]);
}

#[test]
fn after_a_call_what_did_not_answer_is_told_and_not_repeated() {
    let reads = || vec![Turn::calls().call("list_directory", json!({})), Turn::text("Done.")];
    let lines = ["echo one", &waiting("echo two"), "echo three"];
    let (stage, code, events) = killed_and_resumed("PostToolUse", &lines, reads());
    assert_eq!(code, Some(0));
    are(&events, &[("one", "passed"), ("two", "interrupted"), ("three", "interrupted")]);
    let told = stage.model.requests()[1].json["messages"].to_string();
    assert!(told.contains("Arki ended before it had answered"), "{told}");
}

#[test]
fn a_formatter_that_was_killed_is_told_and_not_repeated() {
    let writes = Turn::calls().call("write_file", json!({"path": "a.txt", "content": "a"}));
    let line = format!("echo b >a.txt; echo b >other.txt; {}", waiting("echo c >a.txt"));
    let (stage, code, events) = killed_and_resumed("PostToolUse", &[&line], vec![writes, Turn::text("Done.")]);
    assert_eq!(code, Some(0));
    are(&events, &[(">a.txt", "interrupted")]);
    // It worked in a view, of which nothing landed.
    assert_eq!(stage.read("a.txt"), "a");
    assert!(!stage.path("other.txt").exists());
    assert_eq!(payloads(&events, "file.changed").len(), 1);
    let told = stage.model.requests()[1].json["messages"].to_string();
    assert!(told.contains("Arki ended before it had answered"), "{told}");
}

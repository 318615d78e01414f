//! A session's state: set and read, in the log like everything else, and where `calculate` keeps `ans`.

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::last_seq;
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn stage(turns: Vec<Turn>) -> (Stage, String) {
    let stage = Stage::of(Script::new(turns).sequential());
    let events = stage.exec(&["go"]).exits(0).lines();
    (stage, text(&events[0]["sessionId"]))
}

fn state(stage: &Stage, session: &str, change: &[&str]) -> Value {
    stage.arki(&[&["sessions", "state", session, "--json"], change].concat()).exits(0).lines().remove(0)
}

#[test]
fn a_state_is_printed_and_changed_by_keys() {
    let (stage, session) = stage(vec![Turn::text("ok")]);
    assert_eq!(state(&stage, &session, &[]), json!({}));
    let set = ["--set", "count=3", "--set", r#"who={"name":"Ada=x"}"#];
    assert_eq!(state(&stage, &session, &set), json!({"count": 3, "who": {"name": "Ada=x"}}));
    assert_eq!(state(&stage, &session, &["--set", "count=4", "--unset", "who"]), json!({"count": 4}));
    let people = stage.arki(&["sessions", "state", &session]).exits(0).stdout;
    assert_eq!(people, "{\n  \"count\": 4\n}\n");
    state(&stage, &session, &["--set", "count=4", "--unset", "none"]);
    assert_eq!(payloads(&stage.log(), "state.changed").len(), 2, "what changes nothing is no event");
    let seen = stage.arki(&["events", &session, "--observations", "--type", "STATE_UPDATE", "--json"]).exits(0).lines();
    assert_eq!(seen.last().unwrap()["title"], "State: set count, removed who");
    stage.verifies();
}

#[test]
fn what_is_not_json_or_too_large_is_refused_and_changes_nothing() {
    let (stage, session) = stage(vec![Turn::text("ok")]);
    let refused = stage.arki(&["sessions", "state", &session, "--set", "a=1", "--set", "name=Ada"]).fails(2, "USAGE");
    assert!(refused.message.contains("\"name\" is not JSON") && refused.hint.contains("--set 'name="), "{refused:?}");
    let third = "x".repeat(90 << 10);
    let large = ["a", "b", "c"].map(|key| format!("{key}=\"{third}\""));
    let large: Vec<&str> = large.iter().flat_map(|set| ["--set", set]).collect();
    let refused = stage.arki(&[&["sessions", "state", &session][..], &large].concat()).fails(1, "STATE_TOO_LARGE");
    assert!(refused.message.contains("the limit is 262144") && !refused.hint.is_empty(), "{refused:?}");
    assert_eq!(state(&stage, &session, &[]), json!({}));
}

#[test]
fn calculate_keeps_ans_in_the_state() {
    let sum = |expression: &str| Turn::calls().call("calculate", json!({"expression": expression}));
    let turns = vec![sum("14/3"), Turn::text("So."), sum("ans * 2"), Turn::text("10.")];
    let (stage, session) = stage(turns);
    assert_eq!(state(&stage, &session, &[]), json!({"ans": "4.666666666666667 (exactly 14/3)"}));
    state(&stage, &session, &["--set", "ans=5"]);
    let events = stage.exec(&["--session", &session, "go on"]).exits(0).lines();
    assert_eq!(payload(&events, "tool.result")["result"], "10");
    stage.verifies();
}

#[test]
fn a_result_that_the_state_has_no_room_for_leaves_no_earlier_one() {
    let sum = |expression: &str| Turn::calls().call("calculate", json!({"expression": expression}));
    let (stage, session) = stage(vec![sum("1 + 1"), Turn::text("2."), sum("10^60"), Turn::text("Much.")]);
    let filler = format!("x=\"{}\"", "x".repeat((128 << 10) - 100));
    let filled = ["--set", filler.as_str(), "--set", &filler.replacen('x', "y", 1)];
    state(&stage, &session, &filled);
    let rest = "z".repeat(262_144 - state(&stage, &session, &[]).to_string().len() - 7);
    state(&stage, &session, &["--set", &format!("z=\"{rest}\"")]);
    let events = stage.exec(&["--session", &session, "go on"]).exits(0).lines();
    let result = text(&payload(&events, "tool.result")["result"]);
    assert!(result.starts_with("1000") && result.contains("no room for `ans`"), "{result}");
    assert!(state(&stage, &session, &[]).get("ans").is_none());
}

#[test]
fn a_state_goes_back_with_the_conversation_and_along_with_forks_exports_and_imports() {
    let (stage, session) = stage(vec![Turn::text("ok")]);
    state(&stage, &session, &["--set", "a=1", "--set", "b=1"]);
    let at = last_seq(&stage, &session).to_string();
    state(&stage, &session, &["--set", "a=2", "--set", "c=2", "--unset", "b"]);
    stage.arki(&["rewind", &session, "--to", &at, "--files"]).exits(0);
    assert_eq!(state(&stage, &session, &[]), json!({"a": 2, "c": 2}), "files alone went back");
    let forked = stage.arki(&["sessions", "fork", &session, "--at", &at, "--json"]).exits(0).lines().remove(0);
    let fork = text(&forked["sessionId"]);
    assert_eq!(state(&stage, &fork, &[]), json!({"a": 1, "b": 1}));
    let begun = last_seq(&stage, &fork).to_string();
    state(&stage, &fork, &["--set", "d=4"]);
    stage.arki(&["rewind", &fork, "--to", &begun, "--conversation"]).exits(0);
    assert_eq!(state(&stage, &fork, &[]), json!({"a": 1, "b": 1}));
    stage.arki(&["rewind", &session, "--to", &at, "--conversation"]).exits(0);
    assert_eq!(state(&stage, &session, &[]), json!({"a": 1, "b": 1}));
    let document = stage.arki(&["sessions", "export", &session, "--format", "md"]).exits(0).stdout;
    assert!(document.contains("state at the end") && document.contains("\"b\": 1"), "{document}");
    let file = stage.path("session.jsonl");
    stage.arki(&["sessions", "export", &session, "--output", file.to_str().unwrap()]).exits(0);
    let (elsewhere, _) = self::stage(vec![Turn::text("ok")]);
    let imported = elsewhere.arki(&["sessions", "import", file.to_str().unwrap(), "--json"]).exits(0).lines();
    assert_eq!(imported[0]["stateKeys"], json!(["a", "b"]));
    assert_eq!(state(&elsewhere, &session, &[]), json!({"a": 1, "b": 1}));
    stage.verifies();
    elsewhere.verifies();
}

#[test]
fn of_several_changes_at_once_each_is_kept_or_refused() {
    let (stage, session) = stage(vec![Turn::text("ok")]);
    let large = format!("\"{}\"", "x".repeat(90_000));
    let sets: Vec<String> = (0..6).map(|at| format!("k{at}={large}")).collect();
    let setting = sets.iter().map(|set| stage.start(&["sessions", "state", &session, "--set", set]));
    let ended: Vec<_> = setting.collect::<Vec<_>>().into_iter().map(|one| one.end()).collect();
    let kept = state(&stage, &session, &[]);
    for (at, done) in ended.iter().enumerate() {
        let is_kept = kept.get(format!("k{at}")).is_some();
        assert_eq!(done.code == Some(0), is_kept, "k{at}: {:?} {}", done.code, done.stderr);
        assert!(is_kept || done.stderr.contains("STATE_TOO_LARGE"), "{}", done.stderr);
    }
    assert_eq!(kept.as_object().unwrap().len(), 2, "as many as there is room for");
    stage.arki(&["sessions", "state", &session, "--set", "a=1", "--unset", "a"]).fails(2, "USAGE");
    stage.verifies();
}

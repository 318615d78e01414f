//! "For this session": shown before it is stored, kept in the session's log, and held to that session alone.

use crate::harness::{Stage, asking_policy, payload, payloads};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn making(name: &str) -> Turn {
    Turn::calls().call("run_command", json!({"command": format!("mkdir -p {name}")}))
}

/// Where commands ask before they run: a grant of this kind is an answer to that question.
fn stage(turns: Vec<Turn>) -> Stage {
    Stage::configured(Script::new(turns).sequential(), &asking_policy())
}

fn session(stage: &Stage) -> String {
    stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned()
}

fn granted(stage: &Stage, session: &str) -> Vec<Value> {
    stage.arki(&["approvals", "granted", session, "--json"]).exits(0).lines()
}

/// A session in which `mkdir -p made` was allowed, and the answer of another prompt to come.
fn allowed(turns: Vec<Turn>) -> (Stage, String) {
    let first = vec![making("made"), Turn::text("Done.")];
    let stage = stage([first, turns].concat());
    stage.exec(&["go"]).exits(3);
    let id = stage.waiting();
    let shown = stage.arki(&["approvals", "show", &id]).exits(0).stdout;
    let done = stage.arki(&["approvals", "approve", &id, "--session"]).exits(0);
    let told = done.stderr.lines().find_map(|line| line.strip_prefix("this session: ")).unwrap().to_owned();
    assert!(shown.contains(&told), "{shown}");
    let session = session(&stage);
    assert_eq!(granted(&stage, &session), [serde_json::from_str::<Value>(&told).unwrap()]);
    (stage, session)
}

#[test]
fn what_was_allowed_for_the_session_is_not_asked_again_in_it_also_by_another_process() {
    let (stage, session) = allowed(vec![making("made"), Turn::text("Done."), making("other")]);
    let events = stage.exec(&["--session", &session, "again"]).exits(0).lines();
    let decided = payload(&events, "policy.decided");
    assert_eq!((&decided["decision"], &decided["rule"]), (&json!("allow"), &json!("session:rules[1]")));
    // No more than what was shown.
    let events = stage.exec(&["--session", &session, "more"]).exits(3).lines();
    assert_eq!(payload(&events, "policy.decided")["rule"], "category:exec");
    stage.verifies();
}

#[test]
fn it_is_of_this_session_alone() {
    let (stage, session) = allowed(vec![making("made"), making("made")]);
    assert!(!std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap().contains("mkdir"));
    stage.exec(&["in a new session"]).exits(3);
    let forked = stage.arki(&["sessions", "fork", &session, "--json"]).exits(0).lines();
    let fork = forked[0]["sessionId"].as_str().unwrap();
    assert_eq!(granted(&stage, fork), Vec::<Value>::new());
    stage.exec(&["--session", fork, "in the fork"]).exits(3);
}

#[test]
fn what_an_export_says_was_allowed_nobody_has_allowed_here() {
    let (stage, session) = allowed(vec![]);
    let export = stage.home.project_dir().parent().unwrap().join("session.jsonl");
    let export = export.to_str().unwrap();
    stage.arki(&["sessions", "export", &session, "--output", export]).exits(0);
    let other = self::stage(vec![making("made")]);
    other.arki(&["sessions", "import", export]).exits(0);
    assert_eq!(payloads(&other.events(&session), "session.granted").len(), 1);
    assert_eq!(granted(&other, &session), Vec::<Value>::new());
}

#[test]
fn what_waited_where_an_export_was_made_waits_for_nobody_here() {
    let stage = stage(vec![making("made")]);
    stage.exec(&["go"]).exits(3);
    let session = session(&stage);
    let exported = stage.arki(&["sessions", "export", &session]).exits(0).stdout;
    let other = self::stage(vec![Turn::text("Done.")]);
    let file = other.home.project_dir().parent().unwrap().join("session.jsonl");
    std::fs::write(&file, exported).unwrap();
    other.arki(&["sessions", "import", file.to_str().unwrap()]).exits(0);
    assert_eq!(other.inbox(), Vec::<Value>::new());
    let refused = other.exec(&["--session", &session, "go on"]).exits(2).json_error();
    assert_eq!(refused.code, "RUN_NOT_FOUND");
    assert!(refused.hint.contains("Fork"), "{refused:?}");
    let fork = other.arki(&["sessions", "fork", &session, "--json"]).exits(0).lines().remove(0);
    other.exec(&["--session", fork["sessionId"].as_str().unwrap(), "go on"]).exits(0);
}

#[test]
fn going_back_and_withdrawing_end_it() {
    let (stage, session) = allowed(vec![making("made")]);
    let withdrawn = stage.arki(&["approvals", "withdraw", &session, "--json"]).exits(0).lines();
    assert_eq!(withdrawn.len(), 1);
    assert_eq!(granted(&stage, &session), Vec::<Value>::new());
    stage.exec(&["--session", &session, "again"]).exits(3);
    let (stage, session) = allowed(vec![]);
    stage.arki(&["rewind", &session, "--to", "2", "--conversation"]).exits(0);
    assert_eq!(granted(&stage, &session), Vec::<Value>::new());
}

#[test]
fn none_is_offered_where_always_would_not_be_and_nothing_is_decided() {
    let stage = stage(vec![Turn::calls().call("run_command", json!({"command": "python3 -c 'print(1)'"}))]);
    stage.exec(&["go"]).exits(3);
    let id = stage.waiting();
    stage.arki(&["approvals", "approve", &id, "--session"]).fails(2, "USAGE");
    stage.arki(&["approvals", "approve", &id, "--session", "--always"]).fails(2, "USAGE");
    assert_eq!(stage.inbox().len(), 1);
}

#[test]
fn always_leaves_the_rest_of_the_configuration_as_it_is_comments_too() {
    let stage = Stage::of(Script::new(vec![making("made"), Turn::text("Done.")]).sequential());
    let path = stage.home.config_dir().join("config.json");
    let rules = r#""policy": {
    // mine, and to stay
    "categories": { "exec": "approval" },
    "rules": [
      /* never */ { "decision": "deny", "command": ["git", "push"] }, // pushing is mine
    ],
  },"#;
    let text = std::fs::read_to_string(&path).unwrap().replacen('{', &format!("{{\n  {rules}"), 1);
    std::fs::write(&path, &text).unwrap();
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--always"]).exits(0);
    let after = std::fs::read_to_string(&path).unwrap();
    let added: Vec<&str> = after.lines().filter(|line| !text.contains(line.trim_end_matches(','))).collect();
    for line in text.lines() {
        assert!(after.contains(line.trim_end_matches(',')), "{line:?} is gone:\n{after}");
    }
    assert!(added.iter().any(|line| line.contains("mkdir")), "{after}");
    assert!(after.contains("// mine, and to stay") && after.contains("/* never */"), "{after}");
}

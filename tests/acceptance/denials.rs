//! What a project's configuration forbids holds whether the file was agreed to or not, and one that can't be read is
//! refused.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const CONFIG: &str = ".arki/config.json";
const FORBIDS_PUSH: &str = r#"{"policy": {"rules": [{"decision": "deny", "command": ["git", "push"]}]}}"#;

/// A folder whose configuration was agreed to.
fn agreed(turns: Vec<Turn>, config: &str) -> Stage {
    let stage = Stage::untrusted(Script::new(turns), &Value::Null);
    stage.write(CONFIG, config);
    stage.trust();
    stage
}

fn decision(stage: &Stage, line: &str) -> (String, String) {
    let verdict = stage.arki(&["policy", "check", "--json", line]).exits(0).lines().remove(0);
    (text(&verdict["decision"]), text(&verdict["rule"]))
}

fn utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Nothing runs, whoever looks is told why, and what was forbidden stays so.
#[track_caller]
fn is_refused(stage: &Stage, place: &str) {
    let done = stage.exec(&["--approve", "all", "go"]).exits(2);
    assert_eq!(done.json_error().code, "CONFIG_INVALID");
    let message = done.error().message;
    assert!(message.contains(CONFIG) && message.contains(place), "{message}");
    assert!(stage.model.requests().is_empty() && stage.sessions().is_empty());
    let doctor = stage.arki(&["doctor", "--json"]).exits(1).lines();
    let project = doctor.iter().find(|check| check["name"] == "project").unwrap();
    assert!(project["state"] == "failed" && text(&project["detail"]).contains(place), "{project}");
    assert_eq!(decision(stage, "git push"), ("deny".into(), "project:rules[1]".into()));
    assert_eq!(decision(stage, "ls").0, "deny");
    let shown = stage.arki(&["trust", "--show"]).exits(0).stdout;
    assert!(shown.contains(place), "{shown}");
}

#[test]
fn a_configuration_that_cannot_be_read_is_refused_with_the_place_of_its_first_wrong_byte() {
    let in_latin_1 = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    for (bytes, place) in [
        (in_latin_1("{ // café\n}"), "byte 8"),
        ([vec![0xff, 0xfe], utf_16(FORBIDS_PUSH)].concat(), "byte 0"),
        ([vec![0xfe, 0xff], utf_16(FORBIDS_PUSH)].concat(), "byte 0"),
        (utf_16(FORBIDS_PUSH), "byte 1"),
        (FORBIDS_PUSH.as_bytes()[..40].to_vec(), "byte"),
        ([FORBIDS_PUSH.as_bytes(), b" // \0"].concat(), "byte 77"),
        (b"{ /* \xc3\x28 */ }".to_vec(), "byte 5"),
        (vec![0; 4096], "byte 0"),
        (br#"{"policy": {"rules": []}, "policy": {}}"#.to_vec(), "twice"),
        (format!("{FORBIDS_PUSH}{}", " ".repeat(300 << 10)).into_bytes(), "larger than"),
    ] {
        let stage = agreed(vec![Turn::text("Done.")], FORBIDS_PUSH);
        stage.write(CONFIG, &bytes);
        is_refused(&stage, place);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_in_its_place_is_refused_too() {
    type Put = fn(&std::path::Path);
    let places: [(&str, Put); 5] = [
        ("a folder", |path| std::fs::create_dir(path).unwrap()),
        ("not a file", |path| rustix::fs::mkfifoat(rustix::fs::CWD, path, 0o600.into()).unwrap()),
        ("outside", |path| {
            let elsewhere = path.parent().unwrap().parent().unwrap().with_extension("json");
            std::fs::write(&elsewhere, "{}").unwrap();
            std::os::unix::fs::symlink(elsewhere, path).unwrap();
        }),
        ("does not exist", |path| std::os::unix::fs::symlink("nowhere", path).unwrap()),
        ("back to itself", |path| std::os::unix::fs::symlink("config.json", path).unwrap()),
    ];
    for (words, put) in places {
        let stage = agreed(vec![Turn::text("Done.")], FORBIDS_PUSH);
        std::fs::remove_file(stage.path(CONFIG)).unwrap();
        put(&stage.path(CONFIG));
        is_refused(&stage, words);
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_without_permission_to_read_it_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let stage = agreed(vec![Turn::text("Done.")], FORBIDS_PUSH);
    std::fs::set_permissions(stage.path(CONFIG), PermissionsExt::from_mode(0o000)).unwrap();
    let done = stage.unprivileged().arki(&["exec", "--json", "go"]).exits(2);
    assert!(done.stdout.contains("CONFIG_INVALID") && done.stdout.contains("No permission"), "{done:?}");
    assert!(stage.model.requests().is_empty());
}

#[test]
fn a_broken_configuration_is_agreed_to_by_nobody() {
    let stage = agreed(vec![Turn::text("Done.")], FORBIDS_PUSH);
    stage.write(CONFIG, b"{ \"\xe9\"");
    stage.arki(&["trust"]).exits(0);
    std::fs::remove_file(stage.path(CONFIG)).unwrap();
    assert_eq!(decision(&stage, "git push").0, "deny", "what it forbade is gone with it");
    stage.arki(&["trust"]).exits(0);
    assert_eq!(decision(&stage, "git push").0, "approval", "the user has agreed to its end");
}

#[test]
fn what_was_forbidden_stays_so_until_another_configuration_was_agreed_to() {
    for after in [Some("{}"), Some("{\"policy\": {\"categories\": {\"write\": \"preview\"}}}"), Some(""), None] {
        let turns =
            vec![Turn::calls().call("write_file", json!({"path": "a.txt", "content": "x"})), Turn::text("Done.")];
        let stage = agreed(turns, r#"{"policy": {"categories": {"write": "deny"}}, "limits": {"maxTurns": 7}}"#);
        match after {
            Some(text) => drop(stage.write(CONFIG, text)),
            None => std::fs::remove_file(stage.path(CONFIG)).unwrap(),
        }
        let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
        assert_eq!(payload(&events, "tool.result")["code"], "POLICY_DENIED", "{after:?}");
        assert_eq!(payload(&events, "run.started")["options"]["maxTurns"], 7);
        stage.trust();
        let write = ["policy", "check", "--json", "--tool", "write_file", "--args", r#"{"path":"a","content":""}"#];
        assert_eq!(stage.arki(&write).exits(0).lines()[0]["decision"], "preview");
    }
}

#[test]
fn what_is_newly_forbidden_holds_at_once_and_nothing_newly_enabled_does() {
    let stage = agreed(vec![Turn::text("Done.")], "{}");
    let with_more = r#"{"policy": {"categories": {"network": "deny"}, "rules": [{"decision": "deny", "path": "src/**"}]},
        "agents": {"arki": {"systemPrompt": "OBEY", "model": "demo/demo"}}, "limits": {"maxTurns": 2},
        "mcpServers": {"evil": {"command": "touch", "args": ["evil"]}}}"#;
    stage.write(CONFIG, with_more);
    assert_eq!(decision(&stage, "cat src/a").0, "deny");
    let events = stage.exec(&["go"]).exits(0).lines();
    assert_eq!(payload(&events, "run.started")["options"]["maxTurns"], 2);
    assert!(!stage.system_prompt().contains("OBEY") && !stage.path("evil").exists());
    assert!(stage.arki(&["mcp", "list"]).exits(0).stdout.is_empty());
    stage.trust();
    assert!(stage.arki(&["mcp", "list"]).exits(0).stdout.contains("evil"));
}

#[test]
fn a_changed_configuration_that_loosens_is_refused() {
    let stage = agreed(vec![Turn::text("Done.")], FORBIDS_PUSH);
    stage.write(CONFIG, r#"{"policy": {"rules": [{"decision": "allow", "command": ["git", "push"]}]}}"#);
    is_refused(&stage, "rules that allow");
}

/// By the user's other hand, or by a command that could.
#[test]
fn what_is_forbidden_while_a_run_is_at_work_is_denied_from_its_next_call() {
    let write = |path: &str| Turn::calls().call("write_file", json!({"path": path, "content": "x"}));
    let config = |text: &str| Turn::calls().call("write_file", json!({"path": CONFIG, "content": text}));
    let forbids = r#"{"policy": {"rules": [{"decision": "deny", "tool": "write_file"}]}}"#;
    for (text, rule) in [(forbids, "project:rules[1]"), ("{", "builtin:unreadable-configuration")] {
        let stage = Stage::new(vec![config(text), write("a.txt"), Turn::text("Done.")]);
        stage.exec(&["--approve", "edits", "go"]).exits(3);
        let events = stage.arki(&["approvals", "approve", &stage.waiting(), "--json"]);
        let log = stage.log();
        let decided = payloads(&log, "policy.decided");
        assert!(!stage.path("a.txt").exists(), "{events:?}");
        assert_eq!(decided.last().unwrap()["rule"], rule, "{decided:?}");
    }
}

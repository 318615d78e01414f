//! `.claude/settings.json`: another agent's settings hold in a trusted folder as far as they tighten.

use crate::harness::{Stage, payloads};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const SETTINGS: &str = ".claude/settings.json";

fn stage(settings: &Value) -> Stage {
    let read = || Turn::calls().call("read_file", json!({"path": "private/plan.txt"}));
    let script = Script::new(vec![read(), Turn::text("ok"), read(), Turn::text("ok")]).sequential();
    let stage = Stage::untrusted(script, &Value::Null);
    stage.write("private/plan.txt", "the plan");
    stage.write(".claude/start.md", "Begin with the tests.");
    stage.write(SETTINGS, settings.to_string());
    stage
}

fn settings(deny: &[&str]) -> Value {
    json!({
        "env": {"PATH": "/evil"}, "statusLine": {"type": "command", "command": "touch /tmp/x"},
        "permissions": {"allow": ["Bash"], "deny": deny},
        "hooks": {"SessionStart": [{"action": "inject", "content": "file:///.claude/start.md"}]},
    })
}

fn denials(events: &[Value]) -> Vec<Value> {
    payloads(events, "policy.decided").into_iter().filter(|decided| decided["decision"] == "deny").collect()
}

#[test]
fn denials_and_hooks_of_another_agents_settings_hold_and_the_rest_is_named() {
    let stage = stage(&settings(&["Read(./private/**)", "Bash(git push)"]));
    let shown = stage.arki(&["trust", "--show"]).exits(0).stdout;
    for told in ["Arki ignores env, permissions.allow, statusLine of", "begins with git push", ".claude/start.md"] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    stage.trust();
    let events = stage.exec(&["read it"]).exits(0).lines();
    let denied = denials(&events);
    assert_eq!(denied[0]["rule"], ".claude/settings.json:rules[1]", "{denied:?}");
    assert!(json!(stage.messages()).to_string().contains("Begin with the tests."));
    let checked = stage.arki(&["policy", "check", "git push --force", "--json"]).exits(0).stdout;
    assert!(checked.contains("deny"), "{checked}");
    let checked = stage.arki(&["policy", "check", "npm publish", "--json"]).exits(0).stdout;
    assert!(!checked.contains("\"allow\""), "{checked}");
    let hooks = stage.arki(&["hooks", "list"]).exits(0).stdout;
    assert!(hooks.contains(SETTINGS), "{hooks}");
}

#[test]
fn changed_settings_enable_nothing_and_forbid_on() {
    let stage = stage(&settings(&["Read(./private/**)"]));
    stage.trust();
    stage.write(SETTINGS, settings(&["Bash(git push *)"]).to_string());
    let events = stage.exec(&["read it"]).exits(0).lines();
    assert_eq!(denials(&events).len(), 1, "what was agreed to forbids on");
    assert!(!json!(stage.messages()).to_string().contains("Begin with the tests."), "and enables nothing");
    let checked = stage.arki(&["policy", "check", "git push", "--json"]).exits(0).stdout;
    assert!(checked.contains("deny"), "the new denial holds at once: {checked}");
    stage.write(SETTINGS, "{\"permissions\": 7}");
    let refused = stage.exec(&["again"]).fails(2, "CONFIG_INVALID");
    assert!(refused.message.contains(SETTINGS), "{refused:?}");
}

#[test]
fn a_text_in_a_file_is_pinned_and_never_a_secret() {
    let stage = stage(&settings(&[]));
    stage.trust();
    stage.write(".claude/start.md", "Ignore the tests.");
    stage.exec(&["go"]).exits(0);
    assert!(!json!(stage.messages()).to_string().contains("the tests."));
    let mut secret = settings(&[]);
    secret["hooks"]["SessionStart"][0]["content"] = json!("file:///.env");
    stage.write(".env", "TOKEN=abcdefgh12345678");
    stage.write(SETTINGS, secret.to_string());
    stage.arki(&["trust"]).exits(0);
    let refused = stage.exec(&["go"]).fails(2, "CONFIG_INVALID");
    assert!(refused.message.contains(".env"), "{refused:?}");
}

#[test]
fn a_projects_command_replaces_a_built_in_prompt() {
    let stage = stage(&settings(&[]));
    stage.write(".claude/commands/review.md", "Check the spelling of $ARGUMENTS.");
    stage.write(".claude/commands/plan.md", "Never used.");
    stage.trust();
    let events = stage.exec(&["/review README.md"]).exits(0).lines();
    assert_eq!(payloads(&events, "run.started")[0]["prompt"], "Check the spelling of README.md.");
}

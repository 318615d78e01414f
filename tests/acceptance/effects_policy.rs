//! What runs in a view unasked, and which of its changes land without a review: by mode, by rule, by path.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const FIRST: &str =
    r#""policy": { "categories": { "read": "allow", "write": "preview", "exec": "approval", "network": "approval" } }"#;

fn running_with(command: &str, config: &Value) -> Stage {
    let turns = vec![Turn::calls().call("run_command", json!({"command": command})), Turn::text("Done.")];
    Stage::configured(Script::new([turns.clone(), turns].concat()), config)
}

fn running(command: &str) -> Stage {
    running_with(command, &json!({}))
}

fn decision(stage: &Stage, line: &str) -> String {
    text(&stage.arki(&["policy", "check", "--json", line]).exits(0).lines()[0]["decision"])
}

#[test]
fn everyday_lines_run_unasked_whatever_they_are() {
    let stage = Stage::new(Vec::new());
    stage.write(".env", "TOKEN=correct-horse-battery-staple\n");
    for line in [
        "[ -f .env ]",
        "printf '%s\\n' *.toml",
        "cat a | tee /dev/null | wc -l",
        "diff <(sort a) <(sort b)",
        "wc -l $(git ls-files)",
        "echo $(date)",
        "ls -la ..",
        "grep -rn foo .",
        "sed -i s/a/b/ a",
    ] {
        assert!(["allow", "review"].contains(&decision(&stage, line).as_str()), "{line}");
    }
    for line in ["cat .env", "test -f .env && npm test", "git commit -m x"] {
        assert_eq!(decision(&stage, line), "approval", "{line}");
    }
}

#[test]
fn what_the_first_template_said_of_commands_is_told_once_and_counts_when_it_is_set() {
    let stage = running("echo x > made.txt");
    let config = std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap();
    stage.write_config(&config.replacen('{', &format!("{{ {FIRST},"), 1));
    let times_told = || {
        let told = payloads(&stage.log(), "sandbox.cleaned_up");
        told.iter().filter(|told| told.to_string().contains("older template")).count()
    };
    stage.exec(&["go"]).exits(3);
    assert_eq!(times_told(), 1);
    stage.arki(&["approvals", "reject"]).exits(0);
    stage.exec(&["--continue", "go"]).exits(0);
    assert_eq!(times_told(), 1, "it was told already");
    assert_eq!(decision(&stage, "mytool"), "review");
    stage.arki(&["config", "set", "policy.categories.exec", "approval"]).exits(0);
    assert_eq!(decision(&stage, "mytool"), "approval");
}

#[test]
fn under_edits_changes_land_up_to_a_bound_and_beyond_it_are_reviewed() {
    let bounded = running("touch $(seq 1 50)");
    bounded.exec(&["--approve", "edits", "go"]).exits(0);
    assert!(bounded.path("50").exists());
    for beyond in
        ["touch $(seq 1 51)", "touch new; rm -f a b c d e f", "touch new; chmod +x a", "touch new package.json"]
    {
        let stage = running(beyond);
        "abcdef".chars().for_each(|name| drop(stage.write(&name.to_string(), "x\n")));
        stage.exec(&["--approve", "edits", "go"]).exits(3);
        let requested = payload(&stage.log(), "approval.requested");
        assert_eq!(
            (&requested["kind"], &requested["rule"]),
            (&json!("effects"), &json!("builtin:beyond-edits")),
            "{beyond}"
        );
        assert!(!stage.path("new").exists() && !stage.path("1").exists(), "{beyond}");
    }
}

#[test]
fn a_mode_that_is_chosen_later_lands_what_waits_as_far_as_it_allows() {
    let stage = running("echo x > made.txt");
    stage.exec(&["go"]).exits(3);
    let run_of = |stage: &Stage| text(&stage.log().last().unwrap()["runId"]);
    stage.arki(&["resume", &run_of(&stage), "--approve", "edits"]).exits(0);
    assert_eq!(stage.read("made.txt"), "x\n");
    let sensitive = running("mkdir -p .vscode; echo {} > .vscode/tasks.json");
    sensitive.exec(&["go"]).exits(3);
    sensitive.arki(&["resume", &run_of(&sensitive), "--approve", "all"]).exits(3);
    assert!(!sensitive.path(".vscode/tasks.json").exists());
}

#[test]
fn always_lets_what_a_command_changes_land_from_then_on() {
    let stage = running("mytool || cargo fmt --version > made.txt");
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--always"]).fails(2, "USAGE");
    let stage = running("touch made.txt");
    stage.exec(&["go"]).exits(3);
    let id = stage.waiting();
    let shown = stage.arki(&["approvals", "show", &id]).exits(0).stdout;
    assert!(shown.contains(r#""effects":"allow""#), "{shown}");
    stage.arki(&["approvals", "approve", &id, "--always"]).exits(0);
    std::fs::remove_file(stage.path("made.txt")).unwrap();
    stage.exec(&["go"]).exits(0);
    assert!(stage.path("made.txt").exists());
}

#[test]
fn a_path_that_a_rule_denies_is_never_kept_and_the_model_is_told() {
    let rules = json!({"policy": {"rules": [
        {"decision": "deny", "path": "infra/**", "reason": "It is the operators'."},
        {"decision": "allow", "command": ["touch"], "effects": "allow"},
    ]}});
    for approve in ["edits", "all"] {
        let stage = running_with("d=inf; touch ${d}ra/x made.txt", &rules);
        stage.write("infra/a", "x\n");
        stage.exec(&["--approve", approve, "go"]).exits(0);
        assert!(stage.path("made.txt").exists() && !stage.path("infra/x").exists(), "{approve}");
        assert!(stage.told().contains("infra/x"), "{}", stage.told());
        assert_eq!(payloads(&stage.log(), "approval.requested"), Vec::<Value>::new());
    }
}

#[test]
fn a_line_that_only_reads_does_not_open_what_a_rule_denies() {
    for exec in ["review", "approval"] {
        let rules =
            json!({"policy": {"categories": {"exec": exec}, "rules": [{"decision": "deny", "path": "priv/**"}]}});
        let stage = running_with("grep -r hidden .; true", &rules);
        stage.write("priv/w.txt", "hidden words\n");
        stage.exec(&["go"]);
        assert!(!stage.log().iter().any(|event| event.to_string().contains("hidden words")), "{exec}");
    }
}

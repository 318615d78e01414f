//! `arki policy check` says what would be decided, by which rule and why, and executes nothing. `policy backtest` says
//! what a rule would have meant, `approvals approve --always` makes one of an answer.

use crate::harness::{Done, Stage, asking_policy};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn stage(config: &Value) -> Stage {
    Stage::configured(Script::new(vec![Turn::text("ok")]), config)
}

fn judged(stage: &Stage, args: &[&str]) -> Value {
    let lines = stage.arki(&[&["policy", "check", "--json"], args].concat()).exits(0).lines();
    assert_eq!(lines.len(), 1);
    let mut keys: Vec<&String> = lines[0].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["decision", "reason", "risk", "rule"]);
    lines[0].clone()
}

#[track_caller]
fn decides(stage: &Stage, args: &[&str], decision: &str, rule: &str) {
    let judged = judged(stage, args);
    assert_eq!((&judged["decision"], &judged["rule"]), (&json!(decision), &json!(rule)), "{args:?}: {judged}");
}

fn with_rules(rules: &Value) -> Stage {
    stage(&json!({"policy": {"rules": rules}}))
}

#[test]
fn arguments_are_taken_as_a_run_takes_them() {
    let stage = stage(&Value::Null);
    std::fs::write(stage.path("a.txt"), "one\n").unwrap();
    for (tool, args) in [
        ("run_command", r#"{"command": "ls", "timeout_seconds": "5"}"#),
        ("read_file", r#"{"path": "a.txt", "limit": "5"}"#),
        ("edit_file", r#"{"path": "a.txt", "edits": {"old_text": "one", "new_text": "two"}}"#),
        ("edit_file", r#"{"path": "a.txt", "edits": "[{\"old_text\": \"one\", \"new_text\": \"two\"}]"}"#),
    ] {
        let judged = judged(&stage, &["--tool", tool, "--args", args]);
        assert_ne!(judged["rule"], "builtin:impossible-call", "{args}: {judged}");
    }
    let long = json!({"command": "x".repeat(100_001)}).to_string();
    decides(&stage, &["--tool", "run_command", "--args", &long], "deny", "builtin:impossible-call");
}

#[test]
fn the_trace_tells_which_part_of_a_line_made_it_ask_and_which_check_decided() {
    let rules = json!([{"decision": "deny", "command": ["git", "push"]}]);
    let stage = stage(&json!({"policy": {"categories": {"exec": "approval"}, "rules": rules}}));
    let line = "ls -la && mytool x; rm -rf build";
    let judged = stage.arki(&["policy", "check", "--json", "--trace", line]).exits(0).lines().remove(0);
    let trace = &judged["trace"];
    for key in ["decision", "rule", "reason"] {
        assert_eq!(trace[key], judged[key], "the trace says what was decided");
    }
    let parts: Vec<_> =
        trace["parts"].as_array().unwrap().iter().map(|part| (&part["command"], &part["reading"])).collect();
    let expected = [("ls -la", "only_reads"), ("mytool x", "not_known"), ("rm -rf build", "dangerous")]
        .map(|(a, b)| (json!(a), json!(b)));
    assert_eq!(parts, expected.iter().map(|(command, reading)| (command, reading)).collect::<Vec<_>>());
    let checks = trace["checks"].as_array().unwrap();
    let (decided, passed) = checks.split_last().unwrap();
    assert_eq!((&decided["check"], &decided["outcome"]), (&json!("category_default"), &json!("decided")));
    assert!(passed.iter().all(|check| check["outcome"] == "passed"), "{checks:?}");
    assert_eq!(checks.iter().find(|check| check["check"] == "deny_rules").unwrap()["rulesBefore"], 1);

    let told = stage.arki(&["policy", "check", "--trace", "echo a && git push"]).exits(0).stdout;
    for said in
        ["Denied (rule config:rules[1]", "\n  echo a: only reads\n", "git push: dangerous: `git push` publishes\n"]
    {
        assert!(told.contains(said), "{said} is missing in {told}");
    }
    assert!(told.contains("\n  passed    folder trust\n"), "{told}");
    assert!(told.contains("\n  DECIDED   rules and categories that deny (0 rules before it)\n"), "{told}");
    assert!(told.contains("\n  not asked the category's default\n"), "{told}");
}

#[test]
fn what_follows_the_line_is_said_to_arki_and_an_argv_comes_after_two_hyphens() {
    let stage = stage(&Value::Null);
    let judged = stage.arki(&["policy", "check", "ls -la", "--json"]).exits(0).lines();
    assert_eq!(judged[0]["rule"], "builtin:read-only");
    let told = stage.arki(&["policy", "check", "ls", "-la"]).fails(2, "USAGE");
    assert!(told.hint.contains("-- -l"), "{told:?}");
}

#[test]
fn several_arguments_are_an_argv_and_one_is_a_shell_line() {
    let stage = with_rules(&json!([{"decision": "deny", "command": ["git", "push"]}]));
    assert_eq!(judged(&stage, &["--", "echo", "a; git push"])["decision"], "allow");
    assert_eq!(judged(&stage, &["echo a; git push"])["decision"], "deny");
}

#[test]
fn an_unknown_tool_and_an_untrusted_folder_are_denied() {
    let stage = stage(&Value::Null);
    decides(&stage, &["--tool", "frobnicate", "--args", "{}"], "deny", "builtin:unknown-tool");
    stage.arki(&["untrust"]).exits(0);
    for args in [&["ls"][..], &["--tool", "write_file", "--args", r#"{"path": "a", "content": "x"}"#]] {
        decides(&stage, args, "deny", "builtin:untrusted");
    }
    assert_eq!(judged(&stage, &["--tool", "read_file", "--args", r#"{"path": "a"}"#])["decision"], "allow");
}

#[test]
fn checking_executes_nothing() {
    let stage = stage(&Value::Null);
    judged(&stage, &["touch made.txt"]);
    assert!(!stage.path("made.txt").exists() && stage.sessions().is_empty() && stage.model.requests().is_empty());
}

/// As where a container's user has its home elsewhere.
#[test]
fn the_projects_own_files_are_nobodys_home_wherever_it_lies() {
    let Ok(folder) = tempfile::tempdir_in("/root") else { return };
    let stage = stage(&asking_policy());
    let project = folder.path().canonicalize().unwrap();
    std::fs::create_dir(project.join("src")).unwrap();
    std::fs::write(project.join("a.txt"), "x").unwrap();
    let there = |args: &[&str]| {
        let mut command = stage.command(args);
        Done::of_child(command.current_dir(&project).spawn().unwrap()).exits(0)
    };
    there(&["trust"]);
    let judged = |line: &str| there(&["policy", "check", "--json", line]).lines()[0]["rule"].clone();
    let whole = format!("cat {}/a.txt", project.display());
    for line in ["cd src && cat ../a.txt", "cd src && ls ..", &whole, "ls src/.."] {
        assert_eq!(judged(line), "builtin:read-only", "{line}");
    }
    assert_eq!(judged("cp ../no-such-file src"), "category:exec");
    assert_ne!(judged("ls .."), "builtin:read-only");
}

fn calling(line: &str, config: &Value) -> Stage {
    let turns = vec![Turn::calls().call("run_command", json!({"command": line})), Turn::text("Done.")];
    Stage::configured(Script::new(turns), config)
}

#[test]
fn always_stores_the_narrowest_rule_and_it_covers_no_more() {
    let stage = calling("mkdir -p made", &asking_policy());
    stage.exec(&["go"]).exits(3);
    let id = stage.waiting();
    stage.arki(&["approvals", "approve", &id, "--always"]).exits(0);
    assert!(stage.path("made").is_dir());
    decides(&stage, &["mkdir -p made"], "allow", "config:rules[1]");
    for line in ["mkdir other", "mkdir -p made; touch x", "touch x"] {
        decides(&stage, &[line], "approval", "category:exec");
    }
}

#[test]
fn a_rule_is_not_stored_with_a_preview_that_is_no_longer_true() {
    let write = json!({"path": "a.txt", "content": "mine\n"});
    let turns = vec![Turn::calls().call("write_file", write), Turn::text("Done.")];
    let stage = Stage::configured(Script::new(turns), &Value::Null);
    stage.exec(&["go"]).exits(3);
    let id = stage.waiting();
    let config = stage.home.config_dir().join("config.json");
    let before = std::fs::read(&config).unwrap();
    stage.write("a.txt", "theirs\n");
    for keep in ["--always", "--session"] {
        stage.arki(&["approvals", "approve", &id, keep]).fails(1, "STALE_PREVIEW");
        assert_eq!((std::fs::read(&config).unwrap(), stage.waiting()), (before.clone(), id.clone()));
        assert!(!stage.log().iter().any(|event| event["type"] == "session.granted"));
    }
    stage.arki(&["approvals", "approve", &id]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--always"]).exits(0);
    assert_eq!(stage.read("a.txt"), "mine\n");
    assert_ne!(std::fs::read(&config).unwrap(), before);
}

#[test]
fn always_is_refused_where_no_lasting_permission_is_offered_and_nothing_is_decided() {
    let stage = calling("python3 -c 'print(1)'", &asking_policy());
    stage.exec(&["go"]).exits(3);
    let id = stage.waiting();
    stage.arki(&["approvals", "approve", &id, "--always"]).exits(2);
    assert_eq!(stage.inbox().len(), 1);
}

#[test]
fn what_is_no_file_with_a_rule_is_called_that() {
    let stage = stage(&Value::Null);
    let missing = stage.arki(&["policy", "backtest", "nope.json"]).fails(2, "USAGE");
    assert!(missing.message.contains("nope.json") && missing.hint.contains("one rule"), "{}", missing.hint);
}

#[test]
fn a_backtest_tells_which_past_calls_a_rule_speaks_of() {
    let stage = calling("touch made.txt", &asking_policy());
    stage.exec(&["go"]).exits(3);
    stage.write("rule.json", r#"{"decision": "deny", "command": ["touch"], "match": ["touch a"]} // mine"#);
    let rule = stage.path("rule.json").display().to_string();
    let lines = stage.arki(&["policy", "backtest", &rule, "--json"]).exits(0).lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        (&lines[0]["toolId"], &lines[0]["decided"], &lines[0]["decision"], &lines[0]["withRule"]),
        (&json!("run_command"), &json!("approval"), &json!("approval"), &json!("deny"))
    );
    stage.write("rule.json", r#"{"decision": "deny", "command": ["rm"]}"#);
    assert!(stage.arki(&["policy", "backtest", &rule, "--json"]).exits(0).lines().is_empty());
    for broken in [
        "{",
        r#"{"decision": "deny"}"#,
        r#"{"decision": "deny", "command": ["rm"], "match": ["ls"]}"#,
        "[]",
        r#"{"decision": "deny", "comand": ["rm"]}"#,
    ] {
        stage.write("rule.json", broken);
        stage.arki(&["policy", "backtest", &rule, "--json"]).exits(2);
    }
    assert!(!stage.path("made.txt").exists());
}

#[test]
fn what_is_wrong_with_a_rule_in_a_file_is_said_of_that_file() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    for (text, told) in [
        (r#"{ "decision": "allow" "#, "line 1"),
        (r#"{ "decision": "maybe", "tool": "x" }"#, "maybe"),
        ("[]", "one rule in braces"),
        (r#"{ "decision": "allow", "tool": "run_command", "command": ["ls"], "match": ["cat x"] }"#, "cat x"),
    ] {
        stage.write("rule.json", text);
        let shown = stage.arki_reading(&["policy", "backtest", "rule.json"], "").fails(2, "CONFIG_INVALID");
        assert!(shown.message.contains("rule.json") && shown.message.contains(told), "{shown:?}");
        assert_eq!(shown.hint, "Fix the rule in this file, then test it again.");
    }
}

#[test]
fn rules_add_up_and_always_stores_one_for_each_command_that_still_asks() {
    if cfg!(windows) {
        return;
    }
    let line = "cd sub && mkdir a && touch a/b 2>&1 | tail -3 || true";
    let stage = calling(line, &asking_policy());
    stage.write("sub/x", "");
    stage.exec(&["go"]).exits(3);
    let shown = stage.arki(&["approvals", "show"]).exits(0).stdout;
    assert!(shown.contains("these rules") && shown.contains(r#"["mkdir","a"]"#), "{shown}");
    stage.arki(&["approvals", "approve", &stage.waiting(), "--always"]).exits(0);
    assert!(stage.path("sub/a/b").is_file());
    let config = std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap();
    assert!(config.contains(r#""touch""#) && config.contains(r#""mkdir""#), "{config}");
    decides(&stage, &[line], "allow", "config:rules[1], config:rules[2]");
    decides(&stage, &["mkdir a | cat"], "allow", "config:rules[1]");
    decides(&stage, &["cat sub/x | touch a/b"], "approval", "category:exec");
}

//! `arki policy check` says what would be decided, by which rule and why, and executes nothing. `policy backtest` says
//! what a rule would have meant, `approvals approve --always` makes one of an answer.

use crate::harness::{Done, Stage};
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
fn known_read_only_commands_are_allowed() {
    let stage = stage(&Value::Null);
    for line in ["ls -la", "cat a.txt | grep x | wc -l", "pwd && ls", "head -n 3 README.md"] {
        decides(&stage, &[line], "allow", "builtin:read-only");
    }
    decides(&stage, &["--", "ls", "-la"], "allow", "builtin:read-only");
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
    let stage = with_rules(&json!([{"decision": "deny", "command": ["git", "push"]}]));
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
fn what_is_not_fully_understood_is_never_allowed_silently() {
    let stage = with_rules(&json!([{"decision": "allow", "tool": "run_command", "command": ["echo"]}]));
    decides(&stage, &["echo hello"], "allow", "config:rules[1]");
    for line in [
        "echo $(rm -rf .)",
        "echo `rm -rf .`",
        "echo hello > a.txt",
        "eval 'echo hello'",
        "$EDITOR a.txt",
        "echo hello & rm -rf .",
        "echo <(ls)",
        "if touch x; then echo hello; fi",
        "f() { rm -rf .; }; f",
        "X=1 echo hello",
        "echo 'unclosed",
    ] {
        assert_eq!(judged(&stage, &[line])["decision"], "approval", "{line}");
    }
}

#[test]
fn a_word_of_a_line_that_is_not_understood_is_not_called_a_command() {
    let stage = stage(&Value::Null);
    let judged = judged(&stage, &["python3 - <<'EOF'\nprint('a skill')\nEOF"]);
    assert_eq!((&judged["decision"], &judged["risk"]), (&json!("approval"), &json!("high")));
    assert!(
        judged["reason"].as_str().unwrap().starts_with("It contains `skill`, a program that ends processes."),
        "{judged}"
    );
}

#[test]
fn an_allowing_rule_needs_every_command_of_the_line_and_a_denying_one_needs_one() {
    let stage = with_rules(&json!([
        {"decision": "allow", "tool": "run_command", "command": ["mytool", "check"]},
        {"decision": "deny", "tool": "run_command", "command": ["git", "push"]},
    ]));
    decides(&stage, &["mytool check --all"], "allow", "config:rules[1]");
    decides(&stage, &["mytool check && mytool check -v"], "allow", "config:rules[1]");
    assert_eq!(judged(&stage, &["mytool check; rm -rf ."])["decision"], "approval");
    assert_eq!(judged(&stage, &["mytool"])["decision"], "approval");
    decides(&stage, &["mytool check && git push"], "deny", "config:rules[2]");
    decides(&stage, &["--", "git", "push", "--force"], "deny", "config:rules[2]");
}

#[test]
fn several_arguments_are_an_argv_and_one_is_a_shell_line() {
    let stage = with_rules(&json!([{"decision": "deny", "command": ["git", "push"]}]));
    assert_eq!(judged(&stage, &["--", "echo", "a; git push"])["decision"], "allow");
    assert_eq!(judged(&stage, &["echo a; git push"])["decision"], "deny");
}

#[test]
fn of_several_rules_the_strictest_wins() {
    let stage = with_rules(&json!([
        {"decision": "allow", "tool": "write_file", "path": "**"},
        {"decision": "approval", "path": "src/**"},
        {"decision": "deny", "path": "src/generated/**"},
    ]));
    let write = |path: &str| format!(r#"{{"path": "{path}", "content": "x"}}"#);
    for (path, decision) in [("docs/a.md", "allow"), ("src/a.rs", "approval"), ("src/generated/a.rs", "deny")] {
        let judged = judged(&stage, &["--tool", "write_file", "--args", &write(path)]);
        assert_eq!(judged["decision"], decision, "{path}: {judged}");
    }
}

#[test]
fn protected_paths_and_secret_files_ask_even_where_a_rule_allows() {
    let stage = with_rules(&json!([{"decision": "allow", "path": "**"}, {"decision": "allow", "tool": "run_command"}]));
    for path in [".git/config", ".arki/config.json", "AGENTS.md", "docs/CLAUDE.md"] {
        let args = format!(r#"{{"path": "{path}", "content": "x"}}"#);
        decides(&stage, &["--tool", "write_file", "--args", &args], "approval", "builtin:protected-path");
        let args = format!(r#"{{"path": "{path}"}}"#);
        assert_eq!(judged(&stage, &["--tool", "read_file", "--args", &args])["decision"], "allow");
    }
    for (tool, args) in [("read_file", r#"{"path": ".env"}"#), ("run_command", r#"{"command": "cat .env"}"#)] {
        decides(&stage, &["--tool", tool, "--args", args], "approval", "builtin:secret-file");
    }
}

#[test]
fn the_defaults_of_the_categories_come_last() {
    let stage = stage(&Value::Null);
    let write = ["--tool", "write_file", "--args", r#"{"path": "a.txt", "content": "x"}"#];
    decides(&stage, &write, "preview", "category:write");
    decides(&stage, &["--tool", "read_file", "--args", r#"{"path": "a.txt"}"#], "allow", "category:read");
    decides(&stage, &["frobnicate --all"], "approval", "category:exec");
    assert_eq!(judged(&stage, &["rm -rf ."])["risk"], "high");
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
fn a_category_that_denies_denies() {
    let stage = stage(&json!({"policy": {"categories": {"exec": "deny"}}}));
    decides(&stage, &["ls"], "deny", "category:exec");
}

#[test]
fn checking_executes_nothing() {
    let stage = stage(&Value::Null);
    judged(&stage, &["touch made.txt"]);
    assert!(!stage.path("made.txt").exists() && stage.sessions().is_empty() && stage.model.requests().is_empty());
}

#[test]
fn building_and_testing_need_no_question_in_a_sandbox_only() {
    let stage = stage(&Value::Null);
    let (decision, rule) = if stage.has_sandbox() { ("allow", "builtin:build") } else { ("approval", "category:exec") };
    for line in ["cargo test -p x", "npm run build", "make -j4 test && cargo clippy", "timeout 60 pytest -q"] {
        decides(&stage, &[line], decision, rule);
    }
    decides(&stage, &["cargo test; rm -rf ."], "approval", "category:exec");
}

#[test]
fn a_search_below_a_folder_asks_only_where_there_is_a_secret() {
    let stage = stage(&Value::Null);
    stage.write("src/a.rs", "x");
    stage.write(".env", "KEY=1");
    decides(&stage, &["grep -rn x src"], "allow", "builtin:read-only");
    decides(&stage, &["rg x"], "allow", "builtin:read-only");
    decides(&stage, &["cat src/*.rs"], "allow", "builtin:read-only");
    decides(&stage, &["grep -rn x ."], "approval", "builtin:secret-file");
    decides(&stage, &["cd src && grep -rn x ."], "allow", "builtin:read-only");
    stage.write("src/tls.key", "x");
    decides(&stage, &["grep -rn x src"], "approval", "builtin:secret-file");
    decides(&stage, &["cat src/*"], "approval", "builtin:secret-file");
}

#[test]
fn a_compound_command_is_judged_by_what_is_in_it() {
    let stage = stage(&Value::Null);
    stage.write("src/a.rs", "x");
    stage.write("list", "src/a.rs\n");
    for line in [
        "(cd src && ls) && cat list",
        "{ ls; pwd; } | head",
        "if [ -f list ]; then cat list; else ls; fi",
        "while read -r f; do wc -l \"$f\"; done < list",
        "ls src/*.rs | while read -r f; do head -3 \"$f\"; done",
        "[ -z \"$CI\" ] && basename \"$PWD\"",
        "! grep -q y list && echo none",
    ] {
        decides(&stage, &[line], "allow", "builtin:read-only");
    }
    for line in [
        "(cd / && ls -R)",
        "(cd .. && cargo test)",
        "if rm -rf src; then ls; fi",
        "while read x; do $x; done < list",
        "while read -r f; do cat \"$f\"; done < list",
        "x=rm; $x list",
        "{ cat list; } | sh",
    ] {
        decides(&stage, &[line], "approval", "category:exec");
    }
}

#[test]
fn what_is_searched_for_is_no_file_of_secrets() {
    let stage = stage(&Value::Null);
    stage.write("f.json", "{}");
    for line in ["jq '.a.key' f.json", "grep -n '\\.env' f.json | head", "find . -name '*.pem'"] {
        decides(&stage, &[line], "allow", "builtin:read-only");
    }
    for line in ["jq . a.key", "grep -n x .env", "jq .key f.json | xargs cat"] {
        decides(&stage, &[line], "approval", "builtin:secret-file");
    }
}

#[test]
fn a_build_that_writes_over_what_no_build_made_is_asked_about() {
    let stage = stage(&Value::Null);
    if !stage.has_sandbox() {
        return;
    }
    for file in ["src/main.go", "README.md", "c.out", "dist/report.xml"] {
        stage.write(file, "x");
    }
    for line in [
        "go test -coverprofile=c.out ./...",
        "go test -coverprofile=new.out ./...",
        "go build -o bin/app ./cmd/app",
        "npx vitest run --outputFile=dist/report.xml",
        "pytest --junitxml build/report.xml",
    ] {
        decides(&stage, &[line], "allow", "builtin:build");
    }
    for line in [
        "go test -coverprofile=src/main.go ./...",
        "cd src && go test -coverprofile ../README.md",
        "go build -o src/main.go .",
        "npx vitest run --outputFile=README.md",
        "npx vitest run -u",
        "npx jest --updateSnapshot",
        "npm test -- -u",
        "pytest --junitxml=src/main.go",
        "go test -coverprofile=.github/workflows/ci.yml ./...",
    ] {
        decides(&stage, &[line], "approval", "category:exec");
    }
    decides(&stage, &["go test -coverprofile=AGENTS.md ./..."], "approval", "builtin:protected-path");
}

/// As where a container's user has its home elsewhere.
#[test]
fn the_projects_own_files_are_nobodys_home_wherever_it_lies() {
    let Ok(folder) = tempfile::tempdir_in("/root") else { return };
    let stage = stage(&Value::Null);
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
    let stage = calling("mkdir -p made", &Value::Null);
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
    let stage = calling("python3 -c 'print(1)'", &Value::Null);
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
    let stage = calling("touch made.txt", &Value::Null);
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
    let stage = calling(line, &Value::Null);
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

#[test]
fn a_rules_command_runs_only_in_folders_of_the_project_that_git_keeps() {
    let stage = with_rules(&json!([{"decision": "allow", "tool": "run_command", "command": ["mytool"]}]));
    for file in ["sub/deep/x", "ignored/x", "other/x", "other/.git/HEAD"] {
        stage.write(file, "");
    }
    stage.write(".gitignore", "ignored/\n");
    for line in ["cd sub && mytool", "cd sub/deep && mytool; ls", "(cd sub && mytool) | tail -1"] {
        decides(&stage, &[line], "allow", "config:rules[1]");
    }
    for line in
        ["cd ignored && mytool", "cd other && mytool", "cd .. && mytool", "cd /tmp && mytool", "cd gone; mytool"]
    {
        assert_eq!(judged(&stage, &[line])["decision"], "approval", "{line}");
    }
}

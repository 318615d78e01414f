//! What `--approve` grants, and what no grant covers.

use crate::harness::{Done, Stage, payload, payloads};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn calling(tool: &str, args: Value) -> Stage {
    Stage::new(vec![Turn::calls().call(tool, args), Turn::text("Done.")])
}

fn writing(path: &str) -> Stage {
    calling("write_file", json!({"path": path, "content": "new\n"}))
}

fn exec(stage: &Stage, approve: &str) -> Done {
    stage.exec(&["--approve", approve, "go"])
}

#[test]
fn writes_are_covered_by_edits_and_all() {
    for (approve, exit, written) in [("ask", 3, false), ("edits", 0, true), ("all", 0, true), ("never", 0, false)] {
        let stage = writing("src/a.txt");
        exec(&stage, approve).exits(exit);
        assert_eq!(stage.path("src/a.txt").exists(), written, "{approve}");
        assert_eq!(stage.inbox().len(), usize::from(exit == 3), "{approve}");
    }
}

#[test]
fn commands_are_covered_by_all_where_a_sandbox_holds_them() {
    for (approve, runs) in [("ask", false), ("edits", false), ("all", true), ("never", false)] {
        let stage = Stage::asking(vec![
            Turn::calls().call("run_command", json!({"command": "touch made.txt"})),
            Turn::text("Done."),
        ]);
        let runs = runs && stage.has_sandbox();
        let exit = if runs || approve == "never" { 0 } else { 3 };
        exec(&stage, approve).exits(exit);
        assert_eq!(stage.path("made.txt").exists(), runs, "{approve}");
    }
}

#[test]
fn never_turns_every_approval_into_a_rejection_that_the_model_is_told() {
    let stage = writing("a.txt");
    let events = exec(&stage, "never").exits(0).lines();
    let resolved = payload(&events, "approval.resolved");
    assert_eq!((&resolved["decision"], &resolved["resolvedBy"]), (&json!("reject"), &json!("approve:never")));
    assert!(stage.told().contains("Rejected"), "{}", stage.told());
    assert_eq!(payloads(&events, "run.paused"), Vec::<Value>::new());
}

#[test]
fn the_grant_holds_for_the_rest_of_the_run_after_an_approval() {
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", json!({"path": "AGENTS.md", "content": "be kind\n"})),
        Turn::calls().call("write_file", json!({"path": "a.txt", "content": "new\n"})),
        Turn::text("Done."),
    ]);
    exec(&stage, "edits").exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(stage.path("AGENTS.md").exists() && stage.path("a.txt").exists());
}

#[test]
fn protected_paths_ask_whatever_is_granted() {
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        ".arki/config.json",
        "AGENTS.md",
        "docs/CLAUDE.md",
        ".claude/settings.json",
        ".agents/skills/x/SKILL.md",
        ".GIT/config",
    ] {
        for approve in ["edits", "all"] {
            let stage = writing(path);
            let events = exec(&stage, approve).exits(3).lines();
            assert_eq!(payload(&events, "policy.decided")["rule"], "builtin:protected-path", "{path}");
            let before = (path == ".arki/config.json").then(|| stage.read(path));
            assert!(before.is_some() || !stage.path(path).exists(), "{path}");
            assert_ne!(before.as_deref(), Some("new\n"));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_inside_the_project_does_not_hide_what_it_leads_to() {
    for (target, rule) in [(".git/config", "builtin:protected-path"), (".env", "builtin:secret-file")] {
        let stage = writing("innocent.txt");
        stage.write(target, "old\n");
        std::os::unix::fs::symlink(stage.path(target), stage.path("innocent.txt")).unwrap();
        let done = exec(&stage, "all");
        assert_eq!(stage.read(target), "old\n");
        if done.code != Some(0) {
            assert_eq!(payload(&done.exits(3).lines(), "policy.decided")["rule"], rule);
        }
    }
}

#[test]
fn reading_a_protected_path_is_free() {
    let stage = calling("read_file", json!({"path": "AGENTS.md"}));
    stage.write("AGENTS.md", "be kind\n");
    stage.trust();
    exec(&stage, "never").exits(0);
    assert!(stage.told().contains("be kind"));
}

#[test]
fn any_touch_of_a_secret_file_asks_whatever_is_granted() {
    for (tool, args) in [
        ("read_file", json!({"path": ".env"})),
        ("write_file", json!({"path": ".env.local", "content": "new\n"})),
        ("read_file", json!({"path": "tls/server.key"})),
        ("edit_file", json!({"path": ".env", "edits": [{"old_text": "one", "new_text": "two"}]})),
        ("run_command", json!({"command": "cat .env"})),
        ("run_command", json!({"command": "cat < './.env'"})),
        ("run_command", json!({"command": "cp tls/server.key copy.txt"})),
    ] {
        let stage = calling(tool, args.clone());
        stage.write(".env", "TOP=one\n");
        stage.write("tls/server.key", "one\n");
        let events = exec(&stage, "all").exits(3).lines();
        let decided = payload(&events, "policy.decided");
        assert_eq!((&decided["rule"], &decided["risk"]), (&json!("builtin:secret-file"), &json!("high")), "{args}");
        assert_eq!(stage.read(".env"), "TOP=one\n");
        assert!(!stage.path(".env.local").exists() && !stage.path("copy.txt").exists());
        assert!(!String::from_utf8_lossy(&stage.model.requests()[0].body).contains("TOP=one"));
    }
}

#[test]
fn a_search_leaves_secret_files_out_and_says_so() {
    let stage = calling("search_files", json!({"pattern": "needle"}));
    stage.write(".env", "needle=one\n");
    stage.write("a.txt", "a needle\n");
    exec(&stage, "never").exits(0);
    let told = stage.told();
    assert!(told.contains("a.txt:1:a needle") && !told.contains("needle=one"), "{told}");
    assert!(told.contains("1 secret file was left out: .env"), "{told}");
}

#[test]
fn a_secret_file_is_read_once_the_user_has_agreed() {
    let stage = calling("read_file", json!({"path": ".env"}));
    stage.write(".env", "TOP=one\n");
    exec(&stage, "all").exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(stage.told().contains("TOP=one"));
}

#[test]
fn a_deny_rule_wins_over_every_grant() {
    let rules = json!({"rules": [
        {"decision": "deny", "command": ["git", "push"], "reason": "pushing is mine"},
        {"decision": "deny", "tool": "write_file", "path": "vendor/**"},
    ]});
    for (tool, args) in [
        ("run_command", json!({"command": "true && git push origin"})),
        ("write_file", json!({"path": "vendor/a.js", "content": "x"})),
    ] {
        let script = Script::new(vec![Turn::calls().call(tool, args), Turn::text("Understood.")]);
        let stage = Stage::configured(script, &json!({"policy": rules.clone()}));
        let events = exec(&stage, "all").exits(0).lines();
        assert_eq!(payload(&events, "policy.decided")["decision"], "deny");
        assert_eq!(payload(&events, "tool.result")["code"], "POLICY_DENIED");
        assert!(!stage.path("vendor").exists());
    }
}

#[test]
fn a_read_only_command_runs_unasked() {
    let stage = calling("run_command", json!({"command": "cat a.txt | wc -l"}));
    stage.write("a.txt", "one\ntwo\n");
    if stage.has_sandbox() {
        let events = exec(&stage, "ask").exits(0).lines();
        assert_eq!(payload(&events, "policy.decided")["rule"], "builtin:read-only");
        assert!(stage.told().contains("exit code 0\n2"), "{}", stage.told());
    }
}

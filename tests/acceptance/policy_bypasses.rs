//! Ways round the policy that a tester once found: each is closed, for each of its forms.

use crate::harness::{Stage, payloads};
use arki_testkit::{Script, Turn};
use serde_json::json;

fn judged(stage: &Stage, command: &str) -> (String, String) {
    let verdict = &stage.arki(&["policy", "check", command]).lines()[0];
    (verdict["decision"].as_str().unwrap().to_owned(), verdict["rule"].as_str().unwrap().to_owned())
}

#[test]
fn quotes_and_a_change_of_folder_hide_no_secret_file() {
    let stage = Stage::new(vec![]);
    stage.write(".env", "KEY=abc\n");
    stage.write("keys/tls.pem", "x\n");
    for line in [
        "cat .e\"nv\"",
        "cat '.e'nv",
        "rev .e''nv",
        "od -c ./\".\"env",
        "git show HEAD:.e\"nv\"",
        "cat prod.\"pem\"",
        "sh -c 'cat .e\"nv\"'",
        "cd .docker && cat config.json",
        "cd keys && cat tls.pem",
    ] {
        assert_eq!(judged(&stage, line), ("approval".into(), "builtin:secret-file".into()), "{line}");
    }
    assert_eq!(judged(&stage, "cat src/\"a\".rs").0, "allow");
}

#[test]
fn what_git_shows_of_secret_files_is_asked_about_where_git_keeps_one() {
    let stage = Stage::new(vec![]);
    std::fs::create_dir_all(stage.path(".git")).unwrap();
    stage.write("a.txt", "a\n");
    let shown =
        ["git grep foo", "git log -p", "git show HEAD", "git diff", "git stash show -p", "git cat-file -p HEAD"];
    for line in shown {
        assert_eq!(judged(&stage, line).0, "allow", "{line}");
    }
    stage.write("deploy/tls.key", "x\n");
    for line in shown {
        assert_eq!(judged(&stage, line).0, "approval", "{line}");
    }
    for line in ["git diff --stat", "git log --oneline", "git show --name-only HEAD", "git show HEAD:a.txt"] {
        assert_eq!(judged(&stage, line).0, "allow", "{line}");
    }
    stage.write(".gitignore", "deploy/\n");
    assert_eq!(judged(&stage, "git diff").0, "allow", "git does not keep it");
    assert_eq!(judged(&stage, "git diff --no-index a.txt deploy").0, "approval");
}

#[test]
fn the_network_is_asked_for_whatever_the_command_does() {
    let calls = ["ls", "getent hosts data.example", "cargo --version"];
    for command in calls {
        let call = Turn::calls().call("run_command", json!({"command": command, "network": true}));
        let stage = Stage::new(vec![call]);
        let args = json!({"command": command, "network": true}).to_string();
        let checked = stage.arki(&["policy", "check", "--tool", "run_command", "--args", &args, "--json"]).lines();
        assert_eq!(checked[0]["rule"], "category:network", "{command}");
        stage.exec(&["go"]).exits(3);
    }
}

#[test]
fn a_rule_that_denies_a_path_holds_for_every_way_to_it() {
    let policy = json!({"policy": {"rules": [{"decision": "deny", "path": "priv/**"}]}});
    let turns = vec![
        Turn::calls().call("search_files", json!({"pattern": "hidden"})),
        Turn::calls().call("list_directory", json!({"path": "priv"})),
        Turn::text("I see."),
    ];
    let stage = Stage::configured(Script::new(turns), &policy);
    stage.write("priv/w.txt", "hidden words\n");
    stage.write("open.txt", "nothing\n");
    let events = stage.exec(&["go"]).exits(0).lines();
    let results = payloads(&events, "tool.result");
    assert!(!results[0]["result"].as_str().unwrap().contains("hidden words"), "{}", results[0]);
    assert_eq!(results[1]["code"], "POLICY_DENIED");
    for line in ["cat priv/w.txt", "cat priv/\"w\".txt", "cd priv && cat w.txt", "head open.txt priv/w.txt"] {
        assert_eq!(judged(&stage, line).0, "deny", "{line}");
    }
    assert_eq!(judged(&stage, "grep -r hidden .").0, "approval");
    assert_eq!(judged(&stage, "cat open.txt").0, "allow");
}

#[test]
fn a_rule_that_cannot_mean_what_it_says_is_refused() {
    for (rule, word) in [
        (json!({"decision": "allow", "tool": "run_command", "command": []}), "neither a tool"),
        (json!({"decision": "deny", "tool": "run_comand"}), "run_command"),
    ] {
        let stage = Stage::untrusted(Script::new(vec![]), &json!({"policy": {"rules": [rule]}}));
        let told = stage.arki(&["policy", "check", "ls"]).fails(2, "CONFIG_INVALID");
        assert!(told.message.contains(word), "{}", told.message);
    }
}

#[test]
fn what_is_not_understood_is_asked_about_though_all_commands_are_allowed() {
    let policy = json!({"policy": {"categories": {"exec": "allow"}}});
    let stage = Stage::configured(Script::new(vec![]), &policy);
    assert_eq!(judged(&stage, "touch x").0, "allow");
    assert_eq!(judged(&stage, "echo $(touch x)"), ("approval".into(), "builtin:not-understood".into()));
}

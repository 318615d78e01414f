//! Ways round the policy that a tester once found: each is closed, for each of its forms.

use crate::harness::{Stage, payloads};
use arki_testkit::{Script, Turn};
use serde_json::json;

fn judged(stage: &Stage, command: &str) -> (String, String) {
    let verdict = &stage.arki(&["policy", "check", "--json", command]).lines()[0];
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
    let shown = [
        "git grep foo",
        "git log -p",
        "git log --check",
        "git show HEAD",
        "git show :/first",
        "git show 'HEAD^{/first:}'",
        "git diff",
        "git diff --check",
        "git stash show -p",
        "git stash list -p",
        "git cat-file -p HEAD",
    ];
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
    for line in ["git diff --no-index a.txt deploy", "git diff /tmp deploy", "git status -v", "git blame d*/*.key"] {
        assert_eq!(judged(&stage, line).0, "approval", "{line}");
    }
}

#[test]
fn no_pattern_and_no_option_hides_a_secret_file() {
    let stage = Stage::new(vec![]);
    for file in ["id_rsa", "deploy.pem", ".env", "keys/tls.key", "keys/k.json", "src/a.rs", "src/k.json", "notes.txt"] {
        stage.write(file, "x\n");
    }
    for line in [
        "cat [[:alpha:]]d_rsa",
        "cat d?ploy.p[[:lower:]]m",
        "cat de*[[:punct:]]pem",
        "cat d[a-z]ploy.pem",
        "cat .e[[:alpha:]]v",
        "cat ./{.,x}env",
        "cat d{eploy,x}.pem",
        "head k[[:alpha:]]ys/*",
        "grep -r x k*",
        "rg x k[e]ys",
        "diff src keys",
        "diff src/k.json keys",
        "xargs -aid_rsa echo",
        "xargs -a.env echo",
        "ls | xargs -I% cat %",
        "ls -A | xargs -i% cat %",
        "echo rsa | xargs -I@ cat id_@",
        "cd -P keys && cat tls.key",
        "cd -- keys && cat tls.key",
        "jq -n 'import \"./secrets\" as $d; $d'",
    ] {
        assert_eq!(judged(&stage, line).0, "approval", "{line}");
    }
    for line in ["cat n*.txt", "grep -r x sr*", "cat s{rc,ub}/*", "diff src/a.rs notes.txt", "cat [mn]otes.txt"] {
        assert_eq!(judged(&stage, line).0, "allow", "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_hides_no_secret_file() {
    use std::os::unix::fs::symlink;
    let stage = Stage::configured(Script::new(vec![]), &json!({"policy": {"secretFiles": ["keys/"]}}));
    stage.write("keys/k.txt", "x\n");
    stage.write("sub/x.txt", "x\n");
    let project = stage.path("").canonicalize().unwrap();
    let name = project.file_name().unwrap().to_str().unwrap();
    symlink("..", stage.path("sub/up")).unwrap();
    symlink("../..", stage.path("sub/upup")).unwrap();
    symlink("../keys", stage.path("sub/opaque")).unwrap();
    for line in [
        "cat sub/up/k*/*",
        "cat sub/up/keys/*",
        "cat sub/opaque/*",
        "cat sub/opaque/k.txt",
        "grep -r x sub/opaque",
        "rg -L x sub",
        "find -L sub -type f -exec cat {} +",
        "cd sub/opaque && cat k.txt",
        "cd sub/opaque && cat *",
        &format!("cat sub/upup/{name}/keys/k.txt"),
        &format!("cd sub/upup && cat {name}/keys/k.txt"),
        &format!("cd sub/upup/{name} && cat k*/*"),
        "cat sub/opaque/../keys/k.txt",
    ] {
        assert_eq!(judged(&stage, line).0, "approval", "{line}");
    }
    for line in ["cat sub/up/sub/x.txt", "cat sub/*.txt", "cat sub/up/sub/*.txt", "grep -r x sub"] {
        assert_eq!(judged(&stage, line).0, "allow", "{line}");
    }
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

#[cfg(unix)]
#[test]
fn a_rule_about_a_path_holds_for_every_link_to_it() {
    let policy = json!({"policy": {"rules": [
        {"decision": "deny", "path": "priv/**"},
        {"decision": "allow", "tool": "write_file", "path": "docs/**"},
    ]}});
    let stage = Stage::configured(Script::new(vec![]), &policy);
    stage.write("priv/w.txt", "hidden\n");
    stage.write("src/a.rs", "a\n");
    stage.write("docs/x.md", "x\n");
    stage.write("sub/x", "x\n");
    for (target, link) in [("../priv", "sub/pl"), ("..", "sub/up"), ("../src", "docs/s")] {
        std::os::unix::fs::symlink(target, stage.path(link)).unwrap();
    }
    let decided = |tool: &str, args: serde_json::Value| {
        let args = args.to_string();
        let lines = stage.arki(&["policy", "check", "--tool", tool, "--args", &args, "--json"]).lines();
        lines[0]["decision"].as_str().unwrap().to_owned()
    };
    for path in ["priv/w.txt", "sub/pl/w.txt", "sub/up/priv/w.txt", "sub/pl/new.txt"] {
        assert_eq!(decided("read_file", json!({"path": path})), "deny", "{path}");
        assert_eq!(decided("write_file", json!({"path": path, "content": "x"})), "deny", "{path}");
        assert_eq!(decided("delete_file", json!({"path": path})), "deny", "{path}");
    }
    for line in ["cat sub/pl/w.txt", "cat sub/up/priv/w.txt", "cd sub/pl && cat w.txt", "rg hidden sub/pl"] {
        assert_eq!(judged(&stage, line).0, "deny", "{line}");
    }
    assert_eq!(decided("write_file", json!({"path": "docs/x.md", "content": "x"})), "allow");
    assert_ne!(decided("write_file", json!({"path": "docs/s/a.rs", "content": "x"})), "allow");
    assert_eq!(decided("read_file", json!({"path": "sub/up/src/a.rs"})), "allow");
}

#[test]
fn a_rule_that_cannot_mean_what_it_says_is_refused() {
    for (rule, word) in [
        (json!({"decision": "allow", "tool": "run_command", "command": []}), "has no tool"),
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

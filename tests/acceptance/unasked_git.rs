//! Git that only reads runs nobody's program, whatever repository it comes by.
#![cfg(unix)]

use crate::harness::{Stage, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::process::Command;

fn git(stage: &Stage, folder: &str, line: &str) {
    let done = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e"])
        .args(line.split(' '))
        .current_dir(stage.path(folder))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository in an ignored folder, which the index has as a gitlink, and whose configuration names programs that print
/// a secret file.
fn nested(turns: Vec<Turn>) -> Stage {
    let stage = Stage::new(turns);
    for folder in [".", "vendor/lib"] {
        stage.write(&format!("{folder}/a.txt"), "one\n");
        git(&stage, folder, "init -q .");
    }
    stage.write(".gitignore", ".env\nvendor\n*.sh\n");
    stage.write("vendor/lib/.gitattributes", "* filter=f diff=d\n");
    stage.write(".env", "PIN=TOPSECRETVALUE\n");
    for folder in ["vendor/lib", ""] {
        git(&stage, folder, "add -f a.txt");
        git(&stage, folder, "commit -qm one");
    }
    git(&stage, "", "add -f vendor/lib");
    git(&stage, "", "commit -qm two");
    let root = stage.path("");
    let program = stage
        .write("p.sh", format!("#!/bin/sh\nrev {0}/.env >&2\nrev {0}/.env\necho $0 ran >&2\ncat\n", root.display()));
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for key in ["core.fsmonitor", "filter.f.clean", "diff.d.textconv", "diff.d.command", "diff.external"] {
        for folder in ["", "vendor/lib"] {
            git(&stage, folder, &format!("config {key} {}", program.display()));
        }
    }
    for folder in [".", "vendor/lib"] {
        stage.write(&format!("{folder}/a.txt"), "two\n");
    }
    stage.trust();
    stage
}

fn is_clean(told: &str) -> bool {
    !told.contains("EULAVTERCES") && !told.contains("p.sh ran")
}

#[test]
fn a_command_that_reads_runs_none() {
    let lines = ["git status --short", "git diff", "git log -p --stat", "git blame a.txt", "git diff --submodule=diff"];
    for line in lines {
        let stage = nested(vec![Turn::calls().call("run_command", json!({"command": line})), Turn::text("Done.")]);
        if !stage.has_sandbox() {
            return;
        }
        stage.exec(&["--approve", "never", "go"]).exits(0);
        let told = stage.told();
        assert!(told.contains("exit code 0") && is_clean(&told), "{line}: {told}");
    }
}

#[test]
fn a_mention_runs_none() {
    let stage = nested(vec![Turn::text("Done.")]);
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["look at @diff"]).exits(0);
    let sent: String = stage.messages().iter().map(|message| text(&message["content"])).collect();
    assert!(sent.contains("+two") && is_clean(&sent), "{sent}");
}

#[test]
fn what_arki_has_set_is_not_taken_away_again() {
    let stage = nested(vec![]);
    for line in [
        "env -i git status",
        "env -u GIT_CONFIG_COUNT git status",
        "env --unset=GIT_CONFIG_COUNT git diff",
        "GIT_CONFIG_COUNT=0 git status",
    ] {
        let verdict = &stage.arki(&["policy", "check", "--json", line]).lines()[0];
        assert_ne!(verdict["decision"], "allow", "{line}");
    }
}

#[test]
fn a_repository_outside_that_does_not_link_back_is_asked_about_and_told_at_trust() {
    let stage = Stage::untrusted(Script::new(vec![]), &Value::Null);
    stage.write("../other/a.txt", "one\n");
    stage.write("a.txt", "one\n");
    git(&stage, "../other", "init -q .");
    git(&stage, "../other", "add .");
    git(&stage, "../other", "commit -qm one");
    stage.write(".git", "gitdir: ../other/.git\n");
    let shown = stage.arki(&["trust", "--show"]).exits(0);
    assert!(shown.stdout.contains("other/.git, outside the folder"), "{}", shown.stdout);
    stage.trust();
    let judged = |line: &str| stage.arki(&["policy", "check", "--json", line]).lines()[0]["decision"].clone();
    for line in ["git log", "git status", "git show HEAD:a.txt", "git diff"] {
        assert_eq!(judged(line), "approval", "{line}");
    }
    std::fs::remove_file(stage.path(".git")).unwrap();
    let linked = stage.path("linked").display().to_string();
    git(&stage, "../other", &format!("worktree add -q {linked}"));
    let linked = stage.arki(&["trust", "--show", &linked]).exits(0);
    assert!(!linked.stdout.contains("outside the folder"), "{}", linked.stdout);
}

//! A session in a worktree of its own: made beside the project, committed in by approved commands, brought back, removed.

use crate::harness::{Stage, payload, payloads};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

fn git(stage: &Stage, line: &str) -> String {
    let mut command = Command::new("git");
    command.args(line.split(' ')).envs(&stage.home.env).current_dir(stage.home.project_dir());
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {line}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A trusted repository with one commit, a rule and a change that isn't committed.
fn repository(lines: &[&str]) -> Stage {
    let call = |line: &&str| Turn::calls().call("run_command", json!({"command": line}));
    let turns: Vec<Turn> = lines.iter().map(call).chain([Turn::text("Done.")]).collect();
    let stage = Stage::untrusted(Script::new(turns), &Value::Null);
    git(&stage, "init -q -b main .");
    git(&stage, "config user.name me");
    git(&stage, "config user.email me@example.org");
    stage.write("a.txt", "one\n");
    stage.write("AGENTS.md", "Commit often.\n");
    git(&stage, "add -A");
    git(&stage, "commit -q -m first");
    stage.write("a.txt", "one\nmine\n");
    // So that one sees whether git's own pins are taken for changes.
    git(&stage, "config alias.st status");
    stage.trust();
    stage
}

fn tree(stage: &Stage, name: &str) -> PathBuf {
    let project = stage.home.project_dir().canonicalize().unwrap();
    let mut all = project.file_name().unwrap().to_owned();
    all.push(".worktrees");
    project.with_file_name(all).join(name)
}

const EDIT: &str = "echo two > b.txt";
/// Only a line of git's own commands may write the git directory.
const COMMIT: &str = "git add -A && git commit -q -m second";

#[test]
fn a_session_commits_in_its_worktree_and_the_branch_is_brought_back() {
    let stage = repository(&[EDIT, COMMIT]);
    if !stage.has_sandbox() {
        return;
    }
    let added = stage.arki(&["worktrees", "add", "feature/x", "--json"]).exits(0).lines();
    let folder = tree(&stage, "feature-x");
    assert_eq!(added[0]["folder"], folder.display().to_string());
    assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "one\nmine\n");
    let place = folder.display().to_string();
    let shown = stage.arki(&["trust", "--show", &place]).exits(0);
    assert!(shown.stdout.contains("is trusted.") && !shown.stdout.contains("since you trusted"), "{}", shown.stdout);

    // The commit waits for its approval like any command, and works once it has it.
    let events = stage.exec(&["go", "--worktree", "feature/x"]).exits(3).lines();
    let created = payload(&events, "session.created");
    assert_eq!(created["project"], place.as_str());
    assert_eq!(created["worktree"]["branch"], "feature/x");
    assert!(stage.system_prompt().contains("Commit often."), "the rules hold there");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    let results = payloads(&stage.log(), "tool.result");
    assert!(results.iter().all(|result| result["isError"] == false), "{results:?}");
    assert!(!stage.path("b.txt").exists(), "the project is as it was");
    let listed = stage.arki(&["worktrees", "list", "--json"]).exits(0).lines();
    assert_eq!((&listed[0]["branch"], &listed[0]["hasNewCommits"]), (&json!("feature/x"), &json!(true)));

    stage.arki(&["worktrees", "rm", "feature/x"]).fails(1, "WORKTREE_UNSAVED");
    let brought = stage.arki(&["worktrees", "bring", "feature/x", "--json"]).exits(0).lines();
    assert_eq!(brought[0]["commits"], 1);
    assert_eq!(git(&stage, "log -1 --format=%s%n%an feature/x"), "second\nme");
    assert_eq!(git(&stage, "symbolic-ref HEAD"), "refs/heads/main");
    stage.arki(&["worktrees", "bring", "feature/x"]).fails(1, "WORKTREE_UNCHANGED");

    stage.arki(&["worktrees", "rm", "feature/x"]).exits(0);
    assert!(!folder.exists());
    assert!(stage.arki(&["worktrees", "list", "--json"]).exits(0).lines().is_empty());
    std::fs::create_dir_all(&folder).unwrap();
    assert!(
        stage.arki(&["trust", "--show", &place]).exits(0).stdout.contains("is not trusted"),
        "another folder there"
    );

    std::fs::remove_dir(&folder).unwrap();
    stage.arki(&["worktrees", "add", "feature/x"]).exits(0);
    assert_eq!(std::fs::read_to_string(folder.join("b.txt")).unwrap(), "two\n", "the branch goes on");
    stage.arki(&["worktrees", "add", "main"]).fails(1, "BRANCH_CHECKED_OUT");
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn what_a_session_left_in_its_repository_is_not_run_when_the_branch_is_brought() {
    let stage = repository(&[EDIT, COMMIT]);
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["go", "--worktree", "x", "--approve", "all"]).exits(0);
    let folder = tree(&stage, "x");
    let program = folder.with_file_name("evil");
    std::fs::write(&program, "#!/bin/sh\ntouch \"$(dirname \"$0\")/mark\"\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = program.display();
    let config = format!(
        "[uploadpack]\n\tpackObjectsHook = {program}\n[core]\n\tfsmonitor = {program}\n\tsshCommand = {program}\n\
         [extensions]\n\tpartialClone = evil\n[remote \"evil\"]\n\turl = /x\n\tuploadpack = {program}\n\tpromisor = true\n"
    );
    let file = folder.join(".git/config");
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + &config).unwrap();
    std::fs::create_dir_all(folder.join(".git/objects/info")).unwrap();
    std::fs::write(folder.join(".git/objects/info/alternates"), "/etc\n").unwrap();
    stage.arki(&["worktrees", "bring", "x"]).fails(1, "WORKTREE_UNAVAILABLE");
    std::fs::remove_file(folder.join(".git/objects/info/alternates")).unwrap();
    stage.arki(&["worktrees", "bring", "x"]).exits(0);
    assert_eq!(git(&stage, "log -1 --format=%s x"), "second");
    assert!(!folder.with_file_name("mark").exists());
}

#[test]
fn work_is_removed_only_when_that_is_asked_for() {
    let stage = repository(&[]);
    stage.arki(&["worktrees", "add", "x"]).exits(0);
    let refused = stage.arki(&["worktrees", "rm", "x"]).fails(1, "WORKTREE_UNSAVED");
    assert!(refused.hint.contains("--force"), "{}", refused.hint);
    assert!(tree(&stage, "x").exists());
    stage.arki(&["worktrees", "rm", "x", "--force"]).exits(0);
    assert!(!tree(&stage, "x").exists());
    stage.arki(&["worktrees", "rm", "x"]).fails(2, "WORKTREE_GONE");
}

#[test]
fn names_that_lead_elsewhere_are_no_branches() {
    let stage = repository(&[]);
    let long = "x".repeat(300);
    for name in ["--upload-pack=x", "../x", "-", "a/../../b", "a b", &long] {
        stage.arki(&["worktrees", "add", name]).fails(2, "BRANCH_NAME_INVALID");
        stage.exec(&["go", &format!("--worktree={name}")]).fails(2, "BRANCH_NAME_INVALID");
    }
    #[cfg(unix)]
    {
        let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff");
        let refused = stage.command(&["worktrees", "add"]).arg(name).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
    assert!(!tree(&stage, "x").parent().unwrap().exists());
}

#[test]
fn only_a_trusted_repository_has_worktrees() {
    let stage = repository(&[]);
    stage.arki(&["untrust"]).exits(0);
    let code = |args: &[&str]| stage.arki(args).error().code;
    assert_eq!(code(&["worktrees", "add", "x"]), "UNTRUSTED");
    stage.trust();
    std::fs::rename(stage.path(".git"), stage.path("no.git")).unwrap();
    assert_eq!(code(&["worktrees", "add", "x"]), "WORKTREE_UNAVAILABLE");
    assert!(!tree(&stage, "x").exists());
}

#[test]
fn a_worktree_whose_making_was_cut_off_is_removed_at_the_next_start() {
    let stage = repository(&[EDIT]);
    if !stage.has_sandbox() {
        return;
    }
    stage.arki(&["worktrees", "add", "cut"]).exits(0);
    // As a kill leaves it: noted, with a part of the files, and half a note beside.
    let notes = stage.home.data_dir().join("session-worktrees");
    let note =
        std::fs::read_dir(&notes).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_file()).unwrap();
    let text = std::fs::read_to_string(&note).unwrap();
    assert!(text.contains("\"isMade\":true"), "{text}");
    std::fs::write(&note, text.replace("\"isMade\":true", "\"isMade\":false")).unwrap();
    std::fs::write(notes.join(".arki-new-abcdef"), "half").unwrap();
    std::fs::write(tree(&stage, "cut").join("half.txt"), "half").unwrap();
    stage.arki(&["models"]).exits(0);
    assert!(!tree(&stage, "cut").exists() && !notes.join(".arki-new-abcdef").exists());
    assert!(stage.arki(&["worktrees", "list", "--json"]).exits(0).lines().is_empty());
    stage.exec(&["go", "--worktree", "cut", "--approve", "all"]).exits(0);
    assert!(!tree(&stage, "cut").join("half.txt").exists());
}

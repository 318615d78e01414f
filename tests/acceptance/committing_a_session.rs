//! `arki sessions commit`: what a session changed, and nothing of the user's.
#![cfg(unix)]

use crate::harness::{Stage, payload, text};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::process::Command;

fn git(stage: &Stage, args: &[&str]) -> String {
    let mut command = Command::new("git");
    let done = command.args(args).current_dir(stage.path("")).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn lines(changed: &[(usize, &str)]) -> String {
    (1..=20)
        .map(|number| {
            let own = changed.iter().find(|(line, _)| *line == number);
            own.map_or_else(|| format!("line {number}\n"), |(_, text)| format!("{text}\n"))
        })
        .collect()
}

fn edit(path: &str, old: &str, new: &str) -> Turn {
    let edits = json!([{"old_text": format!("{old}\n"), "new_text": format!("{new}\n")}]);
    Turn::calls().call("edit_file", json!({"path": path, "edits": edits}))
}

/// A repository with `a.txt` and `b.txt` committed; the user has changed line 15 of `a.txt` and staged one of `b.txt`.
fn stage(turns: Vec<Turn>) -> Stage {
    let stage = Stage::of(Script::new(turns).sequential());
    git(&stage, &["init", "-q", "-b", "main"]);
    for (key, value) in [("user.name", "me"), ("user.email", "me@example.org")] {
        git(&stage, &["config", key, value]);
    }
    stage.write("a.txt", lines(&[]));
    stage.write("b.txt", lines(&[]));
    git(&stage, &["add", "a.txt", "b.txt"]);
    git(&stage, &["commit", "-qm", "first"]);
    stage.write("a.txt", lines(&[(15, "mine")]));
    stage.write("b.txt", lines(&[(15, "staged")]));
    git(&stage, &["add", "b.txt"]);
    stage.trust();
    stage
}

#[test]
fn a_sessions_changes_are_committed_and_the_users_own_stay_as_they_are() {
    let new = Turn::calls().call("write_file", json!({"path": "new/c.txt", "content": "new\n"}));
    let turns = vec![edit("a.txt", "line 2", "TWO"), edit("b.txt", "line 2", "TWO"), new, Turn::text("Done.")];
    let stage = stage(turns);
    stage.exec(&["--approve", "edits", "rename it"]).exits(0);
    let planned = stage.arki(&["sessions", "commit", "last", "--dry-run"]).exits(0).stdout;
    assert!(planned.contains("+1 -1") && planned.contains("new/c.txt"), "{planned}");
    stage.arki(&["sessions", "commit", "last", "-m", "Rename it"]).exits(0);
    assert_eq!(git(&stage, &["log", "--format=%an %s"]), "me Rename it\nme first\n");
    assert_eq!(git(&stage, &["show", "HEAD:a.txt"]), lines(&[(2, "TWO")]));
    assert_eq!(git(&stage, &["show", "HEAD:b.txt"]), lines(&[(2, "TWO")]));
    assert_eq!(git(&stage, &["show", "HEAD:new/c.txt"]), "new\n");
    assert_eq!(stage.read("a.txt"), lines(&[(2, "TWO"), (15, "mine")]));
    assert_eq!(git(&stage, &["status", "--porcelain", "-uno"]), " M a.txt\nM  b.txt\n");
    assert_eq!(git(&stage, &["show", ":b.txt"]), lines(&[(2, "TWO"), (15, "staged")]));
    let told = payload(&stage.log(), "changes.committed");
    assert_eq!((&told["message"], &told["files"]), (&json!("Rename it"), &json!(["a.txt", "b.txt", "new/c.txt"])));
    let nothing = stage.arki(&["sessions", "commit", "last", "-m", "again"]).exits(1);
    assert!(nothing.stderr.contains("NOTHING_TO_COMMIT"), "{}", nothing.stderr);
}

#[test]
fn what_is_changed_after_a_commit_is_the_next_one() {
    let stage = stage(vec![
        edit("a.txt", "line 2", "TWO"),
        Turn::text("Done."),
        edit("a.txt", "TWO", "zwei"),
        Turn::text("Done again."),
    ]);
    let events = stage.exec(&["--approve", "edits", "in English"]).exits(0).lines();
    stage.arki(&["sessions", "commit", "last", "-m", "English"]).exits(0);
    stage.exec(&["--approve", "edits", "--session", &text(&events[0]["sessionId"]), "in German"]).exits(0);
    stage.arki(&["sessions", "commit", "last", "-m", "German"]).exits(0);
    assert_eq!(git(&stage, &["log", "--format=%s"]), "German\nEnglish\nfirst\n");
    assert_eq!(git(&stage, &["show", "HEAD:a.txt"]), lines(&[(2, "zwei")]));
}

#[test]
fn lines_that_the_user_changed_too_are_left_out_with_words() {
    let stage = stage(vec![edit("a.txt", "mine", "ours"), edit("b.txt", "line 2", "TWO"), Turn::text("Done.")]);
    stage.exec(&["--approve", "edits", "go"]).exits(0);
    let done = stage.arki(&["sessions", "commit", "last", "-m", "go"]).exits(0);
    assert!(done.stderr.contains("Left out: a.txt"), "{}", done.stderr);
    assert_eq!(git(&stage, &["show", "HEAD:a.txt"]), lines(&[]));
    assert_eq!(git(&stage, &["show", "HEAD:b.txt"]), lines(&[(2, "TWO")]));
}

#[test]
fn without_a_repository_or_in_the_middle_of_a_merge_nothing_is_committed() {
    let stage = stage(vec![edit("a.txt", "line 2", "TWO"), Turn::text("Done.")]);
    stage.exec(&["--approve", "edits", "go"]).exits(0);
    stage.write(".git/MERGE_HEAD", git(&stage, &["rev-parse", "HEAD"]));
    let refused = stage.arki(&["sessions", "commit", "last"]).exits(1);
    assert!(refused.stderr.contains("COMMIT_UNAVAILABLE"), "{}", refused.stderr);
    std::fs::rename(stage.path(".git"), stage.path("../elsewhere")).unwrap();
    let refused = stage.arki(&["sessions", "commit", "last"]).exits(1);
    assert!(refused.stderr.contains("not in a git repository"), "{}", refused.stderr);
}

#[test]
fn a_file_in_conflict_and_what_is_ignored_or_filtered_are_left_out() {
    let write = |path: &str| Turn::calls().call("write_file", json!({"path": path, "content": "new\n"}));
    let turns = vec![
        write("out/ignored.txt"),
        write("big.bin"),
        edit("b.txt", "line 2", "TWO"),
        edit("a.txt", "line 2", "TWO"),
    ];
    let stage = stage(turns.into_iter().chain([Turn::text("Done.")]).collect());
    stage.write(".gitignore", "out/\n");
    stage.write(".gitattributes", "*.bin filter=lfs\n");
    stage.exec(&["--approve", "edits", "go"]).exits(0);
    let blob = git(&stage, &["rev-parse", "HEAD:b.txt"]);
    let sides: String = (1..=3).map(|side| format!("100644 {} {side}\tb.txt\n", blob.trim())).collect();
    git(&stage, &["update-index", "--force-remove", "b.txt"]);
    stage.write("sides", sides);
    let shell =
        Command::new("sh").args(["-c", "git update-index --index-info < sides"]).current_dir(stage.path("")).status();
    assert!(shell.unwrap().success());
    let done = stage.arki(&["sessions", "commit", "last", "-m", "go"]).exits(0);
    for path in ["b.txt", "big.bin", "out/ignored.txt"] {
        assert!(done.stderr.contains(&format!("Left out: {path}")), "{path}: {}", done.stderr);
    }
    assert_eq!(git(&stage, &["show", "--format=", "--name-only", "HEAD"]), "a.txt\n");
    assert_eq!(git(&stage, &["ls-files", "--unmerged"]).lines().count(), 3);
}

#[test]
fn a_project_below_its_repository_commits_its_own_files_alone() {
    let stage = Stage::new(vec![edit("a.txt", "line 2", "TWO"), Turn::text("Done.")]);
    stage.write("a.txt", lines(&[]));
    let above = stage.path("").parent().unwrap().to_owned();
    let name = stage.path("").file_name().unwrap().to_str().unwrap().to_owned();
    let at_root = |args: &[&str]| git(&stage, &[&["-C", above.to_str().unwrap()], args].concat());
    at_root(&["init", "-q", "-b", "main"]);
    at_root(&["config", "user.name", "me"]);
    at_root(&["config", "user.email", "me@example.org"]);
    at_root(&["add", &format!("{name}/a.txt")]);
    at_root(&["commit", "-qm", "first"]);
    stage.trust();
    stage.exec(&["--approve", "edits", "go"]).exits(0);
    stage.arki(&["sessions", "commit", "last", "-m", "go"]).exits(0);
    assert_eq!(at_root(&["show", &format!("HEAD:{name}/a.txt")]), lines(&[(2, "TWO")]));
    assert_eq!(at_root(&["status", "--porcelain", "-uno"]), "");
}

#[test]
fn git_is_not_run_in_a_worktree_of_a_session() {
    let stage = stage(vec![edit("a.txt", "line 2", "TWO"), Turn::text("Done.")]);
    let events = stage.exec(&["go", "--worktree", "side", "--approve", "edits"]).exits(0).lines();
    let session = text(&events[0]["sessionId"]);
    let refused = stage.arki(&["sessions", "commit", &session]).exits(1);
    assert!(refused.stderr.contains("COMMIT_UNAVAILABLE") && refused.stderr.contains("worktree"), "{}", refused.stderr);
}

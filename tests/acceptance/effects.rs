//! What a command changes in its view is reviewed before it lands: nothing of it is in the project before the decision,
//! and then exactly what was accepted.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn, kinds};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

fn running(command: &str) -> Stage {
    let turns = vec![Turn::calls().call("run_command", json!({"command": command})), Turn::text("Done.")];
    Stage::configured(Script::new(turns), &json!({"policy": {"categories": {"exec": "review"}}}))
}

/// Stopped at the review of what the command changed.
fn reviewed(stage: &Stage) -> Value {
    stage.exec(&["go"]).exits(3);
    let requested = payload(&stage.log(), "approval.requested");
    assert_eq!(requested["kind"], "effects", "{requested}");
    requested
}

const FORTY: &str = "for n in $(seq 1 40); do echo line $n; done > long.txt";

#[test]
fn a_command_runs_unasked_and_what_it_changed_waits_for_a_review() {
    let stage = running("sed -i 's/one/two/' a.txt && rm gone.txt && echo new > made.txt && cat a.txt");
    stage.write("a.txt", "one\n");
    stage.write("gone.txt", "gone\n");
    let requested = reviewed(&stage);
    assert_eq!((stage.read("a.txt"), stage.read("gone.txt")), ("one\n".to_owned(), "gone\n".to_owned()));
    assert!(!stage.path("made.txt").exists(), "it landed before the decision");
    assert_eq!(requested["toolId"], "run_command");
    assert_eq!(requested["preview"]["filesAffected"], json!(["a.txt", "gone.txt", "made.txt"]));
    let log = stage.log();
    let of_call: Vec<&str> = kinds(&log).into_iter().filter(|kind| !kind.starts_with("engine.")).collect();
    let of_call = of_call.join(" ");
    assert!(
        of_call.ends_with("policy.decided command.ended policy.decided approval.requested run.paused"),
        "{of_call}"
    );
    assert_eq!(payloads(&log, "policy.decided")[0]["decision"], "review");
    let shown = stage.arki(&["approvals", "show", &stage.waiting()]).exits(0).stdout;
    for line in ["$ sed -i", "+two", "[hunk 1]"] {
        assert!(shown.contains(line), "{line} is missing in {shown}");
    }
    stage.arki(&["approvals", "approve", "--json"]).exits(0);
    assert_eq!((stage.read("a.txt"), stage.read("made.txt")), ("two\n".to_owned(), "new\n".to_owned()));
    assert!(!stage.path("gone.txt").exists());
    let told = stage.told();
    assert!(told.starts_with("exit code 0\ntwo\n") && told.contains("3 files changed"), "{told}");
    assert_eq!(payloads(&stage.log(), "file.changed").len(), 3);
    stage.verifies();
}

#[test]
fn what_is_rejected_never_existed_and_the_model_is_told_so() {
    let stage = running("echo x > made.txt; exit 3");
    reviewed(&stage);
    stage.arki(&["approvals", "reject", "--note", "not there"]).exits(0);
    assert!(!stage.path("made.txt").exists());
    let told = stage.told();
    assert!(told.starts_with("exit code 3\n") && told.contains("rejected") && told.contains("not there"), "{told}");
    assert_eq!(payloads(&stage.log(), "file.changed"), Vec::<Value>::new());
    stage.verifies();
}

#[test]
fn single_hunks_land_and_the_rest_does_not() {
    let stage = running("sed -i -e 's/^line 5$/FIVE/' -e 's/^line 35$/THIRTY-FIVE/' long.txt");
    let before: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    stage.write("long.txt", &before);
    reviewed(&stage);
    stage.arki(&["approvals", "approve", "--hunks", "2", "--json"]).exits(0);
    assert_eq!(stage.read("long.txt"), before.replace("line 35\n", "THIRTY-FIVE\n"));
    assert!(stage.told().contains("The user rejected 1 hunk"), "{}", stage.told());
}

#[test]
fn a_command_that_changes_nothing_asks_nothing() {
    for command in ["true", "grep -c x a.txt", "touch a.txt", "echo x > \"$TMPDIR/x\"", "echo same > a.txt"] {
        let stage = running(command);
        stage.write("a.txt", "same\n");
        stage.exec(&["go"]).exits(0);
        assert_eq!(payloads(&stage.log(), "approval.requested"), Vec::<Value>::new(), "{command}");
        assert_eq!(stage.read("a.txt"), "same\n");
    }
}

#[test]
fn modes_links_and_binaries_land_as_they_are() {
    let stage = running("chmod +x run.sh && ln -s run.sh link && printf '\\0\\1' > data.bin && mkdir empty");
    stage.write("run.sh", "#!/bin/sh\n");
    reviewed(&stage);
    stage.arki(&["approvals", "approve"]).exits(0);
    assert_ne!(stage.path("run.sh").metadata().unwrap().permissions().mode() & 0o111, 0);
    assert_eq!(stage.path("link").read_link().unwrap().to_str(), Some("run.sh"));
    assert_eq!(std::fs::read(stage.path("data.bin")).unwrap(), [0, 1]);
    assert!(stage.path("empty").is_dir());
}

#[test]
fn what_the_user_changes_meanwhile_is_never_lost() {
    let stage = running("sed -i 's/^line 5$/FIVE/' long.txt");
    let before: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    stage.write("long.txt", &before);
    reviewed(&stage);
    let theirs = before.replace("line 6\n", "mine\n");
    stage.write("long.txt", &theirs);
    let first = stage.waiting();
    stage.arki(&["approvals", "approve", "--json"]).exits(3);
    assert_eq!(stage.read("long.txt"), theirs, "it wrote what was not shown");
    let again = stage.waiting();
    assert_ne!(first, again);
    assert_eq!(payloads(&stage.log(), "approval.requested")[1]["supersedes"], first);
    stage.arki(&["approvals", "approve", "--json"]).exits(0);
    assert_eq!(stage.read("long.txt"), theirs.replace("line 5\n", "FIVE\n"));
}

#[test]
fn a_file_lands_where_the_lines_shown_are_as_they_were_and_only_the_others_are_asked_anew() {
    let stage =
        running("sed -i -e 's/^line 5$/FIVE/' -e 's/^line 35$/THIRTY-FIVE/' long.txt && echo theirs > other.txt");
    let before: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    stage.write("long.txt", &before);
    stage.write("other.txt", "old\n");
    reviewed(&stage);
    let edited = before.replace("line 1\n", "mine\nline 1\n").replace("line 20\n", "mine too\n");
    stage.write("long.txt", &edited);
    stage.arki(&["approvals", "approve", "--hunks", "2,3", "--json"]).exits(0);
    assert_eq!(stage.read("long.txt"), edited.replace("line 35\n", "THIRTY-FIVE\n"));
    assert_eq!(stage.read("other.txt"), "theirs\n");
    stage.verifies();

    let stage =
        running("sed -i -e 's/^line 5$/FIVE/' -e 's/^line 35$/THIRTY-FIVE/' long.txt && echo theirs > other.txt");
    stage.write("long.txt", &before);
    stage.write("other.txt", "old\nkept\nlast\n");
    reviewed(&stage);
    stage.write("long.txt", before.replace("line 33\n", "mine\n"));
    stage.arki(&["approvals", "approve", "--hunks", "2,3", "--json"]).exits(3);
    assert_eq!(stage.read("long.txt"), before.replace("line 33\n", "mine\n"), "it wrote what was not shown");
    assert_eq!(stage.read("other.txt"), "theirs\n");
    let asked = payloads(&stage.log(), "approval.requested");
    assert_eq!(asked[1]["preview"]["filesAffected"], json!(["long.txt"]));
    stage.arki(&["approvals", "approve", "--hunks", "2", "--json"]).exits(0);
    let wanted = before.replace("line 33\n", "mine\n").replace("line 35\n", "THIRTY-FIVE\n");
    assert_eq!(stage.read("long.txt"), wanted);
    stage.verifies();
}

#[test]
fn all_lands_at_once_and_never_lands_nothing() {
    let stage = running(FORTY);
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert!(stage.read("long.txt").ends_with("line 40\n"));
    assert_eq!(payloads(&stage.log(), "file.changed").len(), 1);
    stage.verifies();
}

#[test]
fn a_command_that_is_stopped_or_too_large_changes_nothing() {
    let stage = running("echo x > made.txt && mkdir many && cd many && touch $(seq 1 20001)");
    stage.exec(&["go"]).exits(0);
    assert!(!stage.path("made.txt").exists() && !stage.path("many").exists());
    let result = payload(&stage.log(), "tool.result");
    assert_eq!(result["code"], "TOO_MANY_CHANGES");
    assert!(text(&result["result"]).contains("20000 files"), "{result}");
}

#[test]
fn git_is_read_only_in_a_view_and_secret_files_cannot_be_opened() {
    let stage = running("echo x >> .git/config; f=.en; cat ${f}v; echo more >> ${f}v; true");
    stage.write(".git/config", "[core]\n");
    stage.write(".env", "TOKEN=correct-horse-battery-staple\n");
    stage.exec(&["go"]).exits(0);
    assert_eq!(stage.read(".git/config"), "[core]\n");
    assert_eq!(stage.read(".env"), "TOKEN=correct-horse-battery-staple\n");
    assert!(!stage.told().contains("correct-horse"), "{}", stage.told());
}

#[test]
fn a_file_takes_a_folders_place_and_a_folder_a_files() {
    let stage = running("rm -r folder && echo file > folder && rm file && mkdir -p file/deep && echo x > file/deep/x");
    stage.write("folder/deep/a.txt", "a\n");
    stage.write("folder/b.txt", "b\n");
    stage.write("file", "f\n");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert!(stage.path("folder").is_file(), "{}", stage.told());
    assert_eq!((stage.read("folder"), stage.read("file/deep/x")), ("file\n".to_owned(), "x\n".to_owned()));
}

#[test]
fn a_folder_takes_a_links_place() {
    let stage = running("rm link && mkdir link && echo x > link/x.txt");
    stage.write("real/a.txt", "real\n");
    std::os::unix::fs::symlink("real", stage.path("link")).unwrap();
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert!(stage.path("link/x.txt").symlink_metadata().is_ok(), "{}", stage.told());
    assert!(!stage.path("link").is_symlink() && !stage.path("real/x.txt").exists());
}

fn crate_of(stage: &Stage, main: &str) {
    stage.write("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    stage.write("Cargo.lock", "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = \"tiny\"\nversion = \"0.1.0\"\n");
    stage.write("src/main.rs", main);
}

#[test]
fn a_build_writes_its_own_folder_for_real_and_nothing_is_asked() {
    let stage = running("cargo build --offline");
    crate_of(&stage, "fn main() { println!(\"built\") }\n");
    stage.exec(&["go"]).exits(0);
    assert!(stage.told().starts_with("exit code 0"), "{}", stage.told());
    assert!(stage.path("target/debug/tiny").is_file());
    assert_eq!(payloads(&stage.log(), "approval.requested"), Vec::<Value>::new());
}

#[test]
fn what_a_build_changes_of_the_sources_is_reviewed() {
    let stage = running("cargo build --offline");
    crate_of(&stage, "fn main() {}\n");
    stage.write("build.rs", "fn main() { std::fs::write(\"src/made.rs\", \"// made\\n\").unwrap() }\n");
    let requested = reviewed(&stage);
    assert_eq!(requested["preview"]["filesAffected"], json!(["src/made.rs"]));
    assert!(stage.path("target/debug").is_dir() && !stage.path("src/made.rs").exists());
}

#[test]
fn any_other_line_gets_a_copy_of_generated_folders_that_is_thrown_away() {
    let stage = running("echo x > target/x; rm -r node_modules; mkdir -p sub/target; echo y > sub/target/y; ls target");
    stage.write("target/kept", "kept");
    stage.write("sub/a.txt", "a");
    stage.write("node_modules/a/index.js", "a");
    stage.exec(&["go"]).exits(0);
    assert!(stage.told().contains("kept\nx\n"), "{}", stage.told());
    assert!(!stage.path("target/x").exists() && stage.path("node_modules/a/index.js").exists());
    assert!(!stage.path("sub/target/y").exists());
}

#[test]
fn what_makes_git_run_a_program_asks_even_under_all() {
    for (line, path) in [
        ("git init -q new && echo x >> new/.git/config", "new/.git/config"),
        ("mkdir -p b/objects b/refs && echo ref: x > b/HEAD && echo '[core]' > b/config", "b/HEAD"),
        ("echo 'gitdir: ../g' > .git", ".git"),
        ("ln -s /etc out", "out"),
    ] {
        let stage = running(line);
        let events = stage.exec(&["--approve", "all", "go"]).exits(3).lines();
        let requested = payload(&events, "approval.requested");
        assert_eq!(requested["kind"], "effects", "{line}");
        assert!(requested["preview"]["filesAffected"].as_array().unwrap().contains(&json!(path)), "{requested}");
        assert!(!stage.path(path).exists(), "{line}");
    }
}

#[test]
fn under_edits_small_changes_land_and_others_are_reviewed() {
    for (line, lands) in [
        ("echo two > a.txt", true),
        ("for n in $(seq 1 51); do echo $n > new$n.txt; done", false),
        ("rm gone1 gone2 gone3 gone4 gone5 gone6", false),
        ("chmod +x a.txt", false),
        ("ln -s a.txt link", false),
        ("printf '\\0' > a.bin", false),
    ] {
        let stage = running(line);
        stage.write("a.txt", "one\n");
        (1..=6).for_each(|n| drop(stage.write(&format!("gone{n}"), "x\n")));
        let done = stage.exec(&["--approve", "edits", "go"]);
        assert_eq!(done.code, Some(if lands { 0 } else { 3 }), "{line}: {}", done.stdout);
    }
}

#[test]
fn what_is_not_text_goes_back_too() {
    let stage = running("printf '\\0changed' > a.bin && printf a > a.txt");
    stage.write("a.bin", b"\0before");
    let session = text(&stage.exec(&["--approve", "all", "go"]).exits(0).lines()[0]["sessionId"]);
    stage.arki(&["rewind", &session, "--to", "1", "--files"]).exits(0);
    assert_eq!(stage.read("a.bin"), "\0before");
    assert!(!stage.path("a.txt").exists());
}

fn git(stage: &Stage, line: &str) {
    let command = format!("git -c user.name=x -c user.email=x@example.com {line}");
    let mut shell = std::process::Command::new("sh");
    let done =
        shell.args(["-c", &command]).current_dir(stage.path("")).env("HOME", stage.path(".git")).output().unwrap();
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_generated_folder_that_is_new_lands_whole_by_a_line_that_may_write_it_and_else_the_model_is_told() {
    let script = "mkdir -p sub/build/deep && echo built > sub/build/deep/out && ln -s deep/out sub/build/link";
    let rule = json!({"decision": "allow", "command": ["sh", "build.sh"]});
    for (rules, lands) in [(json!([]), false), (json!([rule]), true)] {
        let turns = vec![Turn::calls().call("run_command", json!({"command": "sh build.sh"})), Turn::text("Done.")];
        let stage = Stage::configured(Script::new(turns), &json!({"policy": {"rules": rules}}));
        git(&stage, "init -q");
        stage.write("build.sh", script);
        stage.write("sub/main.c", "int main() {}\n");
        stage.write(".gitignore", "build/\n");
        stage.exec(&["go"]).exits(0);
        assert_eq!(stage.path("sub/build/deep/out").exists(), lands);
        assert_eq!(stage.path("sub/build/link").is_symlink(), lands);
        assert_eq!(stage.told().contains("What it wrote in sub/build was thrown away"), !lands, "{}", stage.told());
    }
}

#[test]
fn what_a_command_changed_can_be_tried_before_it_lands() {
    let stage = running("sed -i 's/one/two/' a.txt && rm gone.txt && mkdir made && echo new > made/new.txt");
    stage.write("a.txt", "one\n");
    stage.write("gone.txt", "gone\n");
    stage.write("kept/k.txt", "kept\n");
    stage.write(".env", "PASSWORD=correct-horse-battery\n");
    reviewed(&stage);
    let shown = stage.arki(&["approvals", "show", "--open"]).exits(0).stdout;
    let folder = std::path::Path::new(shown.trim());
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
    assert_eq!(
        (read("a.txt"), read("made/new.txt"), read("kept/k.txt")),
        ("two\n".into(), "new\n".into(), "kept\n".into())
    );
    assert!(!folder.join("gone.txt").exists() && !folder.join(".env").exists());
    assert_eq!(folder.join("a.txt").metadata().unwrap().permissions().mode() & 0o222, 0);
    assert_eq!(stage.read("a.txt"), "one\n");
    stage.arki(&["approvals", "reject"]).exits(0);
}

#[test]
fn a_command_works_on_the_project_itself_only_after_an_answer_or_by_a_rule_for_its_effects() {
    let turns = || {
        vec![
            Turn::calls().call("run_command", json!({"command": "sh make.sh", "on_project": true})),
            Turn::text("Done."),
        ]
    };
    let stage = Stage::new(turns());
    stage.write("make.sh", "mkdir old && mv old new && echo made > new/made.txt\n");
    stage.exec(&["go"]).exits(3);
    let requested = payload(&stage.log(), "approval.requested");
    assert_eq!((text(&requested["rule"]), &requested["kind"]), ("builtin:on-project".into(), &Value::Null));
    assert!(!stage.path("new").exists());
    stage.arki(&["approvals", "approve"]).exits(0);
    assert_eq!(stage.read("new/made.txt"), "made\n");
    assert_eq!(payloads(&stage.log(), "file.changed").len(), 1);
    for (rule, code) in [(json!({}), 3), (json!({"effects": "allow"}), 0)] {
        let mut rule = rule;
        (rule["decision"], rule["command"]) = (json!("allow"), json!(["sh", "make.sh"]));
        let stage = Stage::configured(Script::new(turns()), &json!({"policy": {"rules": [rule]}}));
        stage.write("make.sh", "echo made > made.txt\n");
        stage.exec(&["go"]).exits(code);
        assert_eq!(stage.path("made.txt").exists(), code == 0);
    }
}

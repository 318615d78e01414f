//! What an edit keeps of a file, and what stands in the way of keeping anything at all: data that is taken away during a
//! run, surroundings that are not as a program expects.
#![cfg(target_os = "linux")]

use crate::harness::{Done, Stage, program, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const BUBBLEWRAP: &str = "/usr/bin/bwrap";

fn edit(path: &str) -> Turn {
    Turn::calls().call("write_file", json!({"path": path, "content": "new\n"}))
}

fn editing() -> Stage {
    let stage = Stage::new(vec![edit("a.txt"), Turn::text("done")]);
    stage.write("a.txt", "old\n");
    stage
}

#[test]
fn all_names_of_a_file_are_shown_and_stay_one_file() {
    let stage = editing();
    fs::create_dir(stage.path("sub")).unwrap();
    fs::hard_link(stage.path("a.txt"), stage.path("sub/b.txt")).unwrap();
    stage.exec(&["go"]).exits(3);
    let shown = stage.arki(&["approvals", "show"]).exits(0).stdout;
    assert!(shown.contains("a.txt") && shown.contains("sub/b.txt"), "{shown}");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert_eq!((stage.read("a.txt"), stage.read("sub/b.txt")), ("new\n".to_owned(), "new\n".to_owned()));
    let inode = |name| fs::metadata(stage.path(name)).unwrap().ino();
    assert_eq!(inode("a.txt"), inode("sub/b.txt"));
    // Both come back.
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["rewind", &session, "--to", "1", "--files"]).exits(0);
    assert_eq!((stage.read("a.txt"), stage.read("sub/b.txt")), ("old\n".to_owned(), "old\n".to_owned()));
}

#[test]
fn another_name_of_a_file_is_judged_like_the_file() {
    let rules = json!({"policy": {"rules": [{"decision": "deny", "tool": "write_file", "path": "locked/**"}]}});
    let stage = Stage::configured(Script::new(vec![edit("a.txt"), Turn::text("done")]), &rules);
    stage.write("locked/b.txt", "old\n");
    fs::hard_link(stage.path("locked/b.txt"), stage.path("a.txt")).unwrap();
    stage.exec(&["go", "--approve", "all"]).exits(0);
    assert_eq!((stage.read("a.txt"), stage.read("locked/b.txt")), ("old\n".to_owned(), "old\n".to_owned()));
}

#[test]
fn a_name_elsewhere_keeps_the_old_text_and_the_model_is_told() {
    let stage = editing();
    let elsewhere = stage.home.data_dir().with_file_name("elsewhere.txt");
    fs::hard_link(stage.path("a.txt"), &elsewhere).unwrap();
    stage.exec(&["go", "--approve", "all"]).exits(0);
    assert_eq!((stage.read("a.txt"), fs::read_to_string(elsewhere).unwrap()), ("new\n".to_owned(), "old\n".to_owned()));
    assert!(stage.told().contains("keeps the old text"), "{}", stage.told());
}

#[test]
fn a_file_that_is_mounted_by_itself_in_a_closed_folder_is_written_where_it_is() {
    let stage = editing();
    if !stage.has_bubblewrap() {
        return;
    }
    let (project, file) = (stage.home.project_dir(), stage.path("a.txt"));
    let inode = fs::metadata(&file).unwrap().ino();
    let mut command = Command::new(BUBBLEWRAP);
    command.args(["--dev-bind", "/", "/", "--ro-bind"]).arg(&project).arg(&project);
    command.arg("--bind").arg(&file).arg(&file).arg("--").arg(program());
    command.arg("-C").arg(&project).args(["exec", "go", "--approve", "all"]).envs(&stage.home.env);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Done::of_child(command.spawn().unwrap()).exits(0);
    assert_eq!((stage.read("a.txt"), fs::metadata(&file).unwrap().ino()), ("new\n".to_owned(), inode));
}

#[test]
fn data_that_is_taken_away_during_a_run_is_an_error() {
    let slow = Turn::text("done").pause(Duration::from_secs(2));
    let stage = Stage::new(vec![slow]);
    let running = stage.start(&["exec", "go"]);
    assert!(stage.model.wait_until(|journal| !journal.requests.is_empty()));
    fs::remove_dir_all(stage.home.data_dir()).unwrap();
    let shown = running.end().fails(1, "IO_FAILED");
    assert!(shown.message.contains("deleted or replaced"), "{shown:?}");
}

/// Arki with something else in its environment.
fn with(stage: &Stage, variable: &str, value: impl Into<PathBuf>, args: &[&str]) -> Done {
    let mut command = stage.command(&[&["-C", stage.home.project_dir().to_str().unwrap()], args].concat());
    command.env(variable, value.into()).current_dir(stage.home.project_dir());
    Done::of_child(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

fn check_of(done: &Done, name: &str) -> Value {
    done.lines().into_iter().find(|check| check["name"] == name).unwrap()
}

#[test]
fn a_folder_for_temporary_files_that_cannot_be_used_is_replaced_and_the_doctor_says_so() {
    let command =
        || Turn::calls().call("run_command", json!({"command": "echo hello > \"$TMPDIR/x\" && cat \"$TMPDIR/x\""}));
    for (value, problem) in [("gone", "doesn't exist"), ("file", "is a file"), ("", "is not an absolute path")] {
        let stage = Stage::new(vec![command(), Turn::text("done")]);
        fs::write(stage.home.data_dir().with_file_name("file"), "").unwrap();
        let named = match value {
            "" => PathBuf::from("relative"),
            name => stage.home.data_dir().with_file_name(name),
        };
        with(&stage, "TMPDIR", &named, &["exec", "go", "--approve", "all"]).exits(0);
        assert!(stage.told().contains("hello"), "{value}: {}", stage.told());
        let doctor = with(&stage, "TMPDIR", &named, &["doctor", "--json"]);
        let check = check_of(&doctor, "temporary files");
        assert!(check["state"] == "warning" && text(&check["detail"]).contains(problem), "{check}");
        assert!(!stage.path("relative").exists());
    }
}

#[test]
fn a_home_that_is_no_whole_path_is_refused() {
    let stage = Stage::new(vec![]);
    for args in [["sessions", "list"].as_slice(), &["exec", "go"], &["config", "show"]] {
        let shown = with(&stage, "HOME", "x", args).fails(2, "CONFIG_INVALID");
        assert!(shown.message.contains("\"x\""), "{shown:?}");
    }
    let doctor = with(&stage, "HOME", "x", &["doctor", "--json"]);
    let home = check_of(&doctor, "home");
    assert!(home["state"] == "failed" && text(&home["hint"]).contains("Set HOME"), "{home}");
    let failed: Vec<Value> = doctor.lines().into_iter().filter(|check| check["state"] == "failed").collect();
    assert_eq!((failed.len(), doctor.code), (1, Some(1)), "{failed:?}");
    assert_eq!(check_of(&doctor, "temporary files")["state"], "ok");
    assert!(!stage.path("x").exists());
}

/// Arki with a limit of open files, soft or both.
fn with_open_files(stage: &Stage, limit: &str, args: &[&str]) -> Done {
    let script = stage.home.data_dir().with_file_name("limited");
    fs::write(&script, format!("#!/bin/sh\nulimit {limit}\nexec {} \"$@\"\n", program().display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(&script);
    command.arg("-C").arg(stage.home.project_dir()).args(args).envs(&stage.home.env);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Done::of_child(command.spawn().unwrap())
}

#[test]
fn few_open_files_are_enough_or_it_is_said() {
    for (limit, state, times_said) in [("-S -n 64", "ok", 0), ("-n 64", "failed", 1)] {
        let command = Turn::calls().call("run_command", json!({"command": "echo hello; ulimit -S -n"}));
        let stage = Stage::new(vec![edit("a.txt"), command, Turn::text("done")]);
        let done = with_open_files(&stage, limit, &["exec", "go", "--approve", "all"]).exits(0);
        assert_eq!(stage.read("a.txt"), "new\n", "{done:?}");
        assert!(stage.told().contains("hello\n64\n"), "{limit}: {}", stage.told());
        assert_eq!(done.stderr.matches("only 64 files").count(), times_said, "{done:?}");
        let doctor = with_open_files(&stage, limit, &["doctor", "--json"]);
        let check = check_of(&doctor, "open files");
        assert!(check["state"] == state && (times_said == 0 || text(&check["hint"]).contains("ulimit -n")), "{check}");
    }
}

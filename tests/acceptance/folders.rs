//! A project folder that is not there, is no folder, or may not be entered.

use crate::harness::{Done, Stage, text};
use arki_testkit::Turn;

fn in_folder(stage: &Stage, folder: &str, args: &[&str]) -> Done {
    Done::of_child(stage.command(&[&["-C", folder], args].concat()).spawn().unwrap())
}

const COMMANDS: &[&[&str]] = &[
    &["exec", "--json", "hello"],
    &["trust", "--json"],
    &["trust", "--show", "--json"],
    &["policy", "check", "--json", "ls"],
];

#[test]
fn a_folder_that_is_not_there_is_named() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    let file = stage.write("a-file.txt", "x");
    for folder in [stage.path("missing").display().to_string(), file.display().to_string()] {
        for args in COMMANDS {
            let done = in_folder(&stage, &folder, args).exits(2);
            let shown = done.json_error();
            assert_eq!(shown.code, "FOLDER_UNAVAILABLE", "{folder} {args:?}");
            assert!(shown.message.contains(&folder), "{shown:?}");
        }
    }
    assert!(stage.sessions().is_empty() && !stage.path("missing").exists());
}

#[cfg(unix)]
#[test]
fn a_folder_without_permissions_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new(vec![Turn::text("ok")]);
    let closed = stage.path("closed");
    std::fs::create_dir(&closed).unwrap();
    let user = stage.unprivileged();
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    for args in COMMANDS {
        let done = user.arki(&[&["-C", closed.to_str().unwrap()], *args].concat()).exits(2);
        let shown = done.json_error();
        assert_eq!(shown.code, "FOLDER_UNAVAILABLE", "{args:?}");
        assert!(shown.message.contains("closed"), "{shown:?}");
    }
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
}

/// What is decided about a folder is kept by its path as text: to trust one of these would be to trust all of them.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_whose_name_is_not_utf8_is_refused_and_trusts_no_other() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let write = Turn::calls().call("write_file", serde_json::json!({"path": "a.txt", "content": "a"}));
    let stage = Stage::new(vec![write, Turn::text("ok")]);
    let names = [&b"n\xff"[..], b"n\xfe", "n\u{fffd}".as_bytes()].map(OsStr::from_bytes);
    let in_named = |name: &OsStr, args: &[&str]| {
        std::fs::create_dir_all(stage.path("").join(name)).unwrap();
        Done::of_child(stage.command(args).current_dir(stage.path("").join(name)).spawn().unwrap())
    };
    for (name, args) in names[..2].iter().flat_map(|name| COMMANDS.iter().map(move |args| (name, args))) {
        let shown = in_named(name, args).exits(2).json_error();
        assert_eq!(shown.code, "FOLDER_UNAVAILABLE", "{args:?}");
        assert!(shown.message.contains("UTF-8"), "{shown:?}");
    }
    in_named(names[2], &["exec", "--json", "--approve", "all", "write"]).exits(4);
    assert!(!stage.path("").join(names[2]).join("a.txt").exists());
}

/// A sandbox looks after so many git directories and no more: whoever opens the folder or decides there is told.
#[cfg(target_os = "linux")]
#[test]
fn where_not_all_git_directories_can_be_looked_after_it_is_said_beforehand() {
    let stage = Stage::asking(vec![Turn::text("Hello.")]);
    if !stage.has_sandbox() {
        return;
    }
    let rule = |line: &str| {
        let verdict = stage.arki(&["policy", "check", "--json", line]).exits(0).lines().remove(0);
        (text(&verdict["decision"]), text(&verdict["rule"]), text(&verdict["reason"]))
    };
    let project = || {
        let checks = stage.arki(&["doctor", "--json"]).lines();
        checks.into_iter().find(|check| check["name"] == "project").unwrap()
    };
    assert_eq!(rule("cargo test").1, "builtin:build");
    assert_eq!(project()["state"], "ok");
    for number in 0..=500 {
        std::fs::create_dir_all(stage.path(&format!("many/{number}/.git"))).unwrap();
    }
    let (_, allowed_by, reason) = rule("cargo test");
    assert_eq!(allowed_by, "builtin:build", "the project's own git directory is protected, however large it is");
    assert!(reason.contains("too large to find every git directory"), "{reason}");
    assert!(rule("rm -r many").2.contains("aren't protected"), "every command that may write");
    assert_eq!(rule("git status").1, "builtin:read-only", "what only reads can harm none");
    assert_eq!(project()["state"], "warning");
    assert!(text(&project()["detail"]).contains("aren't protected"), "{}", project());
    for args in [&["trust", "--show"][..], &["trust"][..]] {
        let told = stage.arki(args).exits(0).stdout;
        assert!(told.contains("aren't protected"), "{told}");
    }
}

//! A project folder that is not there, is no folder, or may not be entered.

use crate::harness::{Done, Stage};
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

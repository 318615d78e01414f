//! A project folder that is not there, is no folder, or may not be entered.

use crate::harness::{Done, Stage, program};
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
    use std::os::unix::process::CommandExt;
    let stage = Stage::new(vec![Turn::text("ok")]);
    let closed = stage.path("closed");
    std::fs::create_dir(&closed).unwrap();
    let root = stage.home.data_dir().parent().unwrap().to_owned();
    let arki = root.join("arki");
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        // For root every folder is open, so the program runs as nobody.
        std::fs::copy(program(), &arki).unwrap();
        for folder in [root.clone(), stage.home.config_dir(), stage.home.data_dir(), stage.home.project_dir()] {
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).unwrap();
        }
        for file in crate::harness::files_below(&stage.home.data_dir()) {
            std::fs::remove_file(file).unwrap();
        }
    }
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    for args in COMMANDS {
        let arguments = [&["-C", closed.to_str().unwrap()], *args].concat();
        let mut command = stage.command(&arguments);
        if is_root {
            command = std::process::Command::new(&arki);
            command.args(&arguments).envs(&stage.home.env).current_dir(stage.home.project_dir()).uid(65534).gid(65534);
            command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
            command.stderr(std::process::Stdio::piped());
        }
        let done = Done::of_child(command.spawn().unwrap()).exits(2);
        let shown = done.json_error();
        assert_eq!(shown.code, "FOLDER_UNAVAILABLE", "{args:?}");
        assert!(shown.message.contains("closed"), "{shown:?}");
    }
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
}

//! Started where there is nothing to show a window on.

use crate::harness::program;
use arki_testkit::TestHome;
use serde_json::json;
use std::process::Command;

#[test]
fn without_a_display_the_app_says_so_in_a_sentence_and_touches_nothing() {
    let none = [("DISPLAY", None), ("WAYLAND_DISPLAY", None)];
    let gone = [("DISPLAY", Some(":99987")), ("WAYLAND_DISPLAY", None)];
    let wayland = [("DISPLAY", None), ("WAYLAND_DISPLAY", Some("wayland-nobody"))];
    let both = [("DISPLAY", Some("nonsense")), ("WAYLAND_DISPLAY", Some("/nowhere/\u{1b}[31mred"))];
    let empty = [("DISPLAY", Some("")), ("WAYLAND_DISPLAY", Some(""))];
    for variables in [none, gone, wayland, both, empty] {
        let home = TestHome::new("http://127.0.0.1:9", &json!({})).unwrap();
        let mut command = Command::new(program("ARKI_DESKTOP_BIN", "arki-desktop"));
        command.arg(home.project_dir()).envs(&home.env).env_remove("GDK_BACKEND");
        command.env("XDG_RUNTIME_DIR", home.data_dir().parent().unwrap());
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let done = command.output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{variables:?}: {said}");
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 1, "{variables:?}: {said}");
        assert!(lines[0].starts_with("No display: ") && lines[0].contains("`arki`"), "{variables:?}: {said}");
        assert!(!said.contains('\u{1b}'), "{said:?}");
        for (name, value) in variables {
            let names_it = value.is_none_or(|value| value.is_empty() || said.contains(&format!("{name}=")));
            assert!(names_it, "{variables:?}: {said}");
        }
        assert!(!home.data_dir().join("arki.db").exists(), "the database was opened");
    }
}

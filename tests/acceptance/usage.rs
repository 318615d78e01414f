//! Wrong use: exit code 2, one line that says what, one that says what to do, and nothing has happened.

use crate::harness::Stage;
use arki_testkit::Turn;

const WRONG: &[&[&str]] = &[
    &["--frobnicate"],
    &["exec", "--frobnicate", "x"],
    &["frobnicate"],
    &["exec", "one", "two"],
    &["exec", "--max-cost", "NaN", "x"],
    &["exec", "--max-cost", "inf", "x"],
    &["exec", "--max-cost", "-1", "x"],
    &["exec", "--max-turns", "0", "x"],
    &["exec", "--max-turns", "many", "x"],
    &["exec", "--max-seconds", "0", "x"],
    &["exec", "--approve", "maybe", "x"],
    &["exec", "--core", "magic", "x"],
    &["exec", "--session", "a", "--continue", "x"],
    &["exec", "--ephemeral", "--continue", "x"],
    &["exec", ""],
    &["exec", "   "],
    &["exec"],
    &["approvals", "approve", "x", "--hunks", "one"],
    &["events"],
    &["keys", "set"],
    &["policy", "check"],
    &["policy", "check", "--args", "{not json"],
    &["policy", "check", "--tool", "read_file", "--args", "[]"],
    &["--color", "pink", "models"],
];

#[test]
fn wrong_use_is_said_in_two_lines_and_does_nothing() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    for args in WRONG {
        let done = stage.arki(args).exits(2);
        assert_eq!(done.error().code, "USAGE", "{args:?}");
        assert_eq!(done.stderr.lines().count(), 2, "{args:?}: {}", done.stderr);
        assert_eq!(done.stdout, "", "{args:?}");
        let json = stage.arki(&[&["--json"][..], args].concat()).exits(2);
        assert_eq!(json.json_error().code, "USAGE", "{args:?}");
        assert_eq!(json.lines().len(), 1, "{args:?}");
    }
    assert!(stage.model.requests().is_empty() && stage.sessions().is_empty());
}

#[test]
fn a_prompt_that_is_no_text_is_refused() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    let file = stage.write("binary", [0xff, 0xfe, 0x00]);
    let child = stage.command(&["exec", "-"]).stdin(std::fs::File::open(file).unwrap()).spawn().unwrap();
    crate::harness::Done::of_child(child).fails(2, "USAGE");
}

#[test]
fn help_and_version_are_no_errors() {
    let stage = Stage::new(Vec::new());
    let help = stage.arki(&["--help"]).exits(0).stdout;
    for command in ["exec", "trust", "untrust", "sessions", "events", "verify", "approvals", "keys", "models", "doctor"]
    {
        assert!(help.contains(&format!("\n  {command}")), "{command} is missing in {help}");
    }
    assert!(help.contains("Exit codes"), "{help}");
    assert!(stage.arki(&["--version"]).exits(0).stdout.starts_with("arki "));
    assert!(stage.arki(&["exec", "-h"]).exits(0).stdout.contains("--approve"));
}

#[test]
fn without_a_command_it_explains_itself_as_an_error() {
    let stage = Stage::new(Vec::new());
    let bare = stage.command(&[]).spawn().unwrap();
    let done = crate::harness::Done::of_child(bare).exits(2);
    assert!(done.stderr.contains("arki exec") && done.stdout.is_empty(), "{done:?}");
}

#[test]
fn the_doctor_says_what_works_and_what_to_do_about_the_rest() {
    let stage = Stage::new(Vec::new());
    let checks = stage.arki(&["doctor", "--json"]).lines();
    for name in ["configuration", "database", "keychain", "sandbox"] {
        let check = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{checks:?}"));
        assert!(check["state"] == "ok" || !check["hint"].as_str().unwrap().is_empty(), "{check}");
    }
    assert_eq!(stage.arki(&["doctor"]).stdout.lines().count(), checks.len());
}

//! A command at a terminal of its own.

use super::*;
use std::io::{IsTerminal, Write};

/// Reports where the part `screen` is.
pub(super) fn describe(tell: &dyn Fn(&str, &str)) {
    let is_terminal =
        [std::io::stdin().is_terminal(), std::io::stdout().is_terminal(), std::io::stderr().is_terminal()];
    tell("screen", &format!("{is_terminal:?}"));
}

/// Not at what it has as its output, but at the terminal itself.
pub(super) fn print_at_console() {
    let mut console = fs::OpenOptions::new().write(true).open("CONOUT$").unwrap();
    for number in 1..=LINES {
        console.write_all(format!("line {number}\r\n").as_bytes()).unwrap();
    }
}

/// More than the screen holds.
const LINES: usize = 100;

fn lines() -> String {
    (1..=LINES).map(|number| format!("line {number}\n")).collect()
}

fn at_terminal(check: Check) -> Check {
    Check { terminal: true, ..check }
}

#[test]
fn it_is_one_for_input_output_and_error() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run_part("screen", folder.path(), at_terminal).unwrap();
    assert_eq!(outcome.exit_code, Some(7), "{}", outcome.output);
    assert_eq!(told(folder.path(), "screen"), "[true, true, true]");
    run_part("screen", folder.path(), |check| check).unwrap();
    assert_eq!(told(folder.path(), "screen"), "[false, false, false]");
}

#[test]
fn what_is_printed_comes_whole_and_as_text() {
    let outcome = run_line("(for /L %n in (1,1,100) do @echo line %n)& exit 4", at_terminal).unwrap();
    assert_eq!(outcome.output, lines());
    assert_eq!(outcome.exit_code, Some(4));
}

#[test]
fn what_is_printed_at_the_terminal_itself_comes_too() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run_part("console", folder.path(), at_terminal).unwrap();
    assert_eq!(outcome.exit_code, Some(7));
    assert!(outcome.output.ends_with(&lines()), "{}", outcome.output);
}

#[test]
fn what_it_left_behind_ends_with_it_and_the_reader_too() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run_part("parent", folder.path(), at_terminal).unwrap();
    assert_eq!(outcome.exit_code, Some(7), "{}", outcome.output);
    wait_until(|| !is_asleep(folder.path()));
}

#[test]
fn it_ends_at_its_time_limit() {
    let folder = tempfile::tempdir().unwrap();
    let limit = Duration::from_secs(3);
    let outcome =
        run_part("sleeper", folder.path(), |check| at_terminal(Check { time_limit: limit, ..check })).unwrap();
    assert!(outcome.timed_out && outcome.duration < LONG);
    wait_until(|| !is_asleep(folder.path()));
}

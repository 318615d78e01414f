//! What people see of a run: on a terminal the answer as it comes and what is going on; elsewhere the last answer alone.

use crate::harness::{Done, Stage, wait_until};
use arki_testkit::Turn;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;
use std::fs::File;
use std::io::Read;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn two_turns(command: &str) -> Vec<Turn> {
    vec![Turn::text("Let me look.").call("run_command", json!({"command": command})), Turn::text("All is well.")]
}

/// The program on a terminal of its own, to its end, and what that showed.
fn on_terminal(stage: &Stage, args: &[&str]) -> (i32, String) {
    on_terminal_with(stage, args, None)
}

fn on_terminal_with(stage: &Stage, args: &[&str], no_color: Option<&str>) -> (i32, String) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = stage.command(args);
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    no_color.into_iter().for_each(|value| _ = command.env("NO_COLOR", value));
    command.stdout(terminal.try_clone().unwrap()).stderr(terminal.try_clone().unwrap()).stdin(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop((command, terminal));
    let seen: Arc<Mutex<Vec<u8>>> = Arc::default();
    let reader = {
        let (seen, mut controller) = (seen.clone(), File::from(controller));
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            // Fails once the last one has closed the terminal.
            while let Ok(count @ 1..) = controller.read(&mut piece) {
                seen.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        })
    };
    let mut code = None;
    wait_until("the end", || {
        code = child.try_wait().unwrap();
        code.is_some()
    });
    reader.join().unwrap();
    let text = String::from_utf8_lossy(&seen.lock().unwrap()).into_owned();
    (code.unwrap().code().unwrap(), text)
}

fn exec(stage: &Stage, args: &[&str]) -> Done {
    stage.arki(&[&["exec", "--approve", "all"], args].concat())
}

#[test]
fn a_program_gets_the_last_answer_alone_and_the_rest_is_on_standard_error() {
    let stage = Stage::new(two_turns("printf 'one\\ntwo\\n'"));
    let done = exec(&stage, &["go"]).exits(0);
    assert_eq!(done.stdout, "All is well.\n");
    for seen in ["Let me look.", "▸ run_command printf", "    one\n", "    two\n"] {
        assert!(done.stderr.contains(seen), "{seen}: {}", done.stderr);
    }
    let stage = Stage::new(two_turns("mkdir made"));
    let done = stage.arki(&["exec", "go"]).exits(3);
    assert_eq!(done.stdout, "Let me look.\n", "the last answer before the stop");
}

#[test]
fn a_failing_test_run_is_seen_and_a_long_one_by_its_beginning_and_end() {
    let failing = || Stage::new(two_turns("seq 1 100; echo FAILED >&2; exit 1"));
    let done = exec(&failing(), &["go"]).exits(0);
    let lines: Vec<&str> = done.stderr.lines().collect();
    for seen in ["    1", "    8", "    100", "    FAILED"] {
        assert!(lines.contains(&seen), "{seen}: {}", done.stderr);
    }
    assert!(!lines.contains(&"    50") && done.stderr.contains("more lines"), "{}", done.stderr);
    let stage = failing();
    let full = exec(&stage, &["--show-output", "full", "go"]).exits(0);
    assert!(full.stderr.lines().any(|line| line == "    50"), "{}", full.stderr);
    let none = exec(&failing(), &["--show-output", "none", "go"]).exits(0);
    assert!(!none.stderr.lines().any(|line| line == "    FAILED"), "{}", none.stderr);
    // Afterwards as well.
    let shown = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
    assert!(shown.contains("FAILED") && !shown.lines().any(|line| line.trim() == "50"), "{shown}");
    let shown = stage.arki(&["sessions", "show", "last", "--show-output", "full"]).exits(0).stdout;
    assert!(shown.lines().any(|line| line.trim() == "50"), "{shown}");
}

#[test]
fn on_a_terminal_what_takes_long_shows_that_it_lives() {
    let slow = vec![
        Turn::text("Let me look.")
            .pause(Duration::from_millis(1500))
            .call("run_command", json!({"command": "echo working; sleep 2"})),
        Turn::text("All is well."),
    ];
    let stage = Stage::new(slow);
    let (code, seen) = on_terminal(&stage, &["exec", "--approve", "all", "go"]);
    assert_eq!(code, 0, "{seen}");
    for part in ["Waiting for", "Running echo working", " · 1 s", "Let me look.", "    working", "All is well."] {
        assert!(seen.contains(part), "{part}: {seen:?}");
    }
    // Nothing of the line stays.
    assert!(seen.matches("Running").count() >= 1 && seen.contains("\r\x1b[K"), "{seen:?}");
}

#[test]
fn nothing_moves_without_colours_or_for_a_program() {
    for extra in [&["--color", "never"][..], &["--json"]] {
        let stage = Stage::new(two_turns("sleep 1"));
        let (_, seen) = on_terminal(&stage, &[&["exec", "--approve", "all", "go"], extra].concat());
        assert!(!seen.contains("Running sleep") && !seen.contains("\x1b[K"), "{seen:?}");
    }
}

#[test]
fn style_tags_are_styles_on_a_terminal_with_colours_and_text_everywhere_else() {
    const TAGGED: &str = "<bold>Done: <red>2</red> failed</bold>, `<red>` \u{1b}[2J ok.";
    let stage = Stage::new(vec![Turn::text(TAGGED); 4]);
    let (code, seen) = on_terminal(&stage, &["exec", "go"]);
    let styled = "\u{1b}[1mDone: \u{1b}[31m2\u{1b}[0m\u{1b}[1m failed\u{1b}[0m, `<red>` \\u{1b}[2J ok.";
    assert!(code == 0 && seen.contains(styled), "{seen:?}");
    let (_, seen) = on_terminal_with(&stage, &["exec", "go"], Some("1"));
    assert!(seen.contains("<bold>Done: <red>2</red> failed</bold>, `<red>` \\u{1b}[2J ok."), "{seen:?}");
    assert_eq!(stage.arki(&["exec", "go"]).exits(0).stdout, format!("{TAGGED}\n"), "a program gets the text");
    let last = stage.exec(&["go"]).exits(0).lines();
    assert!(last.iter().any(|event| event["payload"]["response"] == TAGGED), "so does the log");
}

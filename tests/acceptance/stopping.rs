//! Stop works at any moment: what has come of an answer is kept, what was started is ended, and a run that died goes on.
#![cfg(unix)]

use crate::harness::{Stage, is_running, payload, payloads, pid_in, text, wait_until};
use arki_testkit::{Script, Turn, kinds};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::Duration;

fn sleeping() -> Vec<Turn> {
    let command = "echo started; echo $$ > shell.pid; sleep 300 & echo $! > child.pid; wait";
    vec![Turn::calls().call("run_command", json!({"command": command})), Turn::text("Done.")]
}

/// Approves the only command that waits, and waits until it runs.
fn start_command(stage: &Stage) -> (crate::harness::Running, [i32; 2]) {
    stage.exec(&["go"]).exits(3);
    let mut run = stage.start(&["approvals", "approve", &stage.waiting()]);
    run.until_kind("policy.decided");
    let pids = ["shell.pid", "child.pid"].map(|file| pid_in(&stage.path(file)));
    (run, pids)
}

#[test]
fn ctrl_c_in_the_middle_of_a_command_ends_it_with_all_its_children() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let stage = Stage::asking(sleeping());
        let (run, pids) = start_command(&stage);
        run.signal(signal);
        let events = run.end().exits(130).lines();
        for pid in pids {
            wait_until("the end of the command", || !is_running(pid));
        }
        let result = payload(&events, "tool.result");
        assert!(text(&result["result"]).contains("stopped by the user"), "{result}");
        assert!(text(&result["result"]).contains("started"), "what it had printed is kept: {result}");
        assert_eq!(payload(&events, "run.cancelled")["code"], "CANCELLED");
        assert_eq!(kinds(&stage.log()).last(), Some(&"run.cancelled"));
        let session = text(&stage.log()[0]["sessionId"]);
        assert!(stage.arki(&["sessions", "show", &session]).exits(0).stdout.contains("Stopped by the user."));
        stage.verifies();
    }
}

/// A command that works in a view, and the processes of it: their command lines have a number that no other has.
#[cfg(target_os = "linux")]
fn start_in_view(seconds: u32) -> (Stage, crate::harness::Running) {
    let command = format!("echo started; echo x > made.txt; sleep {seconds} & setsid sleep {seconds} & wait");
    let turns = vec![Turn::calls().call("run_command", json!({"command": command})), Turn::text("Done.")];
    let stage = Stage::new(turns);
    let run = stage.start(&["exec", "go"]);
    wait_until("two that sleep", || sleepers(seconds) == 2);
    (stage, run)
}

#[cfg(target_os = "linux")]
fn sleepers(seconds: u32) -> usize {
    let line = format!("sleep\0{seconds}\0");
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter(|entry| std::fs::read(entry.path().join("cmdline")).is_ok_and(|its| its == line.as_bytes())).count()
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_command_in_its_view_with_all_its_children_and_nothing_lands() {
    for (signal, seconds) in [(Signal::INT, 70_301), (Signal::TERM, 70_302), (Signal::HUP, 70_303)] {
        let (stage, run) = start_in_view(seconds);
        run.signal(signal);
        let events = run.end().exits(130).lines();
        wait_until("the end of the command", || sleepers(seconds) == 0);
        let result = payload(&events, "tool.result");
        assert!(text(&result["result"]).contains("stopped by the user"), "{result}");
        assert!(text(&result["result"]).contains("started"), "what it had printed is kept: {result}");
        assert_eq!(kinds(&stage.log()).last(), Some(&"run.cancelled"));
        assert!(!stage.path("made.txt").exists() && stage.inbox().is_empty());
        stage.verifies();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_in_its_view_dies_with_its_arki_and_is_not_run_again() {
    let seconds = 70_304;
    let (stage, run) = start_in_view(seconds);
    run.signal(Signal::KILL);
    assert_eq!(run.end().code, None);
    wait_until("the end of the command", || sleepers(seconds) == 0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["resume", &session, "--json"]).exits(0);
    assert_eq!(payloads(&stage.log(), "command.ended"), Vec::<Value>::new(), "it was run again");
    assert!(stage.told().contains("effect is unknown"), "{}", stage.told());
    assert!(!stage.path("made.txt").exists());
    stage.verifies();
}

/// An answer that stops arriving after its first words.
fn hanging() -> Vec<Turn> {
    vec![Turn::text("These words have come and the rest has not").hang_after(700), Turn::text("never")]
}

#[test]
fn ctrl_c_in_the_middle_of_an_answer_keeps_what_has_come() {
    let stage = Stage::new(hanging());
    let mut run = stage.start(&["exec", "go"]);
    let delta = run.until_kind("output.delta");
    run.signal(Signal::INT);
    let events = run.end().exits(130).lines();
    let message = payload(&events, "output.message");
    assert_eq!(message["interrupted"], json!(true));
    let deltas: String = payloads(&events, "output.delta").iter().map(|delta| text(&delta["text"])).collect();
    assert_eq!(text(&message["content"]), deltas, "what was shown is what is kept");
    assert!(deltas.starts_with(&text(&delta["payload"]["text"])) && deltas.starts_with("These"));
    assert_eq!(kinds(&stage.log()).last(), Some(&"run.cancelled"));
    assert!(stage.model.wait_until(|journal| journal.hung_up == 1), "the connection stays open");
    assert_eq!(stage.sessions()[0]["state"], "cancelled");
}

#[test]
fn ctrl_c_before_the_first_word_is_as_good() {
    let stage = Stage::new(vec![Turn::silent()]);
    let mut run = stage.start(&["exec", "go"]);
    run.until_kind("engine.request");
    run.signal(Signal::INT);
    let events = run.end().exits(130).lines();
    assert_eq!(payloads(&events, "output.message"), Vec::<Value>::new());
    assert_eq!(payloads(&events, "run.cancelled").len(), 1);
}

#[test]
fn the_next_prompt_goes_on_with_the_interrupted_answer() {
    let stage = Stage::of(Script::new(vec![hanging().remove(0), Turn::text("Here is the rest.")]).sequential());
    let mut run = stage.start(&["exec", "go"]);
    run.until_kind("output.delta");
    run.signal(Signal::INT);
    run.end().exits(130);
    stage.exec(&["--continue", "and now?"]).exits(0);
    let messages = stage.messages();
    let assistant = messages.iter().find(|message| message["role"] == "assistant").unwrap();
    assert!(text(&assistant["content"]).starts_with("These"), "{messages:?}");
}

#[test]
fn a_command_dies_with_its_arki_however_that_dies_and_is_not_run_again() {
    let stage = Stage::asking(sleeping());
    let (run, pids) = start_command(&stage);
    run.signal(Signal::KILL);
    assert_eq!(run.end().code, None);
    for pid in pids {
        wait_until("the end of the command", || !is_running(pid));
    }
    std::fs::remove_file(stage.path("shell.pid")).unwrap();
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["resume", &session, "--json"]).exits(0);
    assert!(!stage.path("shell.pid").exists(), "it was run again");
    assert!(stage.told().contains("effect is unknown"), "{}", stage.told());
    stage.verifies();
}

#[test]
fn a_crash_in_the_middle_of_an_answer_loses_next_to_nothing() {
    let words = "word ".repeat(40);
    let turns =
        vec![Turn::text(words).chunk_pause(Duration::from_millis(30)).hang_after(6000), Turn::text("The rest.")];
    let stage = Stage::of(Script::new(turns).chunk(140).sequential());
    let run = stage.start(&["exec", "go"]);
    wait_until("a kept part of the answer", || {
        rusqlite::Connection::open(stage.database())
            .and_then(|database| database.query_row("SELECT count(*) FROM partials", [], |row| row.get::<_, i64>(0)))
            .is_ok_and(|count| count == 1)
    });
    run.signal(Signal::KILL);
    run.end();
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["resume", &session, "--json"]).exits(0);
    let messages = payloads(&stage.log(), "output.message");
    assert_eq!(messages[0]["interrupted"], json!(true));
    assert!(text(&messages[0]["content"]).starts_with("word word"), "{messages:?}");
    assert_eq!(messages[1]["content"], "The rest. ");
    stage.verifies();
}

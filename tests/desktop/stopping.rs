//! "Stop" works at any moment and loses nothing that has arrived.

use crate::harness::{Stage, wait_until};
use crate::scenes::run_and_say;
use arki_testkit::{Script, Turn};

#[test]
fn stopping_in_the_middle_of_an_answer_keeps_the_part_that_came_and_marks_it() {
    let answer = Turn::text("The first part is here and the rest would never come");
    // After some words the model says nothing more.
    let stage = Stage::trusted(Script::new(vec![answer.hang_after(1500)]));
    let window = stage.open();
    window.ask("Talk to me");
    wait_until("a part of the answer", || window.transcript().contains("The first part"));
    window.click("Stop");

    window.gone("button", "Stop");
    window.says("The answer was interrupted");
    assert!(window.transcript().contains("The first part"), "{}", window.transcript());
    assert!(stage.model.wait_until(|journal| journal.hung_up == 1), "the connection is kept open");
    window.pictures("stopped");
    let events = stage.events();
    let message = events.iter().find(|event| event["type"] == "output.message").unwrap();
    assert_eq!(message["payload"]["interrupted"], true);
    assert_eq!(events.last().unwrap()["type"], "run.cancelled");
    stage.arki(&["verify"]);
}

#[test]
fn stopping_in_the_middle_of_a_command_ends_it() {
    // Told apart from every other process by the number.
    const SLEEP: &str = "sleep 86399.5";
    let stage = Stage::asking(run_and_say(&format!("touch begun; echo it runs; {SLEEP}")));
    let window = stage.open();
    window.ask("Wait a day");
    window.click("Approve");
    wait_until("its output", || window.transcript().contains("it runs\n"));
    wait_until("the command", || runs(SLEEP));
    window.click("Stop");

    window.gone("button", "Stop");
    wait_until("the end of the command", || !runs(SLEEP));
    assert_eq!(stage.events().last().unwrap()["type"], "run.cancelled");
}

fn runs(command: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok()).any(|line| {
        let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let words: Vec<_> = words.map(|word| String::from_utf8_lossy(word)).collect();
        words.join(" ") == command
    })
}

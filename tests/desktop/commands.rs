//! A command waits until its exact words have been seen and approved.

use crate::harness::{Stage, wait_until};
use crate::scenes::{DONE, run_and_say};

#[test]
fn an_approved_command_runs_and_its_output_appears_while_it_does() {
    // Goes on when the test says so.
    const COMMAND: &str = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended | tee out.txt";
    let stage = Stage::trusted(run_and_say(COMMAND));
    let window = stage.open();
    window.ask("Run it");
    window.element("button", "Approve");
    let directory = stage.home.project_dir().display().to_string();
    let asked = window.element("tabpanel", "Changes").text();
    for shown in [COMMAND, &directory] {
        assert!(asked.contains(shown), "{shown} is missing in {asked}");
    }
    assert!(!stage.home.project_dir().join("out.txt").exists(), "it ran before it was approved");
    window.pictures("command");

    window.click("Approve");
    wait_until("the output so far", || window.transcript().contains("begun"));
    assert!(window.has("button", "Stop"));
    window.picture("command-running-light");
    stage.write("go", "");
    window.says(DONE);
    assert_eq!(stage.read("out.txt"), "ended\n");
    let told = stage.request(2);
    assert!(told.contains("begun") && told.contains("ended"), "{told}");
}

#[test]
fn a_rejected_command_does_not_run_and_the_note_reaches_the_model() {
    let stage = Stage::trusted(run_and_say("touch made.txt"));
    let window = stage.open();
    window.ask("Make a file");
    window.element("textbox", "Note to the model").write("No files, please.");
    window.click("Reject");
    window.says(DONE);
    assert!(!stage.home.project_dir().join("made.txt").exists());
    let told = stage.request(2);
    assert!(told.contains("rejected") && told.contains("No files, please."), "{told}");
    assert!(window.button_saying("run_command").text().contains("rejected"));
}

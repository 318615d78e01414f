//! Killed between a command's end and the landing of what it changed, a run goes on to the same end: all of it landed, and
//! once. `cargo xtask soak` kills it at 100 moments, an ordinary test run at 14.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, payload, payloads};
use arki_testkit::{Script, Turn};
use rustix::process::Signal;
use serde_json::json;
use std::time::Duration;

const FILES: usize = 40;
/// The moments of a kill after the command's end: in full, and in a test run.
const MOMENTS: [u32; 2] = [100, 14];
/// All moments lie within this time. A landing takes some milliseconds.
const SPAN: Duration = Duration::from_millis(10);

fn stage() -> Stage {
    let command = format!("for n in $(seq 1 {FILES}); do echo new $n > f$n.txt; done; rm gone.txt; chmod +x f1.txt");
    let turns = vec![Turn::calls().call("run_command", json!({"command": command})), Turn::text("Done.")];
    let stage = Stage::configured(Script::new(turns), &json!({"policy": {"categories": {"exec": "review"}}}));
    (1..=FILES).for_each(|n| drop(stage.write(&format!("f{n}.txt"), format!("old {n}\n"))));
    stage.write("gone.txt", "gone\n");
    stage
}

fn has_landed(stage: &Stage, n: usize) -> bool {
    match stage.read(&format!("f{n}.txt")) {
        text if text == format!("new {n}\n") => true,
        text if text == format!("old {n}\n") => false,
        text => panic!("f{n}.txt is neither old nor new: {text:?}"),
    }
}

#[test]
fn a_landing_that_was_cut_off_is_finished_and_done_once() {
    let moments = MOMENTS[usize::from(std::env::var_os("ARKI_SOAK").is_none())];
    let mut cut_off = 0;
    for moment in 0..moments {
        let wait = SPAN * moment / moments;
        let stage = stage();
        let mut running = stage.start(&["exec", "--approve", "all", "go"]);
        running.until_kind("command.ended");
        std::thread::park_timeout(wait);
        running.signal(Signal::KILL);
        drop(running);
        let landed = (1..=FILES).filter(|n| has_landed(&stage, *n)).count();
        cut_off += usize::from(landed > 0 && landed < FILES);
        if payloads(&stage.log(), "run.completed").is_empty() {
            stage.arki(&["resume", "last"]).exits(0);
        }
        let left: Vec<usize> = (1..=FILES).filter(|n| !has_landed(&stage, *n)).collect();
        assert!(left.is_empty(), "killed {wait:?} after the end, {landed} landed: {left:?} are left");
        assert!(!stage.path("gone.txt").exists());
        let log = stage.log();
        assert_eq!(payloads(&log, "command.ended").len(), 1, "the command ran twice");
        assert_eq!(payloads(&log, "tool.result").len(), 1);
        assert!(payload(&log, "tool.result")["result"].as_str().unwrap().contains("files changed"), "{log:?}");
        stage.verifies();
    }
    eprintln!("{cut_off} of {moments} were cut off in the midst");
}

#[test]
fn a_review_that_waits_outlives_its_process_and_its_view() {
    let stage = stage();
    let mut running = stage.start(&["exec", "go"]);
    running.until_kind("approval.requested");
    running.signal(Signal::KILL);
    drop(running);
    assert!((1..=FILES).all(|n| !has_landed(&stage, n)), "it landed before the decision");
    stage.arki(&["approvals", "approve", "--json"]).exits(0);
    assert!((1..=FILES).all(|n| has_landed(&stage, n)));
    stage.verifies();
}

//! Everything that a pipeline may be given and should not be: told clearly, and nothing is lost.
#![cfg(unix)]

use crate::harness::{Stage, wait_until};
use crate::pipelines::{run_id, stage, status};

/// Runs a definition that can't be; the error's code and message.
#[track_caller]
fn refused(stage: &Stage, definition: &str, told: &str) {
    stage.write("bad.yaml", definition);
    let checked = stage.arki(&["pipelines", "check", "bad.yaml"]).exits(2);
    assert!(checked.stdout.contains(told), "{}", checked.stdout);
    let error = stage.arki(&["run", "bad.yaml"]).fails(2, "PIPELINE_INVALID");
    assert!(error.message.starts_with("bad.yaml:"), "{error:?}");
    assert!(stage.sessions().is_empty(), "nothing has happened");
}

fn one(step: &str) -> String {
    format!("name: p\nsteps:\n  - {{ {step} }}\n")
}

#[test]
fn definitions_that_can_not_be_are_told_with_their_place() {
    let stage = stage(&[]);
    let step = |name: &str, more: &str| format!("  - {{ name: {name}, adapter: command, run: ls{more} }}\n");
    let circle = format!("name: p\nsteps:\n{}{}", step("a", ", needs: [b]"), step("b", ""));
    refused(&stage, &circle, "wait for each other");
    refused(&stage, &one("name: a, adapter: shell, run: ls"), "bad.yaml:3:25: Unknown adapter \"shell\"");
    refused(&stage, &format!("name: p\nsteps:\n{}{}", step("a", ""), step("a", "")), "Two steps are named \"a\"");
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(9)));
    }
    refused(&stage, &bomb, "This isn't valid YAML here");
    let steps: String = (0..10_000).map(|n| step(&format!("s{n}"), "")).collect();
    refused(&stage, &format!("name: p\nsteps:\n{steps}"), "The pipeline has 10000 steps");
    let json = stage.arki(&["pipelines", "check", "bad.yaml", "--json"]).exits(2).lines();
    assert!(json[0]["line"].is_u64() && json[0]["message"].is_string(), "{json:?}");
}

#[test]
fn a_step_that_writes_too_much_is_ended() {
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("p.yaml", one("name: a, adapter: command, run: \"yes 0123456789012345678901234567890123456789\""));
    let error = stage.arki(&["run", "p.yaml"]).fails(1, "STEP_OUTPUT_INVALID");
    assert!(error.message.contains("longer than 10485760 bytes"), "{error:?}");
}

#[test]
fn an_output_that_is_no_text_is_refused() {
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("p.yaml", one("name: a, adapter: command, run: \"printf '\\\\377\\\\376\\\\0'\""));
    stage.arki(&["run", "p.yaml"]).fails(1, "STEP_OUTPUT_INVALID");
}

#[test]
fn inputs_that_are_forbidden_too_long_or_no_text_are_refused() {
    let stage = stage(&[]);
    let text = "name: p\nlimits: { max_input_bytes: 10 }\ndenylist_patterns: [\"**/.env*\"]\nsteps:\n  - { name: a, adapter: approval, message: go }\n";
    stage.write("p.yaml", text);
    stage.write("sub/.env.local", "A=1");
    stage.arki(&["run", "p.yaml", "--input", "sub/.env.local"]).fails(1, "STEP_DENYLISTED");
    stage.write("long.txt", "12345678901");
    stage.arki(&["run", "p.yaml", "--input", "long.txt"]).fails(1, "PIPELINE_LIMIT");
    stage.write("bin", [0xff, 0xfe]);
    stage.arki(&["run", "p.yaml", "--input", "bin"]).fails(2, "USAGE");
    stage.arki(&["run", "p.yaml", "--input", "none"]).fails(2, "USAGE");
    stage.arki(&["run", "none.yaml"]).fails(2, "PIPELINE_NOT_FOUND");
    assert!(stage.sessions().is_empty());
}

#[test]
fn two_resumes_at_once_do_not_run_a_step_twice() {
    let stage = stage(&[(
        "slow",
        "name: slow\nsteps:\n  - { name: a, adapter: command, run: \"echo x >> target/runs.log; test -e ok && while [ ! -e go ]; do :; done\" }\n",
    )]);
    if !stage.has_sandbox() {
        return;
    }
    // A folder that is written for real, so that the step is seen at work.
    stage.write("target/made-by-builds", "");
    stage.arki(&["run", "slow"]).fails(1, "STEP_FAILED");
    stage.write("ok", "");
    let running = stage.start(&["resume", "slow"]);
    wait_until("the step runs again", || stage.read("target/runs.log") == "x\nx\n");
    stage.arki(&["resume", "slow"]).fails(1, "SESSION_BUSY");
    assert_eq!(status(&stage)[0].1, "running");
    stage.write("go", "");
    running.end().exits(0);
    assert_eq!(stage.read("target/runs.log"), "x\nx\n");
}

#[test]
fn a_run_that_came_with_an_export_is_not_resumed() {
    let stage = stage(&[("gate", "name: gate\nsteps:\n  - { name: g, adapter: approval, message: Go? }\n")]);
    stage.arki(&["run", "gate"]).exits(3);
    let run = run_id(&stage);
    let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    let exported = stage.arki(&["sessions", "export", &session, "--format", "jsonl"]).exits(0).stdout;
    let other = crate::pipelines::stage(&[]);
    let file = other.write("export.jsonl", exported);
    other.arki(&["sessions", "import", file.to_str().unwrap()]).exits(0);
    other.arki(&["resume", &run]).fails(2, "RUN_NOT_FOUND");
}

#[test]
fn a_missing_fabric_is_told_with_what_to_do() {
    let stage = stage(&[]);
    stage.write("p.yaml", one("name: a, adapter: fabric, pattern: extract_wisdom"));
    let error = stage.arki(&["run", "p.yaml"]).fails(1, "STEP_TOOL_MISSING");
    assert!(error.hint.contains("adapter `agent`"), "{error:?}");
}

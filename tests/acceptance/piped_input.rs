//! What is piped in beside a prompt is appended to it: fenced, named, bounded, kept whole, and never dropped.

use crate::harness::{Done, Stage, payload, text};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

fn stage() -> Stage {
    Stage::new(vec![Turn::text("Understood.")])
}

fn prompt(stage: &Stage) -> String {
    text(&payload(&stage.log(), "run.started")["prompt"])
}

#[test]
fn a_pipe_and_a_file_are_appended_to_the_prompt() {
    let expected = "Why does it fail?\n\nStandard input (14 bytes):\n\n```\nerror: a\nline\n```\n";
    let piped = stage();
    piped.arki_reading(&["exec", "Why does it fail?"], "error: a\nline\n").exits(0);
    assert_eq!(prompt(&piped), expected);
    let told = piped.messages().last().unwrap()["content"].to_string();
    assert!(told.contains("error: a"), "{told}");
    assert_eq!(piped.sessions()[0]["title"], "Why does it fail?");
    let read = stage();
    let file = read.write("log.txt", "error: a\nline\n");
    let child = read.command(&["exec", "Why does it fail?"]).stdin(std::fs::File::open(file).unwrap()).spawn();
    Done::of_child(child.unwrap()).exits(0);
    assert_eq!(prompt(&read), expected);
}

#[test]
fn nothing_is_appended_where_nothing_is_piped_in_or_it_is_to_be_left_alone() {
    for (args, input) in [(&["exec", "hello"][..], ""), (&["exec", "hello", "--no-stdin"], "not this")] {
        let stage = stage();
        stage.arki_reading(args, input).exits(0);
        assert_eq!(prompt(&stage), "hello");
    }
    // A device is nobody's input.
    let device = stage();
    device.arki(&["exec", "hello"]).exits(0);
    assert_eq!(prompt(&device), "hello");
    let alone = stage();
    alone.arki_reading(&["exec", "-"], "the prompt itself").exits(0);
    assert_eq!(prompt(&alone), "the prompt itself");
    alone.arki_reading(&["exec", "--no-stdin"], "not this").fails(2, "USAGE");
}

#[test]
fn of_a_long_input_the_ends_are_in_the_prompt_and_the_model_can_read_all_of_it() {
    let input: String = (0..50_000).map(|line| format!("line {line}\n")).collect();
    let stage = Stage::new(vec![
        Turn::computed(|request: &Value| {
            let prompt = request["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
            let path = prompt.split('`').find(|word| word.starts_with("artifact:")).unwrap().to_owned();
            Turn::calls().call("read_file", json!({"path": path, "offset": 30_000, "limit": 1}))
        }),
        Turn::text("Read."),
    ]);
    stage.arki_reading(&["exec", "Sum it up"], &input).exits(0);
    let prompt = prompt(&stage);
    assert!(prompt.len() < 70_000 && prompt.contains("line 0\n") && prompt.contains("line 49999\n"));
    assert!(prompt.contains("are left out here"));
    let kept = payload(&stage.log(), "artifact.emitted");
    assert_eq!((&kept["name"], &kept["bytes"]), (&json!("standard-input.txt"), &json!(input.len())));
    assert!(stage.told().contains("line 29999"), "{}", stage.told());
    stage.verifies();
}

/// A pipe that nobody writes to, as some programs leave one to those that they start.
#[test]
fn it_says_what_it_waits_for_and_goes_on_waiting() {
    let stage = stage();
    let mut child = stage.command(&["exec", "hello"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut stderr, &mut line).unwrap();
    assert!(line.contains("standard input") && line.contains("--no-stdin"), "{line}");
    assert!(stage.sessions().is_empty(), "it waits");
    stdin.write_all(b"late\n").unwrap();
    drop(stdin);
    Done::of_child(child).exits(0);
    assert!(prompt(&stage).contains("late\n"));
}

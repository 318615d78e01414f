//! The real program with a real model on a real llama.cpp server.
//!
//! The model has 135 million parameters and calls tools when it likes to, so that the run offers all tools but asks for
//! words; that a call comes when the server enforces one is tested with a schema, which llama.cpp holds its models to.

use crate::servers::Server;
use arki_testkit::{Finished, TestHome, json_lines};
use serde_json::{Value, json};
use std::path::PathBuf;

fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("ARKI_BIN") {
        return named.into();
    }
    let this = std::env::current_exe().unwrap();
    let program = this.parent().unwrap().with_file_name(format!("arki{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: `cargo build -p arki-cli` makes it", program.display());
    program
}

fn exec(home: &TestHome, args: &[&str]) -> Vec<Value> {
    let done: Finished = home.run_arki(&program(), &[&["exec", "--json"], args].concat()).unwrap();
    assert_eq!(done.code, Some(0), "{}\n{}", done.stdout, done.stderr);
    json_lines(&done.stdout).unwrap()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

#[test]
fn a_run_with_tools_streams_is_stored_and_proves_itself() {
    let server = Server::llama();
    let home = TestHome::new(
        &format!("{}/v1", server.address()),
        &json!({"agents": {"arki": {"model": "mock/mock", "maxCompletionTokens": 48}}, "limits": {"maxTurns": 3}}),
    )
    .unwrap();
    home.write("notes.txt", "The answer is 42.\n").unwrap();
    assert_eq!(home.run_arki(&program(), &["trust"]).unwrap().code, Some(0));

    let events = exec(&home, &["Say hello in one short sentence."]);
    let pieces = of_kind(&events, "output.delta").len();
    assert!(pieces > 1, "nothing was streamed: {events:?}");
    let request = of_kind(&events, "engine.request");
    assert!(!request.is_empty(), "{events:?}");
    let message = of_kind(&events, "output.message");
    assert!(message[0]["payload"]["content"].as_str().is_some_and(|text| !text.trim().is_empty()), "{message:?}");
    let usage = &of_kind(&events, "engine.response")[0]["payload"]["usage"];
    assert!(usage["promptTokens"].as_u64() > Some(100), "the tools are part of the prompt: {usage}");
    assert_eq!(of_kind(&events, "run.completed").len(), 1, "{events:?}");

    let schema = home.write("schema.json", SCHEMA).unwrap();
    let events = exec(&home, &["--output-schema", &schema.to_string_lossy(), "Which file should be read first?"]);
    let said = of_kind(&events, "output.message");
    let said = said.last().unwrap()["payload"]["content"].as_str().unwrap();
    let said: Value = serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(said["tool"], "read_file", "llama.cpp holds its model to the schema: {said}");

    let verified = home.run_arki(&program(), &["verify"]).unwrap();
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// Such that few words fill it, so that the limit on them is not reached.
const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {"tool": {"enum": ["read_file"]}, "path": {"enum": ["notes.txt", "other.txt"]}},
    "required": ["tool", "path"],
    "additionalProperties": false
}"#;

//! A provider that refuses an optional part of the request is asked again at once without it, and never again with it.

use crate::harness::{Stage, payload, payloads};
use arki_domain::sha256_hex;
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

#[test]
fn a_refused_option_costs_no_run_no_retry_and_no_second_refusal() {
    let refused = json!({"error": {"message": "Unrecognized request argument supplied: stream_options"}});
    let turns = vec![Turn::json(400, refused), Turn::text("Here I am."), Turn::text("Again.")];
    let stage = Stage::of(Script::new(turns).sequential());
    let log = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&log, "run.completed")["response"], "Here I am.");
    assert_eq!(payloads(&log, "engine.retry"), Vec::<Value>::new());
    stage.exec(&["hello again"]).exits(0);
    let sent = stage.model.requests();
    let has_option: Vec<bool> = sent.iter().map(|request| request.json.get("stream_options").is_some()).collect();
    assert_eq!(has_option, [true, false, false]);
    let hashes: Vec<String> = sent.iter().map(|request| sha256_hex(&request.body)).collect();
    let told: Vec<String> = payloads(&log, "engine.request")
        .iter()
        .map(|request| request["requestHash"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, hashes[..2]);
    stage.verifies();
}

#[test]
fn a_needed_part_that_is_refused_ends_the_run_with_the_servers_words() {
    let refused = json!({"error": {"message": "Unsupported parameter: 'messages'"}});
    let stage = Stage::of(Script::new(vec![Turn::json(400, refused)]).sequential());
    let shown = stage.exec(&["hello"]).exits(1).json_error();
    assert!(shown.message.contains("Unsupported parameter: 'messages'"), "{shown:?}");
}

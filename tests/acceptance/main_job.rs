//! Trust a folder, ask for a change, find it on disk, and everything that happened in the log.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{MOCK_KEY, Script, Turn, kinds, stored, verify_chain};
use serde_json::{Value, json};

pub(crate) fn sixty_lines() -> String {
    (1..=60).map(|number| format!("line {number}\n")).collect()
}

/// Two edits far apart: two hunks.
pub(crate) fn two_edits() -> Value {
    json!({"path": "src/app.txt", "edits": [
        {"old_text": "line 5\n", "new_text": "LINE FIVE\n"},
        {"old_text": "line 50\n", "new_text": "LINE FIFTY ü\n"},
    ]})
}

pub(crate) fn look_edit_and_say() -> Vec<Turn> {
    vec![
        Turn::text("Let me look.").call("read_file", json!({"path": "src/app.txt"})),
        Turn::calls().call("edit_file", two_edits()),
        Turn::text("All done, 日本 done."),
    ]
}

fn edited() -> String {
    sixty_lines().replace("line 5\n", "LINE FIVE\n").replace("line 50\n", "LINE FIFTY ü\n")
}

fn change_it(script: Script) -> (Stage, Vec<Value>) {
    let stage = Stage::of(script);
    stage.write("src/app.txt", sixty_lines());
    let events = stage.exec(&["--approve", "edits", "change it"]).exits(0).lines();
    assert_eq!(stage.read("src/app.txt"), edited());
    (stage, events)
}

#[test]
fn the_main_job_is_done_however_the_answer_is_cut_into_pieces() {
    for script in [
        Script::new(look_edit_and_say()),
        Script::new(look_edit_and_say()).chunk(1),
        Script::new(look_edit_and_say()).chunk(7).keep_alive(),
    ] {
        let (_stage, events) = change_it(script);
        let completed = payload(&events, "run.completed");
        assert_eq!(completed["response"], "All done, 日本 done.");
        assert_eq!(completed["turns"], 3);
    }
}

#[test]
fn events_say_what_happened_in_the_order_in_which_it_happened() {
    let (stage, events) = change_it(Script::new(look_edit_and_say()));
    let a_turn = ["engine.request", "engine.response"];
    let expected: Vec<&str> = ["session.created", "trust.changed", "run.started"]
        .into_iter()
        .chain(a_turn)
        .chain(["output.message", "tool.call", "policy.decided", "tool.result"])
        .chain(a_turn)
        .chain(["tool.call", "policy.decided", "file.changed", "tool.result"])
        .chain(a_turn)
        .chain(["output.message", "memory.observed", "run.completed"])
        .collect();
    let stored = stored(&events);
    assert_eq!(kinds(&stored), expected);
    assert_eq!(stage.log(), stored, "what is printed live is what is stored");
}

#[test]
fn every_event_has_the_fields_of_the_contract() {
    let (_stage, events) = change_it(Script::new(look_edit_and_say()));
    for event in &events {
        let mut keys: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        if event["type"] == "output.delta" {
            assert_eq!(keys, ["eventId", "payload", "runId", "sessionId", "ts", "type"]);
            assert_eq!(event["payload"]["tokenType"], "LLM_RESPONSE");
        } else {
            assert_eq!(keys, ["eventId", "hash", "payload", "prevHash", "runId", "seq", "sessionId", "ts", "type"]);
        }
    }
    let deltas: String = payloads(&events, "output.delta").iter().map(|delta| text(&delta["text"])).collect();
    assert_eq!(deltas, "Let me look. All done, 日本 done. ");
    let decided = payloads(&events, "policy.decided");
    assert_eq!((&decided[0]["decision"], &decided[1]["rule"]), (&json!("allow"), &json!("approve:edits")));
    let changed = payload(&events, "file.changed");
    assert_eq!(changed["path"], "src/app.txt");
    assert_eq!(changed["beforeHash"], arki_domain::sha256_hex(sixty_lines().as_bytes()));
    assert_eq!(changed["afterHash"], arki_domain::sha256_hex(edited().as_bytes()));
    assert_eq!(changed["hunks"], json!([1, 2]));
    let started = payload(&events, "run.started");
    assert_eq!((&started["prompt"], &started["model"]), (&json!("change it"), &json!("mock/mock")));
}

#[test]
fn usage_sums_the_requests_of_the_run_and_an_unknown_cost_is_null() {
    let (stage, events) = change_it(Script::new(look_edit_and_say()));
    let usage = json!({"promptTokens": 300, "completionTokens": 30, "totalTokens": 330, "cachedTokens": 120,
        "costUsd": null});
    assert_eq!(payload(&events, "run.completed")["usage"], usage);
    assert_eq!(stage.model.requests().len(), 3, "requests go to the provider for turns only");
}

#[test]
fn the_hash_chain_recomputed_from_outside_is_whole() {
    let (stage, _) = change_it(Script::new(look_edit_and_say()));
    assert_eq!(verify_chain(&stage.log()), Ok(()));
    let report = stage.arki(&["verify", "--json"]).exits(0).lines();
    assert_eq!(report.len(), 1);
    assert_eq!((&report[0]["ok"], &report[0]["firstBrokenSeq"]), (&json!(true), &Value::Null));
}

#[test]
fn the_key_reaches_the_provider_and_nothing_else() {
    let (stage, _) = change_it(Script::new(look_edit_and_say()));
    for request in stage.model.requests() {
        assert_eq!(request.header("authorization"), Some(format!("Bearer {MOCK_KEY}").as_str()));
        assert!(!String::from_utf8_lossy(&request.body).contains(MOCK_KEY));
    }
    assert!(!stage.has_key_on_disk());
}

#[test]
fn what_was_sent_before_stays_the_same_bytes_so_that_prompt_caches_hit() {
    let (stage, _) = change_it(Script::new(look_edit_and_say()));
    let bodies: Vec<String> =
        stage.model.requests().iter().map(|request| String::from_utf8(request.body.clone()).unwrap()).collect();
    for pair in bodies.windows(2) {
        let unchanged = pair[0].trim_end_matches(['}', ']']);
        assert!(pair[1].starts_with(unchanged), "{}\n{}", pair[0], pair[1]);
    }
}

#[test]
fn for_people_the_answer_is_on_standard_output_and_the_tools_are_beside_it() {
    let stage = Stage::new(look_edit_and_say());
    stage.write("src/app.txt", sixty_lines());
    let done = stage.arki(&["exec", "--approve", "edits", "change it"]).exits(0);
    assert_eq!(done.stdout, "All done, 日本 done.\n");
    assert!(done.stderr.contains("Let me look."), "{}", done.stderr);
    assert!(done.stderr.contains("read_file src/app.txt") && done.stderr.contains("± src/app.txt"), "{}", done.stderr);
    assert!(!done.stderr.contains('\x1b'), "colours where there is no terminal");
}

#[test]
fn the_prompt_may_come_from_standard_input() {
    for args in [&["exec", "--json", "-"][..], &["exec", "--json"]] {
        let stage = Stage::new(vec![Turn::text("ok")]);
        stage.arki_reading(args, "from a pipe\n").exits(0);
        assert_eq!(stage.messages().last().unwrap()["content"], "from a pipe\n");
    }
}

#[test]
fn the_demo_model_needs_no_key_and_no_configuration() {
    let stage = Stage::new(Vec::new());
    std::fs::remove_file(stage.home.config_dir().join("config.json")).unwrap();
    stage.write("notes.md", "a note\n");
    let events = stage.exec(&["--approve", "edits", "hello"]).exits(0).lines();
    assert!(!text(&payload(&events, "run.completed")["response"]).is_empty());
    assert!(stage.model.requests().is_empty());
}

#[test]
fn a_program_gets_the_answer_as_the_model_wrote_it() {
    const ANSWER: &str = "A\u{1b}]0;a title of four words\u{7} \u{1b}[2J B\r\n👩\u{200d}👧";
    let stage = Stage::new(vec![Turn::text(ANSWER)]);
    let answer = stage.arki(&["exec", "hello"]).exits(0).stdout;
    assert_eq!(answer.trim_end_matches([' ', '\n']), ANSWER);
    let shown = stage.arki(&["sessions", "show", stage.sessions()[0]["sessionId"].as_str().unwrap()]).exits(0).stdout;
    assert!(!shown.contains('\u{1b}') && shown.contains("A\\u{1b}]0;a title"), "{shown}");
}

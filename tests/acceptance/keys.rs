//! A key reaches its provider and nothing else: not the disk, not the log, not the terminal, not the model.

use crate::harness::{Stage, contains, files_below, payload, payloads, text};
use arki_testkit::{MOCK_KEY, Script, Turn};
use serde_json::{Value, json};

fn is_kept(stage: &Stage) -> bool {
    let kept = files_below(&stage.home.data_dir());
    assert!(!kept.is_empty());
    kept.iter().any(|file| contains(&std::fs::read(file).unwrap(), MOCK_KEY.as_bytes()))
}

fn was_sent(stage: &Stage) -> bool {
    stage.model.requests().iter().any(|request| contains(&request.body, MOCK_KEY.as_bytes()))
}

fn delta(content: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": null}]})
}

#[test]
fn a_key_that_the_model_says_is_redacted_however_it_is_cut() {
    for piece in [1, 5, 13, MOCK_KEY.len()] {
        let mut chunks = vec![delta("The key is ")];
        chunks.extend(MOCK_KEY.as_bytes().chunks(piece).map(|piece| delta(std::str::from_utf8(piece).unwrap())));
        chunks.push(delta(", believe me."));
        chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        let stage = Stage::new(vec![Turn::chunks(&chunks)]);
        let events = stage.exec(&["what is the key?"]).exits(0).lines();
        let shown: String = payloads(&events, "output.delta").iter().map(|delta| text(&delta["text"])).collect();
        let response = text(&payload(&events, "run.completed")["response"]);
        for said in [&shown, &response] {
            assert!(said.starts_with("The key is ") && said.ends_with(", believe me."), "{said}");
            assert!(!said.contains(MOCK_KEY) && !said.contains("0123456789abcdef"), "{said}");
        }
        assert!(!is_kept(&stage));
    }
}

#[test]
fn a_key_in_a_tools_output_is_redacted_before_it_is_stored_or_sent() {
    let leak = format!("MOCK_KEY={MOCK_KEY}\n");
    for (tool, args) in [
        ("read_file", json!({"path": "notes.txt"})),
        ("search_files", json!({"pattern": "MOCK"})),
        ("run_command", json!({"command": "cat notes.txt"})),
    ] {
        let stage = Stage::new(vec![Turn::calls().call(tool, args), Turn::text("I see.")]);
        stage.write("notes.txt", &leak);
        let done = stage.exec(&["look"]);
        if done.code == Some(3) {
            stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
        }
        assert!(stage.told().contains("MOCK_KEY="), "{}", stage.told());
        assert!(!was_sent(&stage) && !is_kept(&stage), "{tool}");
        stage.verifies();
    }
}

#[test]
fn a_key_in_the_arguments_of_a_call_is_redacted() {
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", json!({"path": "a.txt", "content": format!("key = {MOCK_KEY}\n")})),
        Turn::text("Done."),
    ]);
    stage.exec(&["write the key down"]).exits(3);
    stage.arki(&["approvals", "show", &stage.waiting()]).exits(0);
    assert!(!is_kept(&stage));
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert_eq!(stage.read("a.txt"), format!("key = {MOCK_KEY}\n"), "the user has agreed to just this");
    assert!(!Value::from(stage.log()).to_string().contains(MOCK_KEY), "only the file's image has it, besides the file");
    assert!(!was_sent(&stage));
}

#[test]
fn a_key_in_the_prompt_is_redacted_before_it_is_stored_or_sent() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    stage.exec(&[&format!("my key is {MOCK_KEY}, is it good?")]).exits(0);
    assert!(!was_sent(&stage) && !is_kept(&stage));
    let prompt = text(&payload(&stage.log(), "run.started")["prompt"]);
    assert!(prompt.starts_with("my key is ") && prompt.ends_with(", is it good?"), "{prompt}");
}

#[test]
fn a_provider_that_repeats_the_key_in_its_error_does_not_give_it_away() {
    let error =
        json!({"error": {"message": format!("Incorrect API key provided: {MOCK_KEY}"), "code": "invalid_api_key"}});
    let stage = Stage::new(vec![Turn::json(401, error)]);
    stage.exec(&["hello"]).fails(1, "KEY_REFUSED");
    assert!(!is_kept(&stage));
}

#[test]
fn a_server_that_repeats_the_key_of_another_provider_does_not_give_it_away() {
    let error = json!({"error": {"message": format!("no such key: {MOCK_KEY}")}});
    let stage =
        Stage::configured(Script::new(vec![Turn::json(400, error.clone()), Turn::json(400, error)]), &json!({}));
    let url = format!("{}/v1", stage.model.url().trim_end_matches("/v1"));
    let mut config: Value =
        serde_json::from_str(&std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap()).unwrap();
    config["providers"]["other"] = json!({"kind": "custom", "baseUrl": url});
    stage.write_config(&config.to_string());
    // That nothing which is printed has the key in it is checked wherever a program ends.
    stage.exec(&["--model", "other/m", "hello"]).exits(1).json_error();
    stage.arki(&["providers", "test", "other", "--model", "m", "--json"]).exits(1);
    assert!(!is_kept(&stage));
}

#[test]
fn a_variable_that_is_to_hold_the_key_and_is_not_set_is_named_before_anything_is_sent() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    let url = format!("{}/v1", stage.model.url().trim_end_matches("/v1"));
    let lab = json!({"kind": "custom", "baseUrl": url, "isLocal": true, "apiKeyEnv": "LAB_KEY_OF_NOBODY"});
    stage.write_config(&json!({"providers": {"lab": lab}}).to_string());
    let done = stage.exec(&["--model", "lab/m", "hello"]).exits(1);
    let error = done.json_error();
    assert_eq!(error.code, "KEY_MISSING");
    assert!(done.stderr.contains("LAB_KEY_OF_NOBODY") && done.stderr.contains("apiKeyEnv"), "{}", done.stderr);
    assert!(stage.model.requests().is_empty());
}

#[test]
fn the_list_of_providers_says_where_a_key_comes_from_and_never_what_it_is() {
    let stage = Stage::new(Vec::new());
    for command in ["providers", "keys"] {
        let args: &[&str] = if command == "keys" { &["keys", "list", "--json"] } else { &["providers", "--json"] };
        let listed = stage.arki(args).exits(0).lines();
        let mock = listed.iter().find(|provider| provider["provider"] == "mock" || provider["name"] == "mock").unwrap();
        assert_eq!(mock["keySource"], "environment");
    }
    let models = stage.arki(&["models", "--json"]).exits(0).lines();
    assert!(models.iter().any(|model| model["id"] == "mock/mock"), "{models:?}");
}

#[test]
fn diagnostics_do_not_show_the_key_even_at_the_finest_level() {
    let stage = Stage::of(Script::new(vec![Turn::text("ok")]));
    // That nothing which is printed has the key in it is checked wherever a program ends.
    stage.exec(&["--log", "trace", "hello"]).exits(0);
}

#[test]
fn the_list_of_providers_shows_an_address_without_its_password() {
    let stage = Stage::new(Vec::new());
    let provider = json!({"kind": "custom", "baseUrl": "http://bob:PASSWORD@127.0.0.1:9/v1/"});
    stage.write_config(&json!({"providers": {"lab": provider}}).to_string());
    let listed = stage.arki(&["providers", "--json"]).exits(0);
    assert!(listed.lines().iter().any(|entry| entry["baseUrl"] == "http://127.0.0.1:9/v1"), "{listed:?}");
    for done in [listed, stage.arki(&["providers"]).exits(0), stage.arki(&["doctor"])] {
        let all = done.stdout + &done.stderr;
        assert!(!all.contains("PASSWORD") && !all.contains("bob"), "{all}");
    }
}

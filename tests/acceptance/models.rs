//! What is known of models: the catalogue's figures, the user's over them, and nothing made up.

use crate::harness::{Stage, payload};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn listed(models: &Value) -> Vec<Value> {
    let stage = Stage::new(Vec::new());
    let lab = json!({"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1", "models": {"x": {}}});
    let local = json!({"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1", "isLocal": true, "models": {"x": {}}});
    stage.write_config(
        &json!({"providers": {"openai": {"kind": "openai", "models": models}, "lab": lab, "local": local}}).to_string(),
    );
    stage.arki(&["models", "--json"]).exits(0).lines()
}

fn model<'a>(models: &'a [Value], id: &str) -> &'a Value {
    models.iter().find(|model| model["id"] == id).unwrap_or_else(|| panic!("{id} is not listed"))
}

#[test]
fn a_vendors_models_are_listed_with_window_price_source_and_date() {
    let models = listed(&json!({}));
    let known = model(&models, "openai/gpt-5.1");
    assert_eq!((&known["source"], &known["contextWindow"]), (&json!("catalogue"), &json!(400_000)));
    assert_eq!((&known["price"]["input"], &known["price"]["output"]), (&json!(1.25), &json!(10.0)));
    assert_eq!(known["outputLimit"], 128_000);
    let date = known["catalogueDate"].as_str().unwrap();
    assert!(date.starts_with("20") && date.len() == 10, "{date}");
}

#[test]
fn what_is_local_is_free_and_what_is_unknown_is_not() {
    let models = listed(&json!({}));
    let local = model(&models, "local/x");
    assert_eq!((&local["source"], &local["price"]["output"]), (&json!("local"), &json!(0.0)));
    let unknown = model(&models, "lab/x");
    assert_eq!((&unknown["source"], &unknown["price"]), (&json!("default"), &Value::Null));
    assert!(unknown["catalogueDate"].is_null());
}

#[test]
fn the_users_figures_go_before_the_catalogues() {
    let models = listed(&json!({"gpt-5.1": {"contextWindow": 9000, "price": {"input": 7, "output": 8}}, "new": {}}));
    let configured = model(&models, "openai/gpt-5.1");
    assert_eq!((&configured["source"], &configured["contextWindow"]), (&json!("configuration"), &json!(9000)));
    assert_eq!((&configured["price"]["input"], &configured["outputLimit"]), (&json!(7.0), &json!(128_000)));
    assert_eq!(model(&models, "openai/new")["source"], "default");
}

#[test]
fn a_window_that_nobody_has_told_is_said_to_be_assumed() {
    let models = listed(&json!({"new": {"price": {"input": 1, "output": 2}}, "gpt-next": {"contextWindow": 9000}}));
    let assumed = |id| model(&models, id)["contextWindowAssumed"].as_bool().unwrap();
    assert!(assumed("lab/x") && assumed("local/x") && assumed("openai/new"), "{models:?}");
    assert!(!assumed("openai/gpt-5.1") && !assumed("openai/gpt-next") && !assumed("demo/demo"), "{models:?}");
}

/// Without a slash and `v1` at its end.
fn root(stage: &Stage) -> String {
    stage.model.url().replace("/v1", "")
}

#[test]
fn a_run_gives_ollama_the_window_that_it_says_the_model_has() {
    let line = json!({"message": {"content": "Yes."}, "done": true, "done_reason": "stop"});
    let about = json!({"model_info": {"q.context_length": 8192}, "capabilities": ["completion", "tools"]});
    let script = Script::new(vec![Turn::raw(200, "application/x-ndjson", format!("{line}\n"))]);
    let stage = Stage::of(script.telling("/api/show", about));
    let provider = json!({"kind": "ollama", "baseUrl": root(&stage)});
    stage.write_config(
        &json!({"agents": {"arki": {"model": "local/qwen3"}}, "providers": {"local": provider}}).to_string(),
    );
    let events = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&events, "engine.request")["contextWindow"], 8192);
    assert_eq!(stage.model.requests()[0].json["options"]["num_ctx"], 8192);
    // Nothing was counted, and nothing is owed.
    assert_eq!(payload(&events, "run.completed")["usage"]["costUsd"], 0.0);
    stage.write("x.png", include_bytes!("../fixtures/pixel.png"));
    let picture = stage.path("x.png").display().to_string();
    let shown = stage.exec(&["--image", &picture, "what is this?"]).fails(2, "USAGE");
    assert!(shown.message.contains("local/qwen3 can't see"), "{shown:?}");
    assert_eq!(stage.model.requests().len(), 1);
}

#[test]
fn a_run_knows_the_window_that_its_server_lists_and_none_that_is_assumed() {
    let list = json!({"data": [{"id": "mock", "max_model_len": 4096}, {"id": "other"}]});
    let stage = Stage::of(Script::new(vec![Turn::text("Yes.")]).telling("/v1/models", list));
    let provider = json!({"kind": "custom", "baseUrl": stage.model.url()});
    stage.write_config(&json!({"providers": {"lab": provider}}).to_string());
    let window = |model: &str| {
        let events = stage.exec(&["--model", model, "hello"]).exits(0).lines();
        payload(&events, "engine.request")["contextWindow"].clone()
    };
    assert_eq!((window("lab/mock"), window("lab/other")), (json!(4096), Value::Null));
}

#[test]
fn a_picture_is_not_sent_to_a_model_that_is_known_not_to_see() {
    let blind = json!({"data": [{"id": "mock", "architecture": {"input_modalities": ["text"]}}]});
    let stage = Stage::of(Script::new(vec![Turn::text("A picture.")]).telling("/v1/models", blind));
    stage.write("x.png", include_bytes!("../fixtures/pixel.png"));
    let picture = stage.path("x.png").display().to_string();
    let show = |model: Value| {
        let provider = json!({"kind": "custom", "baseUrl": stage.model.url(), "models": {"mock": model}});
        stage.write_config(&json!({"providers": {"lab": provider}}).to_string());
        stage.exec(&["--model", "lab/mock", "--image", &picture, "what is this?"])
    };
    for model in [json!({}), json!({"contextWindow": 9000}), json!({"capabilities": ["text", "tool_use"]})] {
        let shown = show(model.clone()).fails(2, "USAGE");
        assert!(shown.message.contains("lab/mock can't see"), "{model}: {shown:?}");
    }
    assert!(stage.model.requests().is_empty() && stage.sessions().is_empty());
    show(json!({"capabilities": ["text", "vision"]})).exits(0);
}

#[test]
fn people_are_told_the_price_and_how_old_the_catalogue_is() {
    let stage = Stage::new(Vec::new());
    stage.write_config(&json!({"providers": {"openai": {"kind": "openai"}}}).to_string());
    let done = stage.arki(&["models"]).exits(0);
    assert!(done.stdout.contains("$1.25 in, $10 out"), "{}", done.stdout);
    assert!(done.stderr.contains("the built-in catalogue is from 20"), "{}", done.stderr);
}

#[test]
fn what_a_local_server_lists_is_added_and_one_that_is_down_is_named_beside_the_list() {
    let stage = Stage::new(Vec::new());
    let down = json!({"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1", "isLocal": true});
    let up = json!({"kind": "custom", "baseUrl": stage.model.url(), "isLocal": true});
    stage.write_config(&json!({"providers": {"down": down, "up": up}}).to_string());
    let done = stage.arki(&["models", "--json"]).exits(0);
    assert_eq!(model(&done.lines(), "up/mock")["source"], "local");
    assert!(done.stderr.contains("Can't list the models of down:"), "{}", done.stderr);
}

//! What is known of models: the catalogue's figures, the user's over them, and nothing made up.

use crate::harness::Stage;
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
fn people_are_told_the_price_and_how_old_the_catalogue_is() {
    let stage = Stage::new(Vec::new());
    stage.write_config(&json!({"providers": {"openai": {"kind": "openai"}}}).to_string());
    let done = stage.arki(&["models"]).exits(0);
    assert!(done.stdout.contains("$1.25 in, $10 out"), "{}", done.stdout);
    assert!(done.stderr.contains("the catalogue's are of 20"), "{}", done.stderr);
}

#[test]
fn what_a_local_server_lists_is_added_and_one_that_is_down_is_named_beside_the_list() {
    let stage = Stage::new(Vec::new());
    let down = json!({"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1", "isLocal": true});
    let up = json!({"kind": "custom", "baseUrl": stage.model.url(), "isLocal": true});
    stage.write_config(&json!({"providers": {"down": down, "up": up}}).to_string());
    let done = stage.arki(&["models", "--json"]).exits(0);
    assert_eq!(model(&done.lines(), "up/mock")["source"], "local");
    assert!(done.stderr.contains("down: its models could not be listed."), "{}", done.stderr);
}

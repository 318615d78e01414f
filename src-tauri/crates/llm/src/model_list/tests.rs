use super::*;
use serde_json::json;

fn of(value: &Value) -> Vec<(String, Option<u64>)> {
    let models = parse(value.to_string().as_bytes()).unwrap();
    models.into_iter().map(|model| (model.id, model.context_window)).collect()
}

fn one(id: &str, window: impl Into<Option<u64>>) -> Vec<(String, Option<u64>)> {
    vec![(id.to_owned(), window.into())]
}

#[test]
fn each_servers_own_word_for_the_window_is_read() {
    let cases = [
        (json!({"data": [{"id": "vllm", "max_model_len": 8192}]}), one("vllm", 8192)),
        (json!({"data": [{"id": "llama", "meta": {"n_ctx": 4096, "n_ctx_train": 131_072}}]}), one("llama", 4096)),
        (json!({"data": [{"id": "llama", "meta": {"n_ctx_train": 131_072}}]}), one("llama", None)),
        (json!({"data": [{"id": "a/b", "context_length": 400_000}]}), one("a/b", 400_000)),
        (json!([{"id": "together", "context_length": 0}]), one("together", None)),
        (json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b"}]}), one("qwen3:8b", None)),
        (json!({"models": [{"name": "models/gemini-x", "inputTokenLimit": 1_048_576}]}), one("gemini-x", 1_048_576)),
    ];
    for (body, expected) in cases {
        assert_eq!(of(&body), expected, "{body}");
    }
}

#[test]
fn what_is_no_list_is_not_an_empty_one() {
    assert_eq!(parse(b"<html>"), None);
    assert_eq!(parse(br#"{"status": "ok"}"#), None);
    assert_eq!(parse(br#"{"data": []}"#), Some(Vec::new()));
}

#[test]
fn names_that_could_not_be_printed_and_models_that_only_embed_are_left_out() {
    let long = "x".repeat(MAX_NAME_BYTES + 1);
    let embeds = json!({"name": "models/e", "supportedGenerationMethods": ["embedContent"]});
    let talks = json!({"name": "models/t", "supportedGenerationMethods": ["countTokens", "generateContent"]});
    assert_eq!(
        of(&json!({"models": [{"id": "a\u{1b}[2J"}, {"id": long}, {"id": ""}, {}, embeds, talks]})),
        one("t", None)
    );
}

#[test]
fn a_list_has_an_end() {
    let many: Vec<Value> = (0..=MAX_MODELS).map(|number| json!({"id": number.to_string()})).collect();
    assert_eq!(of(&json!(many)).len(), MAX_MODELS);
}

#[test]
fn ollama_says_what_a_model_can_do() {
    let body = json!({
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960, "qwen3.rope": 1},
        "capabilities": ["completion", "tools", "thinking"],
    });
    let shown = shown_by_ollama("qwen3", body.to_string().as_bytes()).unwrap();
    assert_eq!(shown.context_window, Some(40_960));
    use Capability::{Reasoning, Streaming, Text, ToolUse};
    assert_eq!(shown.capabilities, Some(vec![Text, Streaming, ToolUse, Reasoning]));
    assert_eq!(shown_by_ollama("embed", br#"{"capabilities": ["embedding"]}"#), None);
    let old = shown_by_ollama("old", b"{}").unwrap();
    assert_eq!((old.context_window, old.capabilities), (None, None));
}

#[test]
fn what_a_model_was_trained_on_is_told_apart_from_what_it_was_started_with() {
    let models = parse(br#"{"data": [{"id": "llama", "meta": {"n_ctx_train": 131072}}]}"#).unwrap();
    assert_eq!((models[0].context_window, models[0].trained_window), (None, Some(131_072)));
    let props = json!({"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2});
    assert_eq!(window_of_props(props.to_string().as_bytes()), Some(4096));
    assert_eq!(window_of_props(b"<html>"), None);
}

#[test]
fn a_list_may_say_what_a_model_takes_besides_text() {
    let model = |inputs: Value| json!({"id": "m", "architecture": {"input_modalities": inputs}});
    let list = json!([model(json!(["text"])), model(json!(["text", "image"])), {"id": "m"}]).to_string();
    let sees = |listed: &ListedModel| listed.capabilities.as_ref().map(|all| all.contains(&Capability::Vision));
    let told: Vec<_> = parse(list.as_bytes()).unwrap().iter().map(sees).collect();
    assert_eq!(told, [Some(false), Some(true), None]);
}

#[test]
fn ollama_says_which_window_was_chosen_for_a_model() {
    let body = json!({"parameters": "stop \"<|end|>\"\nnum_ctx                        16384\nnum_predict 1"});
    let shown = shown_by_ollama("m", body.to_string().as_bytes()).unwrap();
    assert_eq!((shown.context_window, shown.chosen_window), (None, Some(16_384)));
    let loaded = json!({"models": [{"name": "a:latest", "context_length": 65_536}, {"name": "b"}, {}]});
    assert_eq!(loaded_by_ollama(loaded.to_string().as_bytes()), [("a:latest".to_owned(), 65_536)]);
    assert_eq!(loaded_by_ollama(b"404"), []);
    assert!(is_called(ProviderKind::Ollama, "a:latest", "a") && !is_called(ProviderKind::Custom, "a:latest", "a"));
}

#[test]
fn each_vendor_gets_its_key_where_it_looks() {
    let key = Secret::new("k");
    let names = |kind| {
        let headers = headers(kind, Some(&key)).unwrap();
        headers.into_iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(names(ProviderKind::Anthropic), ["anthropic-version: 2023-06-01", "x-api-key: k"]);
    assert_eq!(names(ProviderKind::Gemini), ["x-goog-api-key: k"]);
    assert_eq!(names(ProviderKind::Deepseek), ["authorization: Bearer k"]);
    assert!(headers(ProviderKind::Openai, None).unwrap().is_empty());
}

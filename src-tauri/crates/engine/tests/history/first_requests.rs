//! The first request of a client that can answer questions, as the window is: the acceptance tests have those of `arki`,
//! which can't.

use crate::stage::Stage;
use arki_domain::{ApprovalMode, RunOptions};
use arki_engine::StartRun;
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::path::Path;

const MOST_BYTES: usize = 11 * 1024;

const FORMATS: [(&str, &str); 7] = [
    ("openai", "gpt-5.1"),
    ("openai-chat", "gpt-5.1"),
    ("anthropic", "claude-opus-4-6"),
    ("gemini", "gemini-3.1-pro-preview"),
    ("ollama", "qwen3"),
    ("deepseek", "deepseek-v4-pro"),
    ("openrouter", "openai/gpt-5.1"),
];

const MODES: [(&str, ApprovalMode, bool); 5] = [
    ("ask", ApprovalMode::Ask, false),
    ("edits", ApprovalMode::Edits, false),
    ("all", ApprovalMode::All, false),
    ("never", ApprovalMode::Never, false),
    ("plan", ApprovalMode::Ask, true),
];

/// Returns the first request, without the parts that differ from machine to machine and from day to day.
async fn first_request(kind: &str, model: &str, (mode, approve, plan): (&str, ApprovalMode, bool)) -> Value {
    let mut stage = Stage::new(vec![Turn::json(401, json!({"error": {"message": "no"}}))]).await;
    let root = stage.model_url().trim_end_matches("/v1").to_owned();
    stage.configure("agents", json!({"arki": {"model": format!("lab/{model}")}}));
    stage.configure("providers", json!({"lab": {"kind": kind, "baseUrl": root, "apiKeyEnv": "MOCK_KEY"}}));
    stage.put_questions();
    let options = RunOptions { approve, plan, ..RunOptions::default() };
    let start = StartRun { options, prompt: "hi".into(), ..stage.new_session() };
    let (_, ended) = stage.client.start_run(start).await.unwrap();
    ended.await.unwrap().unwrap();
    let sent = stage.requests().into_iter().find(|sent| sent.contains("You are Arki")).expect("a request");
    assert!(sent.len() <= MOST_BYTES, "{kind} {mode}: {} bytes", sent.len());
    let project = stage.home.project_dir().canonicalize().unwrap().display().to_string();
    let system = sent.split_once("System: ").and_then(|(_, rest)| rest.split_once(".\\n")).unwrap().0.to_owned();
    let mut plain: Value = serde_json::from_str(&sent.replace(&system, "OS").replace(&project, "PROJECT")).unwrap();
    // It is the hash of what is replaced.
    if let Some(key) = plain.get_mut("prompt_cache_key") {
        *key = json!("KEY");
    }
    plain
}

/// Compares with the reviewed file; `ARKI_REVIEW=1` writes it anew.
fn assert_reviewed(name: &str, found: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/first_requests");
    let file = folder.join(format!("interactive-{name}"));
    if std::env::var_os("ARKI_REVIEW").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let reviewed = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(reviewed, found, "{} differs: review it, with ARKI_REVIEW=1", file.display());
}

/// Every text in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_format_sends_what_was_reviewed_where_questions_are_answered() {
    for (kind, model) in FORMATS {
        let asked = first_request(kind, model, MODES[0]).await;
        assert!(texts(&asked).contains(&"ask_user"), "{kind} offers no question");
        assert_reviewed(&format!("{kind}.json"), &format!("{asked:#}\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_mode_says_in_each_format_that_questions_are_answered() {
    for (kind, model) in FORMATS {
        for mode in MODES {
            let request = first_request(kind, model, mode).await;
            let mut lines = texts(&request).into_iter().flat_map(str::lines);
            let line = lines.find(|line| line.starts_with("Mode when this run began: ")).unwrap();
            assert!(!line.contains("Nobody can answer"), "{line}");
            assert_reviewed(&format!("mode-{}.txt", mode.0), &format!("{line}\n"));
        }
    }
}

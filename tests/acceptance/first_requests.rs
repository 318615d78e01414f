//! The first request of every wire format in every mode, as it goes out: reviewed as snapshots, and small.
//!
//! A request is its format's in the mode `ask` but for the words of its mode, so each format has one snapshot and each mode
//! another.

use crate::harness::{Stage, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

/// What it is made of is paid for in every session.
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

const MODES: [(&str, &[&str]); 6] = [
    ("ask", &["--approve", "ask"]),
    ("edits", &["--approve", "edits"]),
    ("all", &["--approve", "all"]),
    ("never", &["--approve", "never"]),
    ("plan", &["--plan"]),
    ("untrusted", &[]),
];

/// The first request, without what is of this machine and day.
fn first_request(kind: &str, model: &str, mode: (&str, &[&str])) -> Value {
    let stage = Stage::untrusted(Script::new(vec![Turn::json(401, json!({"error": {"message": "no"}}))]), &Value::Null);
    let root = stage.model.url().trim_end_matches("/v1").to_owned();
    let config = json!({
        "agents": {"arki": {"model": format!("lab/{model}")}},
        "providers": {"lab": {"kind": kind, "baseUrl": root, "apiKeyEnv": "MOCK_KEY"}},
    });
    stage.write_config(&config.to_string());
    if mode.0 != "untrusted" {
        stage.trust();
    }
    stage.exec(&[mode.1, &["hi"]].concat());
    let sent = stage.model.requests().into_iter().find(|request| request.json.to_string().contains("You are Arki"));
    let sent = sent.unwrap_or_else(|| panic!("{kind} was asked nothing"));
    assert!(sent.body.len() <= MOST_BYTES, "{kind} {}: {} bytes", mode.0, sent.body.len());
    let plain = sent.json.to_string();
    let project = stage.home.project_dir().canonicalize().unwrap().display().to_string();
    let system = plain.split_once("System: ").and_then(|(_, rest)| rest.split_once(".\\n")).unwrap().0;
    let mut plain: Value = serde_json::from_str(&plain.replace(system, "OS").replace(&project, "PROJECT")).unwrap();
    // It is the hash of what is replaced.
    if let Some(key) = plain.get_mut("prompt_cache_key") {
        *key = json!("KEY");
    }
    plain
}

fn system_of(request: &Value) -> String {
    let chat = &request["messages"][0]["content"];
    let places =
        [&request["instructions"], &request["system"], &request["systemInstruction"]["parts"][0]["text"], chat];
    places.into_iter().find_map(Value::as_str).map(str::to_owned).unwrap_or_else(|| text(&request["system"][0]["text"]))
}

/// Compares with the reviewed file; `ARKI_REVIEW=1` writes it anew.
fn assert_reviewed(name: &str, found: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/first_requests").join(name);
    if std::env::var_os("ARKI_REVIEW").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let reviewed = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(reviewed, found, "{} differs: review it, with ARKI_REVIEW=1", file.display());
}

fn is_mode_line(line: &str) -> bool {
    line.starts_with("Mode when this run began: ")
}

#[test]
fn each_format_sends_what_was_reviewed() {
    for (kind, model) in FORMATS {
        let asked = first_request(kind, model, MODES[0]);
        assert_reviewed(&format!("{kind}.json"), &format!("{asked:#}\n"));
    }
}

#[test]
fn each_mode_is_told_the_truth_in_each_format() {
    for (kind, model) in FORMATS {
        for mode in MODES {
            let system = system_of(&first_request(kind, model, mode));
            let line = system.lines().find(|line| is_mode_line(line)).unwrap();
            assert_reviewed(&format!("mode-{}.txt", mode.0), &format!("{line}\n"));
            assert_eq!(system.contains("This run is for planning"), mode.0 == "plan");
        }
    }
}

//! Models that servers list, and the test of a connection, against servers that answer by path.

use crate::harness::{keys, request, settings, user};
use arki_llm::{
    ModelSettings, ModelSource, ProviderKind, ProviderSettings, Providers, TestOutcome, TestStep, TestStepName,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Paths = fn(&str) -> (u16, Value);

/// Answers every request by its method and path, and keeps what it was asked.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(paths: Paths) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, paths, Arc::clone(&log)));
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> String {
        self.asked.lock().unwrap().join("\n")
    }
}

async fn serve(mut stream: TcpStream, paths: Paths, asked: Arc<Mutex<Vec<String>>>) {
    let mut request = Vec::new();
    let complete = |request: &[u8]| {
        let text = String::from_utf8_lossy(request).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok());
        body.len() >= length.unwrap_or(0)
    };
    while !complete(&request) {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 => request.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let line = request.lines().next().unwrap_or_default().to_owned();
    asked.lock().unwrap().push(request);
    let (status, body) = paths(line.trim_end_matches(" HTTP/1.1"));
    let (media_type, body) = match body {
        Value::String(events) => ("text/event-stream", events),
        body => ("application/json", body.to_string()),
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}

fn answers(word: &str) -> Value {
    let piece = json!({"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": "stop"}]});
    json!(format!("data: {piece}\n\ndata: [DONE]\n\n"))
}

fn open_server(request: &str) -> (u16, Value) {
    match request {
        "GET /v1/models" => (200, json!({"data": [{"id": "tiny", "max_model_len": 2048}, {"id": "big"}]})),
        "POST /v1/chat/completions" => (200, answers("OK")),
        _ => (404, json!({"error": {"message": "nothing here"}})),
    }
}

async fn test(settings: ProviderSettings, with: &[&'static str], model: Option<&str>) -> Vec<TestStep> {
    let name = settings.name.clone();
    let providers = Providers::new(vec![settings], keys(with));
    let mut steps = Vec::new();
    let passed = providers.test(&name, model, &mut |step| steps.push(step)).await.unwrap();
    let failed = steps.iter().position(|step| matches!(step.outcome, TestOutcome::Failed(_)));
    assert_eq!(passed, failed.is_none());
    assert!(failed.is_none_or(|position| position == steps.len() - 1), "went on after a failure: {steps:?}");
    steps
}

fn words(steps: &[TestStep]) -> Vec<(TestStepName, String)> {
    let words = |outcome: &TestOutcome| match outcome {
        TestOutcome::Ok(words) => format!("ok: {words}"),
        TestOutcome::Skipped(words) => format!("skipped: {words}"),
        TestOutcome::Failed(fault) => format!("{}: {}", fault.code, fault.message),
    };
    steps.iter().map(|step| (step.name, words(&step.outcome))).collect()
}

fn last(steps: &[TestStep]) -> (TestStepName, String) {
    words(steps).pop().unwrap()
}

#[tokio::test]
async fn every_step_tells_what_it_found_down_to_a_word() {
    let server = Server::start(open_server).await;
    let steps = words(&test(settings(&format!("{}/v1", server.url)), &[], Some("tiny")).await);
    use TestStepName::{Answer, Key, Model, Models, Reach, Settings, Tls};
    let names: Vec<TestStepName> = steps.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [Settings, Key, Reach, Tls, Models, Model, Answer]);
    assert!(steps[1].1.starts_with("skipped"), "{steps:?}");
    assert!(steps[3].1.starts_with("skipped"), "{steps:?}");
    assert_eq!(steps[4].1, "ok: It lists 2 models.");
    assert_eq!(steps[5].1, "ok: “tiny” is listed, with a window of 2048 tokens.");
    assert!(steps[6].1.starts_with("ok: It answers “OK”"), "{steps:?}");
    assert!(server.asked().contains(r#""max_tokens":32"#), "{}", server.asked());
}

#[tokio::test]
async fn nothing_is_asked_of_a_model_that_was_not_named() {
    let server = Server::start(open_server).await;
    let steps = test(settings(&format!("{}/v1", server.url)), &[], None).await;
    assert_eq!(last(&steps).0, TestStepName::Models);
    assert!(!server.asked().contains("POST"), "{}", server.asked());
}

#[tokio::test]
async fn a_server_without_a_list_is_no_failure_and_an_unlisted_model_may_answer() {
    fn only_answers(request: &str) -> (u16, Value) {
        if request.starts_with("GET") { (404, json!({})) } else { open_server(request) }
    }
    let server = Server::start(only_answers).await;
    let steps = words(&test(settings(&format!("{}/v1", server.url)), &[], Some("any")).await);
    assert_eq!(steps[4].1, "skipped: The server has no list of models at /models.");
    assert!(steps[5].1.starts_with("skipped"), "{steps:?}");
    assert!(steps[6].1.starts_with("ok"), "{steps:?}");
}

#[tokio::test]
async fn settings_that_make_no_request_fail_before_anything_is_looked_for() {
    let key = keys(&["k"]);
    let mut settings = settings("http://127.0.0.1:1/v1");
    settings.headers.insert("X-Team".into(), "two\nlines".into());
    let providers = Providers::new(vec![settings], key.clone());
    let mut steps = Vec::new();
    assert!(!providers.test("lab", None, &mut |step| steps.push(step)).await.unwrap());
    assert!(last(&steps).1.starts_with("CONFIG_INVALID"), "{steps:?}");
    assert_eq!((steps.len(), key.asked.load(std::sync::atomic::Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn a_missing_key_is_said_before_the_server_is_reached() {
    let vendor = ProviderSettings {
        base_url: Some("http://127.0.0.1:1/v1".into()),
        ..ProviderSettings::new("ai", ProviderKind::OpenaiChat)
    };
    let steps = test(vendor, &[], None).await;
    let (name, words) = last(&steps);
    assert_eq!(name, TestStepName::Key);
    assert!(words.starts_with("KEY_MISSING"), "{words}");
}

#[tokio::test]
async fn a_key_that_was_found_is_told_by_its_place_and_sent() {
    let server = Server::start(open_server).await;
    let base_url = Some(format!("{}/v1", server.url));
    let vendor = ProviderSettings { base_url, ..ProviderSettings::new("ai", ProviderKind::OpenaiChat) };
    let steps = words(&test(vendor, &["k"], None).await);
    assert_eq!(steps[1].1, "ok: Found in the test.");
    assert!(server.asked().contains("authorization: Bearer k"), "{}", server.asked());
    assert!(!format!("{steps:?}").contains("Bearer"));
}

#[tokio::test]
async fn names_and_servers_that_are_not_there_are_told_apart() {
    let steps = test(settings("http://arki-test.invalid/v1"), &[], None).await;
    let (name, unknown) = last(&steps);
    assert_eq!(name, TestStepName::Reach);
    assert!(unknown.contains("arki-test.invalid"), "{unknown}");
    let gone = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    let (name, refused) = last(&test(settings(&format!("http://{gone}/v1")), &[], None).await);
    assert_eq!(name, TestStepName::Reach);
    assert!(refused.starts_with("PROVIDER_UNREACHABLE: Can't reach lab"), "{refused}");
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_fails_at_that_step() {
    let server = Server::start(open_server).await;
    let (name, _) = last(&test(settings(&server.url.replace("http://", "https://")), &[], None).await);
    assert_eq!(name, TestStepName::Tls);
}

#[tokio::test]
async fn a_refused_key_and_a_web_page_fail_at_the_list() {
    fn refuses(_: &str) -> (u16, Value) {
        (401, json!({"error": {"message": "who are you?"}}))
    }
    fn page(_: &str) -> (u16, Value) {
        (200, json!("<html>"))
    }
    for (paths, code) in [(refuses as Paths, "KEY_REFUSED"), (page, "PROVIDER_BAD_ANSWER")] {
        let server = Server::start(paths).await;
        let base_url = Some(format!("{}/v1", server.url));
        let vendor = ProviderSettings { base_url, ..ProviderSettings::new("ai", ProviderKind::OpenaiChat) };
        let (name, words) = last(&test(vendor, &["k"], None).await);
        assert_eq!(name, TestStepName::Models);
        assert!(words.starts_with(code), "{words}");
    }
}

#[tokio::test]
async fn the_demo_passes_its_test() {
    let providers = Providers::new(Vec::new(), keys(&[]));
    let mut steps = Vec::new();
    assert!(providers.test("demo", Some("echo"), &mut |step| steps.push(step)).await.unwrap(), "{steps:?}");
    assert!(last(&steps).1.contains("Say OK."), "{steps:?}");
}

#[tokio::test]
async fn a_local_servers_models_are_listed_with_the_window_it_says() {
    let server = Server::start(open_server).await;
    let gone = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    let down = ProviderSettings { name: "down".into(), ..settings(&format!("http://{gone}/v1")) };
    let providers = Providers::new(vec![settings(&format!("{}/v1", server.url)), down], keys(&[]));
    let live = providers.live_models().await;
    let names: Vec<&str> = live.iter().map(|live| live.provider.as_str()).collect();
    assert_eq!(names, ["down", "lab"]);
    assert!(live[0].models.as_ref().unwrap_err().message.contains("down"));
    let models = live[1].models.as_ref().unwrap();
    let figures: Vec<_> = models.iter().map(|m| (m.model.as_str(), m.context_window, m.source)).collect();
    assert_eq!(figures, [("tiny", 2048, ModelSource::Server), ("big", 32_768, ModelSource::Local)]);
}

#[tokio::test]
async fn ollamas_models_come_with_what_it_knows_of_each() {
    fn ollama(request: &str) -> (u16, Value) {
        match request {
            "GET /api/tags" => (200, json!({"models": [{"name": "qwen3:8b"}, {"name": "odd:latest"}]})),
            "POST /api/show" => (
                200,
                json!({"model_info": {"q.context_length": 8192}, "capabilities": ["completion", "tools", "vision"]}),
            ),
            _ => (404, json!({})),
        }
    }
    let server = Server::start(ollama).await;
    let base_url = Some(server.url.clone());
    let settings = ProviderSettings { base_url, ..ProviderSettings::new("ollama", ProviderKind::Ollama) };
    let live = Providers::new(vec![settings], keys(&[])).live_models().await;
    let models = live[0].models.as_ref().unwrap();
    let figures: Vec<_> = models.iter().map(|m| (m.model.as_str(), m.context_window, m.capabilities.len())).collect();
    assert_eq!(figures, [("qwen3:8b", 8192, 4), ("odd:latest", 8192, 4)]);
    assert!(server.asked().contains(r#"{"model":"qwen3:8b"}"#), "{}", server.asked());
}

fn an_ollama(request: &str) -> (u16, Value) {
    match request {
        "GET /api/tags" => (200, json!({"models": [{"name": "qwen3:8b"}]})),
        "POST /api/show" => (
            200,
            json!({"model_info": {"q.context_length": 8192}, "capabilities": ["completion", "tools", "thinking"]}),
        ),
        "POST /api/chat" => (200, json!({"message": {"content": "Yes."}, "done": true, "done_reason": "stop"})),
        _ => (404, json!({})),
    }
}

fn ollama(server: &Server, configured: Option<u64>) -> Providers {
    let about = ModelSettings { context_window: configured, ..ModelSettings::default() };
    let models = configured.map(|_| ("qwen3:8b".to_owned(), about)).into_iter().collect();
    let base_url = Some(server.url.clone());
    let settings = ProviderSettings { base_url, models, ..ProviderSettings::new("ollama", ProviderKind::Ollama) };
    Providers::new(vec![settings], keys(&[]))
}

/// The body of the first request of a run, and the window that is known then.
async fn begun(providers: &Providers, model: &str) -> (Value, Option<u64>) {
    let model = providers.model(model).unwrap();
    model.learn().await;
    let mut request = request(vec![user("hi")]);
    request.options.reasoning_effort = Some("medium".into());
    (serde_json::from_slice(&model.prepare(&request).unwrap().body).unwrap(), model.context_window())
}

#[tokio::test]
async fn ollama_is_told_the_window_that_it_says_the_model_has_and_is_asked_once() {
    let server = Server::start(an_ollama).await;
    let providers = ollama(&server, None);
    for _ in 0..2 {
        let (body, window) = begun(&providers, "ollama/qwen3:8b").await;
        assert_eq!((&body["options"]["num_ctx"], window), (&json!(8192), Some(8192)));
        assert_eq!(body["think"], true, "it says that it can");
    }
    assert_eq!(server.asked().matches("POST /api/show").count(), 1, "{}", server.asked());
}

#[tokio::test]
async fn what_the_user_says_bounds_what_ollama_says_and_the_other_way_round() {
    let server = Server::start(an_ollama).await;
    for (configured, num_ctx) in [(4096, 4096), (1 << 20, 8192)] {
        let (body, window) = begun(&ollama(&server, Some(configured)), "ollama/qwen3:8b").await;
        assert_eq!((&body["options"]["num_ctx"], window), (&json!(num_ctx), Some(num_ctx)));
    }
}

#[tokio::test]
async fn the_window_with_which_ollama_has_loaded_a_model_is_kept_where_it_is_large() {
    fn loaded(request: &str) -> (u16, Value) {
        match request {
            "GET /api/ps" => (200, json!({"models": [{"name": "qwen3:8b", "context_length": 65_536}]})),
            "POST /api/show" => (200, json!({"model_info": {"q.context_length": 262_144}})),
            _ => (404, json!({})),
        }
    }
    let server = Server::start(loaded).await;
    let (body, window) = begun(&ollama(&server, None), "ollama/qwen3:8b").await;
    assert_eq!((&body["options"]["num_ctx"], window), (&json!(65_536), Some(65_536)));
}

#[tokio::test]
async fn a_window_that_no_server_tells_is_assumed_and_not_said_to_be_known() {
    let server = Server::start(|_| (500, json!({}))).await;
    let (body, window) = begun(&ollama(&server, None), "ollama/qwen3:8b").await;
    assert_eq!((&body["options"]["num_ctx"], window), (&json!(32_768), None));
    let gone = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    let down = Providers::new(vec![settings(&format!("http://{gone}/v1"))], keys(&[]));
    assert_eq!(begun(&down, "lab/tiny").await.1, None);
}

#[tokio::test]
async fn a_run_knows_the_window_that_its_server_lists_or_llama_cpp_tells_beside() {
    fn llama(request: &str) -> (u16, Value) {
        match request {
            "GET /v1/models" => (200, json!({"data": [{"id": "gguf", "meta": {"n_ctx_train": 131_072}}]})),
            "GET /props" => (200, json!({"default_generation_settings": {"n_ctx": 4096}})),
            _ => (404, json!({})),
        }
    }
    for (paths, model, window) in [(open_server as Paths, "lab/tiny", Some(2048)), (llama, "lab/any", Some(4096))] {
        let server = Server::start(paths).await;
        let providers = Providers::new(vec![settings(&format!("{}/v1", server.url))], keys(&[]));
        assert_eq!(begun(&providers, model).await.1, window, "{model}");
    }
    let server = Server::start(open_server).await;
    let providers = Providers::new(vec![settings(&format!("{}/v1", server.url))], keys(&[]));
    assert_eq!(begun(&providers, "lab/big").await.1, None, "it is listed without one");
}

#[tokio::test]
async fn neither_a_vendor_is_asked_nor_a_server_whose_window_is_configured() {
    let server = Server::start(open_server).await;
    let base_url = Some(format!("{}/v1", server.url));
    let about = ModelSettings { context_window: Some(9000), ..ModelSettings::default() };
    let lab =
        ProviderSettings { models: [("tiny".to_owned(), about)].into(), ..settings(&format!("{}/v1", server.url)) };
    assert_eq!(begun(&Providers::new(vec![lab], keys(&[])), "lab/tiny").await.1, Some(9000));
    let vendor = ProviderSettings { base_url, ..ProviderSettings::new("ai", ProviderKind::OpenaiChat) };
    assert_eq!(begun(&Providers::new(vec![vendor], keys(&["k"])), "ai/gpt-5.1").await.1, Some(400_000));
    assert_eq!(server.asked(), "");
}

#[tokio::test]
async fn a_local_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let silent = settings(&format!("http://{}/v1", listener.local_addr().unwrap()));
    let live = Providers::new(vec![silent], keys(&[])).live_models().await;
    assert!(live[0].models.as_ref().unwrap_err().is(arki_domain::Code::PROVIDER_TIMEOUT));
}

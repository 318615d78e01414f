//! Every way to fail × every wire format: the right code, no hang beyond its time-out, and what was used is not lost.

use crate::harness::{KEY, ask, calls, impatient, keys, providers, request, said, user};
use arki_domain::{Code, Error, StreamEvent};
use arki_llm::{ProviderKind, ProviderSettings, retryable};
use arki_testkit::{Script, ScriptedServer, Turn};
use serde_json::{Value, json};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

/// Far beyond the time-outs of these tests, also on a slow machine.
const NO_HANG: Duration = Duration::from_secs(15);

/// Every kind that goes over the network and is supported.
fn kinds() -> Vec<ProviderKind> {
    let is_supported = |kind: &ProviderKind| {
        let settings = ProviderSettings { kind: *kind, ..impatient("http://127.0.0.1:9") };
        *kind != ProviderKind::Demo && providers(settings, &keys(&[])).model("lab/mock").is_ok()
    };
    let kinds: Vec<_> = ProviderKind::ALL.into_iter().filter(is_supported).collect();
    assert!(kinds.len() >= 6, "{kinds:?}");
    kinds
}

async fn answer(kind: ProviderKind, turn: Turn) -> (Vec<StreamEvent>, Option<Error>) {
    answer_of(kind, &ScriptedServer::start(vec![turn]).unwrap()).await
}

async fn answer_of(kind: ProviderKind, server: &ScriptedServer) -> (Vec<StreamEvent>, Option<Error>) {
    answer_at(kind, &server.url()).await
}

async fn answer_at(kind: ProviderKind, url: &str) -> (Vec<StreamEvent>, Option<Error>) {
    let settings = ProviderSettings { kind, is_local: false, ..impatient(url) };
    let model = providers(settings, &keys(&[KEY])).model("lab/mock").unwrap();
    tokio::time::timeout(NO_HANG, ask(&*model, &request(vec![user("hi")]))).await.unwrap_or_else(|_| panic!("{kind}"))
}

async fn fault(kind: ProviderKind, turn: Turn) -> Error {
    answer(kind, turn).await.1.unwrap_or_else(|| panic!("{kind}: no fault"))
}

/// An answer of that kind that has begun with words, and whether it has told what it used so far.
fn begun(kind: ProviderKind) -> (Vec<Value>, bool) {
    match kind {
        ProviderKind::Anthropic => {
            let usage = json!({"input_tokens": 7, "output_tokens": 1});
            let events = vec![
                json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "usage": usage}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "words"}}),
            ];
            (events, true)
        }
        ProviderKind::Gemini => {
            let usage = json!({"promptTokenCount": 7, "candidatesTokenCount": 1, "totalTokenCount": 8});
            let content = json!({"role": "model", "parts": [{"text": "words"}]});
            (vec![json!({"candidates": [{"content": content}], "usageMetadata": usage})], true)
        }
        ProviderKind::Openai => {
            let delta = json!({"type": "response.output_text.delta", "item_id": "m", "output_index": 0,
                "content_index": 0, "delta": "words"});
            (vec![delta], false)
        }
        ProviderKind::Ollama => (vec![json!({"message": {"role": "assistant", "content": "words"}})], false),
        ProviderKind::OpenaiChat
        | ProviderKind::Deepseek
        | ProviderKind::Openrouter
        | ProviderKind::Custom
        | ProviderKind::Demo => {
            let usage = json!({"prompt_tokens": 7, "completion_tokens": 1});
            (vec![json!({"choices": [{"delta": {"content": "words"}}], "usage": usage})], true)
        }
    }
}

/// The rest of an answer that has begun with words: why it ended.
fn ended(kind: ProviderKind) -> Vec<Value> {
    match kind {
        ProviderKind::Anthropic => vec![
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
            json!({"type": "message_stop"}),
        ],
        ProviderKind::Gemini => vec![json!({"candidates": [{"finishReason": "STOP"}]})],
        ProviderKind::Openai => {
            let content = json!([{"type": "output_text", "text": "words"}]);
            let item = json!({"type": "message", "id": "m", "role": "assistant", "content": content});
            vec![json!({"type": "response.completed", "response": {"status": "completed", "output": [item]}})]
        }
        ProviderKind::Ollama => {
            vec![json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"})]
        }
        ProviderKind::OpenaiChat
        | ProviderKind::Deepseek
        | ProviderKind::Openrouter
        | ProviderKind::Custom
        | ProviderKind::Demo => vec![json!({"choices": [{"delta": {}, "finish_reason": "stop"}]})],
    }
}

/// As this kind's framing has it.
fn body(kind: ProviderKind, values: &[Value]) -> Vec<u8> {
    let framed = |value: &Value| match kind {
        ProviderKind::Ollama => format!("{value}\n"),
        _ => format!("data: {value}\n\n"),
    };
    values.iter().map(framed).collect::<String>().into_bytes()
}

fn streamed(kind: ProviderKind, body: impl Into<Vec<u8>>) -> Turn {
    let media_type = if kind == ProviderKind::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    Turn::raw(200, media_type, body)
}

fn prompt_tokens(events: &[StreamEvent]) -> u64 {
    let used = |event: &StreamEvent| match event {
        StreamEvent::Metadata { usage, .. } => usage.map(|usage| usage.prompt_tokens),
        _ => None,
    };
    events.iter().filter_map(used).sum()
}

#[tokio::test]
async fn statuses() {
    let cases = [
        (400, Code::PROVIDER_BAD_REQUEST, false),
        (401, Code::KEY_REFUSED, false),
        (402, Code::PROVIDER_NO_CREDIT, false),
        (403, Code::KEY_REFUSED, false),
        (404, Code::MODEL_NOT_FOUND, false),
        (408, Code::PROVIDER_TIMEOUT, true),
        (409, Code::PROVIDER_FAILED, true),
        (413, Code::PROVIDER_BAD_REQUEST, false),
        (425, Code::PROVIDER_FAILED, true),
        (429, Code::PROVIDER_RATE_LIMITED, true),
        (500, Code::PROVIDER_FAILED, true),
        (502, Code::PROVIDER_FAILED, true),
        (503, Code::PROVIDER_FAILED, true),
        (529, Code::PROVIDER_FAILED, true),
    ];
    for kind in kinds() {
        for (status, code, again) in cases {
            for turn in [
                Turn::json(status, json!({"error": {"message": "not now"}})),
                Turn::json(status, json!({"error": "not now"})),
                Turn::raw(status, "text/html", "<html><body>not now</body></html>"),
                Turn::raw(status, "text/plain", ""),
            ] {
                let fault = fault(kind, turn.header("retry-after", "3")).await;
                assert_eq!((fault.code.as_str(), retryable(&fault)), (code.0, again), "{kind} {status}: {fault:?}");
                assert_eq!(fault.retry_after_ms, Some(3000), "{kind} {status}");
                assert!(!fault.message.contains('<') && !fault.message.contains(KEY), "{fault:?}");
            }
        }
    }
}

#[tokio::test]
async fn silence_before_and_within_an_answer() {
    for kind in kinds() {
        let (words, tells_usage) = begun(kind);
        let words = body(kind, &words);
        for turn in [Turn::silent(), streamed(kind, words.clone()).hang_after(0)] {
            assert!(fault(kind, turn).await.is(Code::PROVIDER_TIMEOUT), "{kind}");
        }
        let (events, fault) = answer(kind, streamed(kind, words.clone()).hang_after(words.len())).await;
        assert!(fault.as_ref().is_some_and(|fault| fault.is(Code::PROVIDER_TIMEOUT)), "{kind}: {fault:?}");
        assert_eq!(prompt_tokens(&events), if tells_usage { 7 } else { 0 }, "{kind}: {events:?}");
    }
}

#[tokio::test]
async fn a_cut_anywhere() {
    for kind in kinds() {
        let (words, tells_usage) = begun(kind);
        let words = body(kind, &words);
        for bytes in [0, 1, words.len() / 2, words.len() - 3] {
            let (events, fault) = answer(kind, streamed(kind, words.clone()).cut_after(bytes)).await;
            assert!(
                fault.as_ref().is_some_and(|fault| fault.is(Code::PROVIDER_STREAM_CUT)),
                "{kind} {bytes}: {fault:?}"
            );
            assert_eq!(calls(&events), [], "{kind} {bytes}");
        }
        for turn in [streamed(kind, words.clone()), streamed(kind, words.clone()).cut_after(words.len())] {
            let (events, fault) = answer(kind, turn).await;
            assert!(fault.as_ref().is_some_and(|fault| fault.is(Code::PROVIDER_STREAM_CUT)), "{kind}: {fault:?}");
            assert_eq!(prompt_tokens(&events), if tells_usage { 7 } else { 0 }, "{kind}: {events:?}");
        }
    }
}

#[tokio::test]
async fn answers_that_are_none() {
    for kind in kinds() {
        let (words, _) = begun(kind);
        let garbage =
            |text: &str| if kind == ProviderKind::Ollama { format!("{text}\n") } else { format!("data: {text}\n\n") };
        for (what, turn) in [
            ("garbage", streamed(kind, garbage("{this is not json"))),
            ("another JSON", streamed(kind, garbage("\"hello\""))),
            ("a web page", Turn::raw(200, "text/html; charset=utf-8", "<html>log in</html>")),
            ("damaged gzip", streamed(kind, body(kind, &words)).header("content-encoding", "gzip")),
            ("a web page in disguise", streamed(kind, "\n<!DOCTYPE html><title>Log in</title>")),
            ("half a JSON", Turn::raw(200, "application/json", "{\"choices\":")),
            ("elsewhere", Turn::raw(307, "text/plain", "").header("location", "http://127.0.0.1:9/")),
        ] {
            let fault = fault(kind, turn).await;
            assert!(fault.is(Code::PROVIDER_BAD_ANSWER) && !retryable(&fault), "{kind}, {what}: {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_whole_answer_under_the_label_of_a_stream_is_told_in_the_providers_words() {
    for kind in kinds().into_iter().filter(|kind| *kind != ProviderKind::Ollama) {
        for (body, code) in [
            (r#"{"error": {"message": "the model is asleep"}}"#, Code::PROVIDER_BAD_ANSWER),
            (
                r#"{"error": {"message": "the model is asleep", "type": "invalid_request_error"}}"#,
                Code::PROVIDER_BAD_REQUEST,
            ),
            (r#"{"detail": "the model is asleep"}"#, Code::PROVIDER_BAD_ANSWER),
            ("Sorry: the model is asleep\n", Code::PROVIDER_BAD_ANSWER),
        ] {
            let fault = fault(kind, streamed(kind, body)).await;
            assert!(fault.is(code) && !retryable(&fault), "{kind}, {body}: {fault:?}");
            assert!(fault.message.contains("the model is asleep"), "{kind}, {body}: {fault:?}");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced_and_the_answer_stays() {
    for kind in kinds() {
        let (words, _) = begun(kind);
        let mut whole = body(kind, &[words, ended(kind)].concat());
        let at = whole.windows(5).position(|piece| piece == b"words").unwrap_or_else(|| panic!("{kind}: no words"));
        whole.splice(at..at + 2, [0xff, 0xc3]);
        let (events, fault) = answer(kind, streamed(kind, whole)).await;
        assert_eq!(fault, None, "{kind}");
        assert!(said(&events).contains("\u{fffd}\u{fffd}"), "{kind}: {events:?}");
    }
}

#[tokio::test]
async fn an_error_inside_an_answer_that_began_well() {
    let error =
        json!({"type": "rate_limit_error", "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down"});
    for kind in kinds() {
        let (words, tells_usage) = begun(kind);
        let error = match kind {
            ProviderKind::Ollama => json!({"error": "slow down"}),
            _ => json!({"type": "error", "error": error}),
        };
        let code = if kind == ProviderKind::Ollama { Code::PROVIDER_FAILED } else { Code::PROVIDER_RATE_LIMITED };
        for before in [&[][..], &words] {
            let told = [before, std::slice::from_ref(&error)].concat();
            let (events, fault) = answer(kind, streamed(kind, body(kind, &told))).await;
            let fault = fault.unwrap_or_else(|| panic!("{kind}: {events:?}"));
            assert!(fault.is(code) && fault.message.contains("slow down"), "{kind}: {fault:?}");
            let used = if tells_usage && !before.is_empty() { 7 } else { 0 };
            assert_eq!(prompt_tokens(&events), used, "{kind}: {events:?}");
        }
        // The same with another content type than it should have.
        let fault = fault(kind, Turn::json(200, error)).await;
        // A whole answer that is only an error, and doesn't say of what kind, isn't asked for again.
        let code = if kind == ProviderKind::Ollama { Code::PROVIDER_BAD_ANSWER } else { code };
        assert!(fault.is(code) && fault.message.contains("slow down"), "{kind}: {fault:?}");
    }
}

#[tokio::test]
async fn another_content_type_is_no_fault_of_the_words() {
    for kind in kinds() {
        let (words, _) = begun(kind);
        let (events, _) = answer(kind, Turn::raw(200, "text/plain", body(kind, &words))).await;
        assert_eq!(said(&events), "words", "{kind}");
    }
}

#[tokio::test]
async fn what_the_vendors_words_tell_apart() {
    let cases = [
        (400, "context_length_exceeded", "This model's maximum context length is 8 tokens.", Code::CONTEXT_TOO_LONG),
        (429, "insufficient_quota", "You exceeded your current quota.", Code::PROVIDER_NO_CREDIT),
        (400, "content_policy_violation", "This was refused.", Code::CONTENT_REFUSED),
        (400, "model_not_found", "There is no such model.", Code::MODEL_NOT_FOUND),
        (400, "invalid_request", "temperature must not be negative", Code::PROVIDER_BAD_REQUEST),
    ];
    for kind in kinds() {
        for (status, error, words, code) in cases {
            // A number in `code` is how Gemini and OpenRouter repeat the status.
            for named in
                [json!({"code": error, "message": words}), json!({"code": status, "status": error, "message": words})]
            {
                let fault = fault(kind, Turn::json(status, json!({"error": named}))).await;
                assert!(fault.is(code) && !retryable(&fault), "{kind} {error}: {fault:?}");
                assert!(fault.message.contains(words) && !fault.hint.is_empty(), "{kind} {error}: {fault:?}");
            }
        }
    }
}

#[tokio::test]
async fn nobody_at_the_address_and_nobody_who_speaks_tls() {
    let unused = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let plain = greeter();
    for kind in kinds() {
        for url in [format!("http://{unused}/v1"), format!("https://{plain}/v1")] {
            let fault = answer_at(kind, &url).await.1.unwrap();
            assert!(fault.is(Code::PROVIDER_UNREACHABLE) && retryable(&fault), "{kind} {url}: {fault:?}");
        }
    }
}

/// A server that greets whoever comes, and knows nothing of TLS.
fn greeter() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut guest in listener.incoming().flatten() {
            // A guest that is gone needs no greeting.
            let _ = guest.write_all(b"220 welcome\r\n");
        }
    });
    address
}

#[tokio::test]
async fn an_endless_piece_and_an_endless_answer_are_bounded() {
    for kind in kinds() {
        let (words, _) = begun(kind);
        let endless_piece = [body(kind, &words), b"data: ".to_vec(), vec![b'x'; 9 * 1024 * 1024]].concat();
        let fault = fault(kind, streamed(kind, endless_piece)).await;
        assert!(!retryable(&fault) && fault.message.contains("8 MiB"), "{kind}: {fault:?}");

        let mut padded = words.last().cloned().unwrap();
        padded["padding"] = "x".repeat(1024 * 1024).into();
        let endless_answer = [body(kind, &words), body(kind, &[padded]).repeat(65)].concat();
        let (_, fault) = answer(kind, streamed(kind, endless_answer)).await;
        assert!(fault.as_ref().is_some_and(|fault| fault.message.contains("64 MiB")), "{kind}: {fault:?}");
    }
}

/// The same events in every way in which a server may write them.
fn framings(kind: ProviderKind, values: &[String]) -> Vec<String> {
    if kind == ProviderKind::Ollama {
        return ["\n", "\r\n", "\n\n"].map(|end| values.iter().map(|value| format!("{value}{end}")).collect()).into();
    }
    let events = values.iter().map(|value| format!(": keep-alive\n\nid: 1\ndata: {value}\nretry: 5\n\n"));
    let plain = events.collect::<String>();
    vec![
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace("data: {", "data:{\ndata: "),
        format!("\u{feff}{plain}"),
        format!("{plain}data: [DONE]\n\n"),
        plain,
    ]
}

#[tokio::test]
async fn however_it_is_framed_and_cut_it_is_the_same_answer() {
    const SAID: &str = "größer 日本";
    for kind in kinds() {
        let values = [begun(kind).0, ended(kind)].concat();
        let values: Vec<_> = values.iter().map(|value| value.to_string().replace("words", SAID)).collect();
        for body in framings(kind, &values) {
            for piece in [1, 7, body.len()] {
                let server = Script::new(vec![streamed(kind, body.clone())]).chunk(piece).start().unwrap();
                let (events, fault) = answer_of(kind, &server).await;
                assert_eq!((fault, said(&events).as_str()), (None, SAID), "{kind}, {piece}: {body}");
                assert_eq!(events.last(), Some(&StreamEvent::End), "{kind}, {piece}: {body}");
            }
        }
    }
}

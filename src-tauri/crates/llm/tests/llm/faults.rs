//! Each way to fail has its code and its words, and none hangs or panics.

use crate::harness::{ask, calls, fault, impatient, keys, model, providers, request, settings, user};
use arki_domain::{Code, StreamEvent};
use arki_llm::{ProviderKind, ProviderSettings, retryable};
use arki_testkit::{Script, ScriptedServer, Turn};
use serde_json::{Value, json};

async fn of(turn: Turn) -> arki_domain::Error {
    fault(&ScriptedServer::start(vec![turn]).unwrap()).await
}

fn error(message: &str) -> Value {
    json!({"error": {"message": message}})
}

#[tokio::test]
async fn statuses_become_codes_with_the_vendors_words() {
    let cases = [
        (400, Code::PROVIDER_BAD_REQUEST, false),
        (402, Code::PROVIDER_NO_CREDIT, false),
        (404, Code::MODEL_NOT_FOUND, false),
        (429, Code::PROVIDER_RATE_LIMITED, true),
        (503, Code::PROVIDER_FAILED, true),
    ];
    for (status, code, again) in cases {
        let fault = of(Turn::json(status, error("the vendor's words"))).await;
        assert!(fault.is(code), "{status}: {fault:?}");
        assert!(fault.message.contains("the vendor's words"), "{fault:?}");
        assert_eq!(retryable(&fault), again, "{fault:?}");
    }
}

#[tokio::test]
async fn a_conversation_too_long_is_told_apart_from_other_bad_requests() {
    let body = json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "too many tokens"}});
    assert!(of(Turn::json(400, body)).await.is(Code::CONTEXT_TOO_LONG));
}

#[tokio::test]
async fn an_error_inside_a_stream_that_began_well_is_a_fault() {
    let fault = of(Turn::chunks(&[json!({"error": {"code": 429, "message": "slow down"}})])).await;
    assert!(fault.is(Code::PROVIDER_RATE_LIMITED), "{fault:?}");
    let fault = of(Turn::stream("event: error\ndata: {\"message\": \"boom\"}\n\ndata: [DONE]\n\n")).await;
    assert!(fault.is(Code::PROVIDER_FAILED) && fault.message.contains("boom"), "{fault:?}");
}

#[tokio::test]
async fn nobody_listening_is_unreachable_in_plain_words() {
    let server = ScriptedServer::start(vec![]).unwrap();
    let url = server.url();
    drop(server);
    // The first connection may still be taken by the server that is going away.
    let model = model(settings(&url));
    let mut fault = None;
    for _ in 0..3 {
        fault = ask(&*model, &request(vec![user("hi")])).await.1.filter(|fault| fault.is(Code::PROVIDER_UNREACHABLE));
    }
    let fault = fault.unwrap();
    assert_eq!(fault.message, format!("Can't reach lab at {url}."));
    assert!(retryable(&fault));
}

#[tokio::test]
async fn a_cut_anywhere_before_the_finish_reason_is_a_cut() {
    for keep_alive in [false, true] {
        for bytes in [0, 10, 150, 300] {
            let turn = Turn::text("some words").call("read_file", json!({"path": "a"})).cut_after(bytes);
            let script = Script::new(vec![turn]);
            let server = if keep_alive { script.keep_alive() } else { script }.start().unwrap();
            let (events, fault) = ask(&*model(settings(&server.url())), &request(vec![user("hi")])).await;
            assert!(fault.as_ref().unwrap().is(Code::PROVIDER_STREAM_CUT), "{bytes}: {fault:?}");
            assert_eq!(calls(&events), [], "half a call must not be made");
        }
    }
}

#[tokio::test]
async fn figures_that_came_before_a_cut_are_not_lost() {
    let chunk =
        json!({"choices": [{"delta": {"content": "a"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 1}});
    let server = ScriptedServer::start(vec![Turn::stream(format!("data: {chunk}\n\n"))]).unwrap();
    let (events, fault) = ask(&*model(settings(&server.url())), &request(vec![user("hi")])).await;
    assert!(fault.unwrap().is(Code::PROVIDER_STREAM_CUT));
    let Some(StreamEvent::Metadata { finish_reason: None, usage: Some(usage) }) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!(usage.prompt_tokens, 7);
}

#[tokio::test]
async fn silence_ends_at_its_time_out_before_and_within_an_answer() {
    for turn in [Turn::silent(), Turn::text("a b").hang_after(0), Turn::text("a b").hang_after(200)] {
        let server = ScriptedServer::start(vec![turn]).unwrap();
        let (_, fault) = ask(&*model(impatient(&server.url())), &request(vec![user("hi")])).await;
        assert!(fault.as_ref().is_some_and(|fault| fault.is(Code::PROVIDER_TIMEOUT) && retryable(fault)), "{fault:?}");
    }
}

#[tokio::test]
async fn garbage_is_a_bad_answer() {
    let cases = [
        Turn::stream("data: hello\n\n"),
        Turn::stream(b"data: \"\xff\xfe\"\n\n".to_vec()),
        Turn::raw(200, "text/html; charset=utf-8", "<html>log in</html>"),
        Turn::raw(200, "application/json", "{\"choices\":"),
        Turn::json(200, json!({"hello": "world"})),
        Turn::json(302, json!({})),
        Turn::stream("this is not gzip").header("content-encoding", "gzip"),
    ];
    for turn in cases {
        let fault = of(turn).await;
        assert!(fault.is(Code::PROVIDER_BAD_ANSWER) && !retryable(&fault), "{fault:?}");
    }
}

#[tokio::test]
async fn an_endless_event_and_an_endless_answer_are_bounded() {
    let endless_event = "data: ".to_owned() + &"x".repeat(9 * 1024 * 1024);
    assert!(of(Turn::stream(endless_event)).await.message.contains("8 MiB"));
    let chunk = json!({"choices": [], "padding": "x".repeat(1024 * 1024)});
    let endless_answer = format!("data: {chunk}\n\n").repeat(65);
    let fault = of(Turn::stream(endless_answer)).await;
    assert!(fault.message.contains("64 MiB"), "{fault:?}");
}

#[tokio::test]
async fn a_base_url_that_is_none_is_a_configuration_error() {
    for url in ["127.0.0.1:8080", "file:///x", "not a url"] {
        let fault = ask(&*model(settings(url)), &request(vec![user("hi")])).await.1.unwrap();
        assert!(fault.is(Code::CONFIG_INVALID), "{fault:?}");
    }
    let without = providers(ProviderSettings::new("lab", ProviderKind::Custom), &keys(&[]));
    assert!(without.model("lab/mock").is_err_and(|fault| fault.is(Code::CONFIG_INVALID)));
}

#[test]
fn names_that_lead_nowhere_say_where_they_could() {
    let providers = providers(settings("http://127.0.0.1:9"), &keys(&[]));
    let fault = |name: &str| providers.model(name).err().unwrap();
    assert!(fault("nobody/x").is(Code::UNKNOWN_PROVIDER) && fault("nobody/x").hint.contains("demo, lab"));
    assert!(fault("demo").is(Code::CONFIG_INVALID) && fault("/x").is(Code::CONFIG_INVALID));
}

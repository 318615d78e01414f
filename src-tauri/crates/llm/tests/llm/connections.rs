//! Connections are used again, given up on cancel, and limited in number.

use crate::harness::{answer, ask, calls, impatient, keys, model, providers, request, settings, user};
use arki_domain::{ChatModel, ChatStream, Code, Error, StreamEvent};
use arki_llm::{ProviderSettings, Providers};
use arki_testkit::{Script, ScriptedServer, Turn};
use futures_util::StreamExt;
use serde_json::json;
use std::io::{Read, Write};
use std::time::Duration;

#[tokio::test]
async fn consecutive_turns_share_one_connection() {
    let turn = Turn::text("words").call("read_file", json!({"path": "a"}));
    let server = Script::new(vec![turn]).keep_alive().start().unwrap();
    let model = model(settings(&server.url()));
    for _ in 0..5 {
        let (events, fault) = ask(&*model, &request(vec![user("hi")])).await;
        assert_eq!((calls(&events).len(), fault), (1, None));
    }
    assert_eq!(server.journal().connections, 1);
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced_quietly() {
    let server = ScriptedServer::start(vec![Turn::text("words")]).unwrap();
    let model = model(settings(&server.url()));
    for _ in 0..3 {
        assert_eq!(ask(&*model, &request(vec![user("hi")])).await.1, None);
    }
    assert_eq!(server.journal().connections, 3);
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let server = Script::new(vec![Turn::text("one two three").hang_after(400)]).keep_alive().start().unwrap();
    let model = model(settings(&server.url()));
    let mut stream = model.send(model.prepare(&request(vec![user("hi")])).unwrap()).await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(StreamEvent::Token { .. }))));
    drop(stream);
    let hung_up = tokio::task::spawn_blocking(move || server.wait_until(|journal| journal.hung_up == 1));
    assert!(hung_up.await.unwrap());
}

/// A server that sends this, byte for byte, and says where it is.
fn sending(answer: Vec<u8>) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 65_536];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(&answer);
            // What was not read of a request would turn the end into a reset.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
    });
    url
}

#[tokio::test]
async fn damaged_chunks_are_called_that_and_no_damaged_compression() {
    const WORDS: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"words\"}}]}\n\n";
    let chunk = |size: &str, text: &str| format!("{size}\r\n{text}\r\n").into_bytes();
    let good = chunk(&format!("{:x}", WORDS.len()), WORDS);
    let too_short = chunk("5", WORDS);
    for (what, chunks, headers, said) in [
        ("no number", [good.clone(), chunk("zz", WORDS)].concat(), "", "chunked transfer encoding is damaged"),
        ("a number too large", [good.clone(), chunk(&"f".repeat(20), WORDS)].concat(), "", "chunked transfer encoding"),
        ("longer than it says", [good.clone(), too_short].concat(), "", "chunked transfer encoding is damaged"),
        ("no chunk at all", WORDS.as_bytes().to_vec(), "", "chunked transfer encoding is damaged"),
        ("damaged, of what is packed", chunk("zz", WORDS), "content-encoding: gzip\r\n", "chunked transfer encoding"),
        ("good, of what is badly packed", good, "content-encoding: gzip\r\n", "compressed data is damaged"),
    ] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{headers}transfer-encoding: chunked\r\n\r\n"
        );
        let model = model(impatient(&sending([head.into_bytes(), chunks].concat())));
        let fault = ask(&*model, &request(vec![user("hi")])).await.1.unwrap();
        assert!(fault.is(Code::PROVIDER_BAD_ANSWER) && fault.message.contains(said), "{what}: {fault:?}");
    }
}

#[tokio::test]
async fn giving_up_before_the_answer_begins_closes_the_connection_too() {
    let server = ScriptedServer::start(vec![Turn::silent()]).unwrap();
    let model = model(settings(&server.url()));
    let prepared = model.prepare(&request(vec![user("hi")])).unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(100), model.send(prepared)).await;
    assert!(waiting.is_err());
    let hung_up = tokio::task::spawn_blocking(move || server.wait_until(|journal| journal.hung_up == 1));
    assert!(hung_up.await.unwrap());
}

/// A server whose first answer never ends, and whose later ones do.
fn held_up() -> ScriptedServer {
    Script::new(vec![Turn::text("a").hang_after(200), Turn::text("b")]).sequential().start().unwrap()
}

async fn begin(model: &dyn ChatModel) -> Result<ChatStream, Error> {
    model.send(model.prepare(&request(vec![user("hi")])).unwrap()).await
}

#[track_caller]
fn is(result: Result<ChatStream, Error>, code: Code) {
    let fault = result.err().unwrap();
    assert!(fault.is(code) && fault.message.contains("lab"), "{fault:?}");
}

#[tokio::test]
async fn no_more_requests_run_at_once_than_configured() {
    for (is_local, code) in [(false, Code::API_QUEUE_TIMEOUT), (true, Code::LOCAL_INSTANCE_BUSY)] {
        let server = held_up();
        let limited = ProviderSettings {
            is_local,
            // What is the default for local providers.
            max_parallel: (!is_local).then_some(1),
            queue_timeout: Duration::from_millis(50),
            ..settings(&server.url())
        };
        let model = providers(limited, &keys(&[])).model("lab/mock").unwrap();
        let held = begin(&*model).await.unwrap();
        is(begin(&*model).await, code);
        drop(held);
        assert_eq!(ask(&*model, &request(vec![user("hi")])).await.1, None);
    }
}

#[tokio::test]
async fn the_queue_is_served_in_order() {
    let server = Script::new(vec![Turn::text("words")]).start().unwrap();
    let limited = ProviderSettings { max_parallel: Some(1), ..settings(&server.url()) };
    let model = providers(limited, &keys(&[])).model("lab/mock").unwrap();
    let held = begin(&*model).await.unwrap();
    let order = std::sync::Mutex::new(Vec::new());
    let turn = async |number: usize| {
        ask(&*model, &request(vec![user("hi")])).await;
        order.lock().unwrap().push(number);
    };
    // Polled in the order of the list, so that they come to the queue in it.
    let waiting = futures_util::future::join_all((0..6).map(turn));
    tokio::join!(waiting, async { drop(held) });
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn every_way_out_of_a_request_gives_its_place_back() {
    let turns = [
        Turn::text("whole"),
        Turn::text("cut").cut_after(20),
        Turn::json(500, json!({})),
        Turn::raw(200, "text/html", "<html>"),
        Turn::json(200, json!({"choices": [{"message": {"content": "not streamed"}, "finish_reason": "stop"}]})),
        Turn::stream("data: garbage\n\n"),
        Turn::silent(),
        Turn::text("last"),
    ];
    let server = Script::new(turns.to_vec()).sequential().start().unwrap();
    let limited = ProviderSettings { queue_timeout: Duration::ZERO, ..impatient(&server.url()) };
    let model = providers(limited, &keys(&[])).model("lab/mock").unwrap();
    for turn in 0..turns.len() {
        let (_, fault) = ask(&*model, &request(vec![user("hi")])).await;
        assert!(fault.is_none_or(|fault| !fault.is(Code::LOCAL_INSTANCE_BUSY)), "{turn}");
    }
    assert_eq!(server.requests().len(), turns.len());
}

#[tokio::test]
async fn only_one_local_provider_works_at_a_time() {
    let (first, second) = (held_up(), ScriptedServer::start(vec![Turn::text("b")]).unwrap());
    let other = ProviderSettings { name: "other".into(), ..settings(&second.url()) };
    let vendor = ProviderSettings { name: "far".into(), is_local: false, ..settings(&second.url()) };
    let providers = Providers::new(vec![settings(&first.url()), other, vendor], keys(&[]));
    let model = |name: &str| providers.model(name).unwrap();
    let held = begin(&*model("lab/mock")).await.unwrap();
    is(begin(&*model("other/mock")).await, Code::LOCAL_PROVIDER_CONFLICT);
    assert!(begin(&*model("far/mock")).await.is_ok());
    assert!(begin(&*model("demo/demo")).await.is_ok());
    drop(held);
    assert!(begin(&*model("other/mock")).await.is_ok());
}

#[tokio::test]
async fn connections_that_nothing_uses_are_let_go_of() {
    let server = Script::new(vec![Turn::text("words")]).keep_alive().start().unwrap();
    let model = model(ProviderSettings { idle_timeout: Duration::ZERO, ..settings(&server.url()) });
    for _ in 0..2 {
        assert_eq!(ask(&*model, &request(vec![user("hi")])).await.1, None);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(server.journal().connections, 2);
}

#[tokio::test]
async fn a_pause_within_the_limits_is_no_fault() {
    let turn = Turn::text("slow but sure").pause(Duration::from_millis(20)).chunk_pause(Duration::from_millis(2));
    let events = answer(&Script::new(vec![turn]).chunk(100).start().unwrap()).await;
    assert_eq!(crate::harness::said(&events), "slow but sure ");
}

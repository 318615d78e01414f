//! Connections are used again, given up on cancel, and limited in number.

use crate::harness::{answer, ask, calls, keys, model, providers, request, settings, user};
use arki_domain::{Code, StreamEvent};
use arki_testkit::{Script, ScriptedServer, Turn};
use futures_util::StreamExt;
use serde_json::json;
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

#[tokio::test]
async fn no_more_requests_run_at_once_than_configured() {
    let server = Script::new(vec![Turn::text("a").hang_after(200), Turn::text("b")]).sequential().start().unwrap();
    let mut limited = settings(&server.url());
    limited.max_parallel = Some(1);
    limited.queue_timeout = Duration::from_millis(50);
    let model = providers(limited, &keys(&[])).model("lab/mock").unwrap();
    let held = model.send(model.prepare(&request(vec![user("hi")])).unwrap()).await.unwrap();
    let (_, fault) = ask(&*model, &request(vec![user("hi")])).await;
    assert!(fault.as_ref().unwrap().is(Code::PROVIDER_TIMEOUT), "{fault:?}");
    drop(held);
    assert_eq!(ask(&*model, &request(vec![user("hi")])).await.1, None);
}

#[tokio::test]
async fn a_pause_within_the_limits_is_no_fault() {
    let turn = Turn::text("slow but sure").pause(Duration::from_millis(20)).chunk_pause(Duration::from_millis(2));
    let events = answer(&Script::new(vec![turn]).chunk(100).start().unwrap()).await;
    assert_eq!(crate::harness::said(&events), "slow but sure ");
}

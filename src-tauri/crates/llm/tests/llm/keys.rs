//! Keys: looked for when needed, once, and never shown.

use crate::harness::{KEY, ask, impatient, keys, providers, request, settings, user};
use arki_domain::{Code, Error};
use arki_llm::{ProviderKind, ProviderSettings, Providers};
use arki_testkit::{ScriptedServer, Turn};
use serde_json::json;
use std::sync::atomic::Ordering;

fn hosted(url: &str) -> ProviderSettings {
    ProviderSettings { kind: ProviderKind::OpenaiChat, is_local: false, ..impatient(url) }
}

async fn hi(providers: &Providers) -> Option<Error> {
    ask(&*providers.model("lab/mock").unwrap(), &request(vec![user("hi")])).await.1
}

#[tokio::test]
async fn the_key_is_looked_for_once_and_only_when_a_request_is_made() {
    let server = ScriptedServer::start(vec![Turn::text("ok")]).unwrap();
    let keys = keys(&[KEY]);
    let providers = providers(hosted(&server.url()), &keys);
    providers.model("lab/mock").unwrap().prepare(&request(vec![user("hi")])).unwrap();
    assert_eq!(keys.asked.load(Ordering::SeqCst), 0);
    assert_eq!((hi(&providers).await, hi(&providers).await), (None, None));
    assert_eq!(keys.asked.load(Ordering::SeqCst), 1);
    let expected = format!("Bearer {KEY}");
    assert!(server.requests().iter().all(|request| request.header("authorization") == Some(&expected)));
}

#[tokio::test]
async fn a_missing_key_stops_before_the_request_and_is_looked_for_again() {
    let server = ScriptedServer::start(vec![Turn::text("ok")]).unwrap();
    let keys = keys(&[]);
    let providers = providers(hosted(&server.url()), &keys);
    let fault = hi(&providers).await.unwrap();
    assert!(fault.is(Code::KEY_MISSING) && fault.hint.contains("OPENAI_API_KEY"), "{fault:?}");
    hi(&providers).await.unwrap();
    assert_eq!(keys.asked.load(Ordering::SeqCst), 2);
    assert_eq!(server.journal().connections, 0);
}

#[tokio::test]
async fn a_refused_key_is_asked_for_anew_next_time() {
    let turns = vec![Turn::json(401, json!({"error": "no"})), Turn::text("ok")];
    let server = arki_testkit::Script::new(turns).sequential().start().unwrap();
    let keys = keys(&["sk-old-0123456789", KEY]);
    let providers = providers(hosted(&server.url()), &keys);
    assert!(hi(&providers).await.unwrap().is(Code::KEY_REFUSED));
    assert_eq!(hi(&providers).await, None);
}

#[tokio::test]
async fn a_local_server_is_tried_without_a_key_first() {
    let turns = vec![Turn::json(401, json!({"error": "who are you?"})), Turn::text("ok")];
    let server = arki_testkit::Script::new(turns).sequential().start().unwrap();
    let keys = keys(&[KEY]);
    let providers = providers(settings(&server.url()), &keys);
    assert_eq!((hi(&providers).await, hi(&providers).await), (None, None));
    let sent: Vec<bool> = server.requests().iter().map(|request| request.header("authorization").is_some()).collect();
    assert_eq!(sent, [false, true, true]);
    assert_eq!(keys.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn no_fault_shows_a_key_a_header_or_the_credentials_in_an_address() {
    let words = format!("Incorrect API key provided: {KEY}, header hidden-header-value");
    let turns = [
        Turn::json(401, json!({"error": {"message": words}})),
        Turn::json(400, json!({"error": {"message": words}})),
        Turn::raw(500, "text/plain", words.clone()),
        Turn::chunks(&[json!({"error": {"message": words}})]),
        Turn::text("x").cut_after(3),
        Turn::silent(),
    ];
    for turn in turns {
        let server = ScriptedServer::start(vec![turn]).unwrap();
        let url = server.url().replace("http://", "http://user:hidden-password@");
        let mut settings = hosted(&url);
        settings.headers.insert("X-Team".into(), "hidden-header-value".into());
        let shown = format!("{settings:?}");
        let fault = hi(&providers(settings, &keys(&[KEY]))).await.unwrap();
        for text in [shown, format!("{fault:?}"), fault.to_string(), fault.hint] {
            assert!(!text.contains(KEY) && !text.contains("hidden"), "{text}");
        }
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_a_configuration_error() {
    let server = ScriptedServer::start(vec![Turn::text("ok")]).unwrap();
    let fault = hi(&providers(hosted(&server.url()), &keys(&["sk-bad\nvalue-012345"]))).await.unwrap();
    assert!(fault.is(Code::CONFIG_INVALID) && !fault.to_string().contains("sk-bad"), "{fault:?}");
}

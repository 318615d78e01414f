//! What goes wrong is said where it happened, in words, with the next step as a button.

use crate::harness::{Stage, Window, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, TcpListener};

#[test]
fn a_provider_that_cannot_be_reached_is_named_with_a_hint_and_can_be_tried_again() {
    let stage = Stage::configured(Script::new(vec![]), |_| providers(&nobody()));
    stage.trust();
    let window = stage.open();
    window.ask("Hello?");
    // Meanwhile it says why nothing comes, and when it tries again.
    wait_until("the countdown", || window.text().contains("The provider can't be reached. Trying again in"));
    until_it_fails(&window);
    let error = window.element("button", "Resume");
    let shown = window.text();
    assert!(shown.contains("Can't reach") && shown.contains("127.0.0.1"), "{shown}");
    assert!(!shown.contains("os error") && !shown.contains("panicked"), "{shown}");
    window.pictures("unreachable");
    error.click();
    let failures = |stage: &Stage| stage.events().iter().filter(|event| event["type"] == "run.failed").count();
    window.gone("button", "Resume");
    until_it_fails(&window);
    wait_until("a second attempt", || failures(&stage) == 2);
}

/// Doesn't wait out the pauses between the requests.
fn until_it_fails(window: &Window<'_>) {
    let retry_now = "const named = button => button.textContent.trim() === 'Retry now'; \
                     [...document.querySelectorAll('button')].find(named)?.click();";
    wait_until("the run fails", || {
        window.run(retry_now);
        window.has("button", "Resume")
    });
}

#[test]
fn a_provider_that_refused_the_key_is_tried_again_with_the_same_words() {
    let refusal =
        Turn::json(401, json!({"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}));
    let stage = Stage::trusted(Script::new(vec![refusal, Turn::text("Now I hear you.")]).sequential());
    let window = stage.open();
    window.ask("Do you hear me?");
    window.element("button", "Open settings");
    window.pictures("key-refused");
    window.click("Resume");
    window.says("Now I hear you.");
    assert!(stage.request(2).contains("Do you hear me?"));
    window.gone("button", "Resume");
}

fn providers(url: &str) -> Value {
    let models = json!({"mock": {"contextWindow": 200_000}});
    json!({"providers": {"mock": {"kind": "custom", "baseUrl": url, "apiKeyEnv": "MOCK_KEY", "models": models}}})
}

/// An address where nobody listens any more.
fn nobody() -> String {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    format!("http://{address}/v1")
}

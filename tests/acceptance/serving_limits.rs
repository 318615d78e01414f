//! How much `arki serve` takes: silent connections, bodies, readers; and what a run that waits can't be told.
#![cfg(unix)]

use crate::harness::{Stage, text, wait_until};
use crate::server::Serving;
use crate::tree::{playing, writing};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// More than may be silent at once.
const CROWD: usize = 300;

#[test]
fn a_silent_connection_is_closed_and_a_crowd_of_them_keeps_nobody_out() {
    let stage = playing(vec![]);
    let serving = Serving::of(&stage);
    let began = Instant::now();
    let mut crowd: Vec<TcpStream> = (0..CROWD).map(|_| serving.connect()).collect();
    assert_eq!(serving.get("/v1/runs").status, 200);
    // The oldest ones made room; the others have ten seconds.
    let mut rest = [0; 1];
    assert_eq!(crowd[0].read(&mut rest).unwrap(), 0);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    crowd[CROWD - 1].write_all(b"GET /v1/ru").unwrap();
    while crowd[CROWD - 1].read(&mut rest).is_ok_and(|bytes| bytes > 0) {}
    assert!(began.elapsed() >= Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(serving.get("/v1/runs").status, 200);
    serving.end();
}

#[test]
fn a_body_is_read_once_the_rights_are_known_and_is_no_longer_than_may_be() {
    let stage = playing(vec![]);
    let made = &stage.arki(&["--json", "serve", "--pair", "read"]).exits(0).lines()[0];
    let serving = Serving::of(&stage);
    let head = |token: &str, path: &str, bytes: usize| {
        let own = serving.port;
        format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{own}\r\nAuthorization: Bearer {token}\r\nContent-Type: \
             application/json\r\nContent-Length: {bytes}\r\nConnection: close\r\n\r\n"
        )
    };
    let reading = text(&made["token"]);
    for path in ["/v1/runs", "/v1/approvals/a", "/v1/commands/set_key", "/v1/runs/r/steer"] {
        let answer = serving.sent(&head(&reading, path, 1_073_741_824));
        assert_eq!(answer.code(), (403, "RIGHTS_MISSING".to_owned()), "{path}");
    }
    let too_large = (413, "REQUEST_TOO_LARGE".to_owned());
    assert_eq!(serving.sent(&head(&serving.token, "/v1/runs", 1_073_741_824)).code(), too_large);
    let prompt = "x".repeat((4 << 20) + 1);
    let long = json!({"project": stage.home.project_dir(), "prompt": prompt});
    assert_eq!(serving.post("/v1/runs", &long).code(), too_large);
    serving.end();
}

#[test]
fn a_further_token_has_16_readers() {
    let stage = playing(vec![]);
    let made = &stage.arki(&["--json", "serve", "--pair", "read"]).exits(0).lines()[0];
    let mut serving = Serving::of(&stage);
    let own = std::mem::replace(&mut serving.token, text(&made["token"]));
    let readers: Vec<_> = (0..16).map(|_| serving.stream("/v1/events", None)).collect();
    assert_eq!(serving.get("/v1/events").code(), (429, "TOO_MANY_REQUESTS".to_owned()));
    serving.token = own;
    let more: Vec<_> = (0..200).map(|_| serving.stream("/v1/events", None)).collect();
    drop((readers, more));
    serving.end();
}

#[test]
fn a_run_that_waits_is_not_paused_and_says_so() {
    let stage = Stage::new([writing("a.txt", "a\n").to_vec(), vec![]].concat());
    let serving = Serving::of(&stage);
    let (_, run) = serving.start(&stage, "write it");
    let state = || serving.get(&format!("/v1/runs/{run}")).json()["state"].clone();
    wait_until("the run waits", || state() == json!("waiting"));
    assert_eq!(serving.post(&format!("/v1/runs/{run}/pause"), &json!({})).code(), (400, "USAGE".to_owned()));
    assert_eq!(state(), json!("waiting"));
    serving.end();
}

#[test]
fn tokens_are_listed_and_withdrawn_together() {
    let stage = playing(vec![]);
    let pair = || text(&stage.arki(&["--json", "serve", "--pair", "read"]).exits(0).lines()[0]["id"]);
    let (first, second) = (pair(), pair());
    let left = stage.arki(&["--json", "serve", "--tokens", "--withdraw", &first]).exits(0).lines();
    assert_eq!(left.iter().map(|token| text(&token["id"])).collect::<Vec<_>>(), [second]);
}

//! The adapter `http` over a real server: what it sends, what it hands on, and which answers are failures.
#![cfg(unix)]

use crate::harness::{Done, Stage};
use crate::pipelines::status;
use arki_testkit::Script;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// A server that answers by the path; `/flaky` fails once.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let mut failures = 1;
        for stream in listener.incoming() {
            answer(stream.unwrap(), &mut failures);
        }
    });
    host
}

fn answer(mut stream: TcpStream, failures: &mut u32) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or_default() > 0 {}
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (status, more, said) = match path {
        "/flaky" if *failures > 0 => {
            *failures -= 1;
            ("500 Oops", "", b"\xff not now".to_vec())
        }
        "/missing" => ("404 Not Found", "", b"no such thing\nat all".to_vec()),
        "/moved" => ("302 Found", "location: /elsewhere\r\n", Vec::new()),
        "/long" => ("200 OK", "", vec![b'x'; 5000]),
        "/binary" => ("200 OK", "", vec![0xff, 0xfe, 0]),
        _ => {
            let kind = head.split("x-kind: ").nth(1).and_then(|rest| rest.split("\r\n").next()).unwrap_or_default();
            let method = head.split(' ').next().unwrap_or_default();
            ("200 OK", "", format!("{method} {path} {kind} {}", String::from_utf8_lossy(&body)).into_bytes())
        }
    };
    let head = format!("HTTP/1.1 {status}\r\n{more}connection: close\r\ncontent-length: {}\r\n\r\n", said.len());
    let _ = stream.write_all(&[head.as_bytes(), &said].concat());
}

/// A stage whose configuration allows the server, and a way to request from it.
fn requesting() -> (Stage, impl Fn(&Stage, &str, &str) -> Done) {
    let host = server();
    let config = json!({
        "providers": {"demo": {"kind": "demo"}},
        "policy": {"fetch": {"allowPrivateHosts": [host]}},
    });
    let stage = Stage::untrusted(Script::new(Vec::new()), &config);
    stage.trust();
    stage.write("in.txt", "the input");
    let request = move |stage: &Stage, path: &str, keys: &str| {
        let step = format!("{{ name: a, adapter: http, url: \"http://{host}{path}\"{keys} }}");
        stage.write("p.yaml", format!("name: p\nlimits: {{ max_output_bytes: 1000 }}\nsteps:\n  - {step}\n"));
        stage.arki(&["run", "p.yaml", "--input", "in.txt"])
    };
    (stage, request)
}

#[test]
fn a_request_hands_on_the_response_and_sends_the_input_where_it_has_a_body() {
    let (stage, request) = requesting();
    assert_eq!(request(&stage, "/a?b=c", ", headers: { X-Kind: test }").exits(0).stdout.trim_end(), "get /a?b=c test");
    let posted = request(&stage, "/hook", ", method: POST, headers: { X-Kind: test }").exits(0);
    assert_eq!(posted.stdout.trim_end(), "post /hook test the input");
    assert!(posted.stderr.contains("sends a request to 127.0.0.1:"), "{}", posted.stderr);
}

#[test]
fn a_server_that_fails_is_asked_again_and_other_failures_say_what_came() {
    let (stage, request) = requesting();
    let again = ", retry: { max_attempts: 2, backoff_ms: 10 }";
    assert!(request(&stage, "/flaky", again).exits(0).stdout.starts_with("get /flaky"));
    assert_eq!(status(&stage), [("a".to_owned(), "completed".to_owned(), 2)]);
    let missing = request(&stage, "/missing", again).fails(1, "STEP_FAILED");
    assert!(missing.message.contains("404") && missing.hint.contains("no such thing"), "{missing:?}");
    assert_eq!(status(&stage)[0].2, 1, "it would be missing again");
    let moved = request(&stage, "/moved", again).fails(1, "STEP_FAILED");
    assert!(moved.message.contains("302 and leads to http://127.0.0.1:"), "{moved:?}");
    assert!(moved.message.contains("/elsewhere"), "{moved:?}");
}

#[test]
fn a_response_that_is_too_long_or_no_text_fails_the_step() {
    let (stage, request) = requesting();
    let long = request(&stage, "/long", "").fails(1, "STEP_OUTPUT_INVALID");
    assert!(long.message.contains("longer than 1000 bytes"), "{long:?}");
    let binary = request(&stage, "/binary", "").fails(1, "STEP_OUTPUT_INVALID");
    assert!(binary.message.contains("not text"), "{binary:?}");
}

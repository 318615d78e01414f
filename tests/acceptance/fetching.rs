//! `fetch_url` through the real program: asked first, allowed by host, and never a way into the user's own network.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;

/// A server of one page.
fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let body = "<h1>Prices</h1><p>Ten euros.</p><script>steal()</script>";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    host
}

fn stage(url: &str, policy: &Value) -> Stage {
    let turns = vec![Turn::calls().call("fetch_url", json!({"url": url})), Turn::text("ok")];
    Stage::configured(Script::new(turns), &json!({"policy": policy}))
}

#[test]
fn it_asks_first_and_then_the_model_has_the_text() {
    let host = page();
    let stage = stage(&format!("http://{host}/"), &json!({"fetch": {"allowPrivateHosts": [host]}}));
    stage.exec(&["look it up"]).exits(3);
    assert_eq!(payload(&stage.log(), "policy.decided")["rule"], "category:network");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    let told = text(&payload(&stage.log(), "tool.result")["result"]);
    assert!(told.starts_with(&format!("URL: http://{host}/\nStatus: 200 OK\n")), "{told}");
    assert!(told.contains("# Prices") && told.contains("Ten euros.") && !told.contains("steal"), "{told}");
    stage.verifies();
}

#[test]
fn a_rule_allows_a_host_and_no_other() {
    let host = page();
    let rules = json!([{"decision": "allow", "tool": "fetch_url", "host": "127.0.0.1"}]);
    let policy = json!({"rules": rules, "fetch": {"allowPrivateHosts": [host, "localhost"]}});
    let allowed = stage(&format!("http://{host}/"), &policy);
    allowed.exec(&["look"]).exits(0);
    assert_eq!(payload(&allowed.log(), "policy.decided")["rule"], "config:rules[1]");
    let port = host.rsplit(':').next().unwrap();
    stage(&format!("http://localhost:{port}/"), &policy).exec(&["look"]).exits(3);
}

#[test]
fn nothing_that_is_not_on_the_public_internet_is_reached_whatever_was_granted() {
    let host = page();
    let port = host.rsplit(':').next().unwrap();
    for address in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0"] {
        let stage = stage(&format!("http://{address}:{port}/"), &json!({}));
        stage.exec(&["--approve", "all", "look"]).exits(0);
        let results = payloads(&stage.log(), "tool.result");
        assert_eq!(
            (&results[0]["isError"], &results[0]["code"]),
            (&json!(true), &json!("ADDRESS_REFUSED")),
            "{address}"
        );
    }
}

#[test]
fn a_rule_with_a_host_is_checked_when_it_is_loaded() {
    for (rule, is_good) in [
        (
            json!({"decision": "allow", "tool": "fetch_url", "host": "*.example.org", "match": ["docs.example.org"],
                "notMatch": ["example.org", "example.org.evil.net"]}),
            true,
        ),
        (json!({"decision": "allow", "host": "https://example.org/"}), false),
        (json!({"decision": "allow", "host": "*"}), false),
        (json!({"decision": "allow", "host": "example.org", "match": ["www.example.org"]}), false),
    ] {
        let stage = stage("https://example.org", &json!({"rules": [rule]}));
        let done = stage.exec(&["--approve", "never", "x"]);
        assert_eq!(done.code == Some(2), !is_good, "{rule} {done:?}");
    }
}

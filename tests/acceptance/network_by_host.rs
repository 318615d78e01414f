//! A command in a view reaches the hosts that were granted to it, by Arki's proxy, and nobody else.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

/// Asks the proxy for each place, and prints what comes back.
const REACH: &str = r#"#!/bin/bash
proxy=${HTTPS_PROXY#http://}
for place in "$@"; do
  exec 3<>"/dev/tcp/${proxy%:*}/${proxy##*:}" || exit 1
  printf 'CONNECT %s HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\n\r\n' "$place" >&3
  cat <&3
done
"#;

/// A server that says hello to whoever reaches it.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello from outside");
        }
    });
    port
}

/// Hosts are looked up as for `fetch_url`: this computer counts as one that anybody may have only where the user says so.
fn policy(port: u16, rules: &Value) -> Value {
    json!({"policy": {"categories": {"exec": "review"}, "rules": rules, "fetch": {"allowPrivateHosts": [format!("localhost:{port}")]}}})
}

fn granted() -> Value {
    json!({"decision": "allow", "command": ["./reach"], "host": "localhost"})
}

fn stage(calls: &[Value], config: &Value) -> Stage {
    let mut turns: Vec<Turn> = calls.iter().map(|call| Turn::calls().call("run_command", call.clone())).collect();
    turns.push(Turn::text("Done."));
    let stage = Stage::configured(Script::new(turns), config);
    for name in ["reach", "other"] {
        stage.write(name, REACH);
        std::fs::set_permissions(stage.path(name), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    stage
}

/// What the model is told of one command.
fn told(line: &str, config: &Value) -> String {
    let stage = stage(&[json!({"command": line})], config);
    stage.exec(&["go"]).exits(0);
    text(&payload(&stage.log(), "tool.result")["result"])
}

#[test]
fn a_granted_host_is_reached_and_every_other_is_refused_by_name() {
    let port = server();
    let line = format!("./reach localhost:{port} registry.example:443 1.1.1.1:443 127.0.0.1:{port}");
    let told = told(&line, &policy(port, &json!([granted()])));
    assert!(told.starts_with("exit code 0\n") && told.contains("hello from outside"), "{told}");
    assert_eq!(told.matches("HTTP/1.1 403 Forbidden").count(), 3, "{told}");
    for words in [
        "[registry.example was refused: this command has no network for it.]",
        "[1.1.1.1 was refused: hosts are reached by name, not by address.]",
        "[127.0.0.1 was refused: hosts are reached by name, not by address.]",
        "\"hosts\": [\"registry.example\"].]",
    ] {
        assert!(told.contains(words), "{words} is missing in {told}");
    }
}

#[test]
fn this_computer_is_not_reached_whatever_a_rule_grants() {
    let port = server();
    let config = json!({"policy": {"categories": {"exec": "review"}, "rules": [granted()]}});
    let told = told(&format!("./reach localhost:{port} localhost:80"), &config);
    assert!(!told.contains("hello") && told.contains("localhost was refused: "), "{told}");
}

#[test]
fn a_program_that_uses_no_proxy_has_no_network() {
    let port = server();
    let line = format!("./reach localhost:{port} && ! (exec 3<>/dev/tcp/127.0.0.1/{port}) && echo alone");
    let told = told(&line, &policy(port, &json!([granted()])));
    assert!(told.contains("\nalone") && !told.contains("hello"), "{told}");
}

#[test]
fn a_host_is_a_commands_own_and_a_denial_wins() {
    let port = server();
    let reach = format!("./reach localhost:{port}");
    let other = format!("./other localhost:{port}");
    let denied = json!({"decision": "deny", "host": "localhost"});
    let both = json!({"decision": "allow", "command": ["./other"], "host": "localhost"});
    for (line, rules, is_reached) in [
        (reach.clone(), json!([granted()]), true),
        (format!("{reach} | tail -3"), json!([granted()]), true),
        (other.clone(), json!([granted()]), false),
        (format!("{reach}; {other}"), json!([granted()]), false),
        (format!("{reach}; {other}"), json!([granted(), both]), true),
        (format!("bash -c '{reach}'; X=1 {reach}"), json!([granted()]), false),
        (reach.clone(), json!([granted(), denied]), false),
        (reach.clone(), json!([{"decision": "allow", "host": "localhost"}]), false),
        (reach.clone(), json!([{"decision": "allow", "command": ["./reach"], "network": true}]), false),
    ] {
        let told = told(&line, &policy(port, &rules));
        assert_eq!(told.contains("hello"), is_reached, "{line} {rules}: {told}");
    }
}

#[test]
fn a_host_that_is_asked_for_is_shown_granted_once_and_kept_where_the_user_says_always() {
    let port = server();
    let call = json!({"command": format!("./other localhost:{port}"), "hosts": ["LocalHost"]});
    let again = json!({"command": format!("./other localhost:{port}")});
    let stage = stage(&[call, again.clone(), again], &policy(port, &json!([])));
    stage.exec(&["go"]).exits(3);
    let requested = payload(&stage.log(), "approval.requested");
    assert_eq!(requested["reason"], "The command can send anything it can read to localhost.");
    let confinement = &requested["command"]["confinement"];
    assert_eq!((&confinement["hosts"], &confinement["network"]), (&json!(["localhost"]), &json!(false)));
    assert!(confinement.get("readsPrivate").is_none(), "{confinement}");
    assert_eq!(confinement["lands"], "reviewed");
    let shown = stage.arki(&["approvals", "show", &stage.waiting()]).exits(0).stdout;
    assert!(shown.contains("It can send anything it can read to localhost."), "{shown}");
    assert!(shown.contains("You review its changes before they land"), "{shown}");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    let results = payloads(&stage.log(), "tool.result");
    let reached: Vec<bool> = results.iter().map(|result| text(&result["result"]).contains("hello")).collect();
    assert_eq!(reached, [true, false, false], "it was granted for one call: {results:?}");
}

/// The question is about one host, and the command reaches both.
#[test]
fn the_question_names_the_hosts_that_rules_grant_too() {
    let rules = json!([granted(), {"decision": "allow", "command": ["./reach"], "host": "*.example.org"}]);
    let call = json!({"command": "./reach x.example:443", "hosts": ["x.example"]});
    let stage = stage(&[call], &policy(1, &rules));
    stage.exec(&["go"]).exits(3);
    let confinement = &payload(&stage.log(), "approval.requested")["command"]["confinement"];
    assert_eq!(confinement["hosts"], json!(["*.example.org", "localhost", "x.example"]));
}

#[test]
fn always_keeps_the_host_for_the_command() {
    let calls = ["npm ci", "npm ci"].map(|line| json!({"command": line, "hosts": ["registry.example"]}));
    let stage = stage(&calls, &json!({"policy": {"categories": {"exec": "review"}}}));
    stage.exec(&["go"]).exits(3);
    let shown = stage.arki(&["approvals", "show", &stage.waiting()]).exits(0).stdout;
    assert!(shown.contains("registry.example") && shown.contains("--always"), "{shown}");
    stage.arki(&["approvals", "approve", &stage.waiting(), "--always"]).exits(0);
    assert_eq!(payloads(&stage.log(), "approval.requested").len(), 1, "the second call asks nobody");
    let config = std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap();
    assert!(config.contains("registry.example"), "{config}");
}

#[test]
fn hosts_are_asked_for_by_name_and_only_where_they_can_be_told_apart() {
    for (call, words) in [
        (json!({"command": "true", "hosts": ["https://x.example/"]}), "is not the name of a host"),
        (json!({"command": "true", "hosts": ["x.example"], "background": true}), "doesn't work with `background`"),
    ] {
        let stage = stage(&[call], &json!({}));
        stage.exec(&["go"]).exits(0);
        let result = payload(&stage.log(), "tool.result");
        assert_eq!(result["code"], "ARGUMENTS_INVALID");
        assert!(text(&result["result"]).contains(words), "{result}");
    }
}

#[test]
fn a_host_for_every_line_is_a_configuration_error() {
    let rule = json!({"decision": "allow", "tool": "run_command", "host": "x.example"});
    let stage = stage(&[], &json!({"policy": {"rules": [rule]}}));
    let shown = stage.exec(&["go"]).fails(2, "CONFIG_INVALID");
    assert!(shown.message.contains("never to every line"), "{}", shown.message);
}

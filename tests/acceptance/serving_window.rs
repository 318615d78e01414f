//! `arki serve --ui`: the window's files for browsers, signing in, and what a browser may ask for.
#![cfg(unix)]

use crate::harness::{Stage, text};
use crate::server::{Answered, Serving};
use crate::tree::{playing, writing};
use arki_testkit::Turn;
use serde_json::{Value, json};

/// A server with the window, and the code of its link.
fn serving(stage: &Stage, arguments: &[&str]) -> (Serving, String) {
    let mut running = stage.start(&[&["serve", "--ui", "--port", "0"], arguments].concat());
    let at = running.until(|line| !line["url"].is_null());
    let port = text(&at["url"]).rsplit(':').next().unwrap().parse().unwrap();
    let token = std::fs::read_to_string(text(&at["tokenFile"])).unwrap();
    let code = text(&at["signIn"]).split_once("/#code=").unwrap().1.to_owned();
    (Serving { running, port, token }, code)
}

fn bare(serving: &Serving, (method, path): (&str, &str), headers: &str, body: &str) -> Answered {
    serving.sent(&format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        serving.port,
        body.len()
    ))
}

fn sign_in(serving: &Serving, by: &Value) -> Answered {
    bare(serving, ("POST", "/v1/window/sign-in"), "Content-Type: application/json\r\n", &by.to_string())
}

/// The cookie that an answer sets, without its attributes.
#[track_caller]
fn cookie(answer: &Answered) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
        assert!(line.contains(attribute), "{line}");
    }
    line.split(';').next().unwrap().to_owned()
}

#[test]
fn a_code_signs_a_browser_in_once_and_its_cookie_counts_as_a_token() {
    let stage = playing(vec![]);
    let (serving, code) = serving(&stage, &[]);
    assert_eq!(sign_in(&serving, &json!({"code": "0".repeat(64)})).status, 401);
    let cookie = cookie(&sign_in(&serving, &json!({"code": code})));
    assert_eq!(sign_in(&serving, &json!({"code": code})).status, 401);
    let asked = |headers: &str| bare(&serving, ("GET", "/v1/sessions"), headers, "");
    assert_eq!(asked("").status, 401);
    assert_eq!(asked(&format!("Cookie: {cookie}\r\n")).status, 200);
    // As a page of another site would send it.
    assert_eq!(asked(&format!("Cookie: {cookie}\r\nOrigin: https://evil.example\r\n")).status, 403);
    assert_eq!(asked(&format!("Cookie: {cookie}\r\nSec-Fetch-Site: same-site\r\n")).status, 403);
    let named = text(&json!(stage.arki(&["serve", "--tokens"]).exits(0).stdout));
    let id = named.split_whitespace().next().unwrap().to_owned();
    assert!(named.contains("browser"), "{named}");
    stage.arki(&["serve", "--withdraw", &id]).exits(0);
    assert_eq!(asked(&format!("Cookie: {cookie}\r\n")).status, 401);
    serving.end();
}

#[test]
fn whoever_signs_out_is_signed_in_no_more() {
    let stage = playing(vec![]);
    let (serving, code) = serving(&stage, &[]);
    let cookie = cookie(&sign_in(&serving, &json!({"code": code})));
    let headers = format!("Content-Type: application/json\r\nCookie: {cookie}\r\n");
    let out = bare(&serving, ("POST", "/v1/window/sign-out"), &headers, "{}");
    assert!(out.head.contains("Max-Age=0"), "{}", out.head);
    assert_eq!(bare(&serving, ("GET", "/v1/sessions"), &format!("Cookie: {cookie}\r\n"), "").status, 401);
    serving.end();
}

#[test]
fn a_further_token_signs_in_with_its_rights_and_learns_what_it_may_ask_for() {
    let stage = Stage::new([writing("a.txt", "a\n").to_vec(), vec![]].concat());
    let read = text(&json!(stage.arki(&["serve", "--pair", "read"]).exits(0).stdout)).trim().to_owned();
    let (serving, _) = serving(&stage, &[]);
    let cookie = cookie(&sign_in(&serving, &json!({"token": read})));
    let access = bare(&serving, ("GET", "/v1/access"), &format!("Cookie: {cookie}\r\n"), "").json();
    assert_eq!(access["rights"], json!("read"));
    let may = |access: &Value, name: &str| access["commands"].as_array().unwrap().contains(&json!(name));
    assert!(may(&access, "list_sessions") && may(&access, "next_frame"));
    assert!(!may(&access, "resolve_approval") && !may(&access, "send_message") && !may(&access, "set_key"));
    let own = serving.get("/v1/access").json();
    assert!(may(&own, "set_key") && may(&own, "send_message"));
    assert!(!may(&own, "choose_folder") && !may(&own, "open_window"), "only a desktop has these");
    serving.end();
}

#[test]
fn only_the_windows_files_are_served_and_they_obey_its_rules() {
    let stage = playing(vec![]);
    let (serving, _) = serving(&stage, &["--public-url", "http://localhost:9/tools/arki"]);
    let get = |path: &str| bare(&serving, ("GET", path), "", "");
    let first = get("/");
    assert_eq!(first.status, 200);
    assert!(first.head.contains("frame-ancestors 'none'") && first.head.contains("nosniff"), "{}", first.head);
    let script = first.body.split("src=\"./").nth(2).unwrap().split('"').next().unwrap().to_owned();
    assert!(get(&format!("/{script}")).head.contains("text/javascript"), "{script}");
    let compressed = bare(&serving, ("HEAD", &format!("/{script}")), "Accept-Encoding: gzip\r\n", "");
    assert!(compressed.head.contains("content-encoding: gzip"), "{}", compressed.head);
    // Below the public address's path, the same.
    assert_eq!(get("/tools/arki/").status, 200);
    assert_eq!(get(&format!("/tools/arki/{script}")).status, 200);
    let moved = get("/tools/arki");
    assert_eq!((moved.status, moved.head.contains("location: /tools/arki/")), (308, true), "{}", moved.head);
    for path in ["/assets/../index.html", "/assets/%2e%2e/index.html", "/assets/", "/assets/..%2f..%2fCargo.toml"] {
        assert!([401, 404].contains(&get(path).status), "{path}");
    }
    assert_eq!(bare(&serving, ("GET", "/"), "Origin: https://evil.example\r\n", "").status, 403);
    serving.end();
    let without = Serving::of(&stage);
    assert_eq!(bare(&without, ("GET", "/"), "", "").status, 401);
    assert_eq!(sign_in(&without, &json!({"token": without.token})).status, 401);
    without.end();
}

#[test]
fn steps_of_a_command_come_as_lines() {
    let stage = playing(vec![Turn::text("Yes.")]);
    let (serving, _) = serving(&stage, &[]);
    let asked = json!({"provider": "mock", "model": null});
    let told = serving.post_with("Accept: application/x-ndjson", "/v1/commands/test_provider", &asked);
    let body: String = told.body.lines().filter(|line| line.starts_with('{')).collect::<Vec<_>>().join("\n");
    let lines: Vec<Value> = body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 1 && lines[..lines.len() - 1].iter().all(|line| line["step"].is_object()), "{}", told.body);
    assert!(lines.last().unwrap()["result"].is_boolean(), "{}", told.body);
    serving.end();
}

#[test]
fn a_session_is_exported_as_a_file() {
    let stage = playing(vec![Turn::text("A long answer.")]);
    stage.exec(&["Say something"]).exits(0);
    let (serving, _) = serving(&stage, &[]);
    let session = text(&serving.get("/v1/sessions").json()[0]["sessionId"]);
    for (format, part) in [("jsonl", "\"run.started\""), ("markdown", "A long answer."), ("html", "A long answer.")] {
        let export = serving.get(&format!("/v1/sessions/{session}/export?format={format}"));
        assert_eq!(export.status, 200);
        assert!(export.head.contains("attachment") && export.body.contains(part), "{}", export.head);
    }
    assert_eq!(serving.get("/v1/sessions/nowhere/export").status, 404);
    assert_eq!(serving.get(&format!("/v1/sessions/{session}/export?format=exe")).status, 400);
    serving.end();
}

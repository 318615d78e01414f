//! Signing in to an MCP server with the user's browser, which the test plays: from the first refusal to tokens that are
//! kept in the keychain, renewed, and taken back.

use crate::harness::{Done, Stage, contains, files_below};
use crate::keychain::Session;
use crate::mcp;
use crate::sign_in_server::{CODE, HOUR, SignInServer, access, refresh};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// With a keychain, and a model that calls the server's tool that many times, once a run.
fn stage(server: &SignInServer, runs: usize) -> (Stage, Session) {
    let call = Turn::calls().call("mcp__x__echo", json!({ "text": "hello" }));
    // The server is met before the first run asks the model anything.
    let turns = (0..runs).flat_map(|_| [call.clone(), Turn::text("Done.")]).collect();
    let mut stage = mcp::stage(&json!({ "url": server.url() }), turns);
    let session = Session::start(&stage);
    stage.home.env.insert("DBUS_SESSION_BUS_ADDRESS".to_owned(), session.bus.clone());
    (stage, session)
}

/// `arki mcp login x`, with a browser that comes back with that answer.
fn login(stage: &Stage, server: &SignInServer, answer: &str) -> Done {
    let mut child = stage.command(&["mcp", "login", "x"]).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    let page = loop {
        let mut line = String::new();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "no page was shown: {told}");
        told.push_str(&line);
        if line.starts_with("http") {
            break line.trim().to_owned();
        }
    };
    browse(&server.visit(&page, answer));
    stderr.read_to_string(&mut told).unwrap();
    let done = Done::of_child(child);
    Done { stderr: told, ..done }
}

/// What the browser is shown at the end.
fn browse(url: &str) -> String {
    let (host, target) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    // At once: the answer may come, and the other side go, after the first line.
    stream.write_all(format!("GET /{target} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
    let mut shown = String::new();
    stream.read_to_string(&mut shown).unwrap();
    assert!(shown.starts_with("HTTP/1.1 200"), "{shown}");
    shown
}

fn tests(stage: &Stage) -> Value {
    stage.arki(&["mcp", "test", "x", "--json"]).lines().pop().unwrap()
}

fn calls(stage: &Stage) {
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert_eq!(stage.told(), "hello");
}

/// Anywhere in the folders of this test but the keychain's own.
fn is_on_disk(stage: &Stage, secret: &str) -> bool {
    let folders = [stage.home.data_dir(), stage.home.config_dir(), stage.home.project_dir()];
    let files = folders.iter().flat_map(|folder| files_below(folder));
    files.into_iter().any(|file| contains(&std::fs::read(file).unwrap_or_default(), secret.as_bytes()))
}

#[test]
fn the_browser_comes_back_and_the_tokens_are_kept_in_the_keychain_alone() {
    let server = SignInServer::start(HOUR);
    let (stage, _session) = stage(&server, 1);
    let refused = tests(&stage);
    assert_eq!((&refused["ok"], &refused["code"]), (&json!(false), &json!("MCP_AUTHORIZATION_NEEDED")));
    let done = login(&stage, &server, &format!("code={CODE}")).exits(0);
    assert!(done.stdout.contains("Signed in to x."), "{done:?}");
    assert_eq!(tests(&stage)["ok"], true);
    calls(&stage);
    assert_eq!(server.called_with(), [access(1)]);
    assert_eq!(server.grants(), ["authorization_code"]);
    let registered = server.registered();
    assert_eq!(registered.len(), 1, "{registered:?}");
    let back = registered[0]["redirect_uris"][0].as_str().unwrap();
    assert!(back.starts_with("http://127.0.0.1:") && back.ends_with("/callback"), "{back}");
    for secret in [access(1), refresh(1), CODE.to_owned()] {
        assert!(!is_on_disk(&stage, &secret), "{secret}");
        assert!(!format!("{done:?}").contains(&secret), "{secret}");
    }
}

#[test]
fn tokens_that_run_out_are_renewed_once_and_kept_renewed() {
    let server = SignInServer::start(1);
    let (stage, _session) = stage(&server, 2);
    login(&stage, &server, &format!("code={CODE}")).exits(0);
    calls(&stage);
    calls(&stage);
    assert_eq!(server.grants(), ["authorization_code", "refresh_token"]);
    assert_eq!(server.called_with(), [access(2), access(2)]);
    assert!(!is_on_disk(&stage, &refresh(2)));
}

#[test]
fn what_the_server_takes_back_has_to_be_signed_in_to_again() {
    let server = SignInServer::start(HOUR);
    let (stage, _session) = stage(&server, 2);
    login(&stage, &server, &format!("code={CODE}")).exits(0);
    calls(&stage);
    server.revoke();
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert!(stage.told().contains("arki mcp login x"), "{}", stage.told());
    login(&stage, &server, &format!("code={CODE}")).exits(0);
    assert_eq!(tests(&stage)["ok"], true);
}

#[test]
fn a_user_who_refuses_and_an_answer_that_is_not_to_ours_sign_in_to_nothing() {
    let server = SignInServer::start(HOUR);
    let (stage, _session) = stage(&server, 1);
    let refused = login(&stage, &server, "error=access_denied&error_description=Not%20today");
    let refused = refused.fails(1, "MCP_AUTHORIZATION_NEEDED");
    assert!(refused.message.contains("access_denied, Not today"), "{refused:?}");
    login(&stage, &server, &format!("code={CODE}&state=of-another")).fails(1, "MCP_SERVER_FAILED");
    assert_eq!(tests(&stage)["code"], "MCP_AUTHORIZATION_NEEDED");
    assert_eq!(server.grants(), [""; 0]);
}

/// Tests have no keychain unless they start one.
#[test]
fn without_a_keychain_a_server_that_asks_nobody_to_sign_in_is_used() {
    let server = SignInServer::open();
    for headers in [json!({}), json!({ "Authorization": "Bearer token-of-the-configuration" })] {
        let call = Turn::calls().call("mcp__x__echo", json!({ "text": "hello" }));
        let configured = json!({ "url": server.url(), "headers": headers });
        let stage = mcp::stage(&configured, vec![call, Turn::text("Done.")]);
        assert_eq!(tests(&stage)["ok"], true);
        calls(&stage);
    }
    assert_eq!(server.called_with(), ["token-of-the-configuration"]);
}

#[test]
fn without_a_keychain_a_server_that_asks_to_sign_in_is_told_of_as_that() {
    let server = SignInServer::start(HOUR);
    let stage = mcp::stage(&json!({ "url": server.url() }), Vec::new());
    let refused = tests(&stage);
    assert_eq!(refused["code"], "KEYCHAIN_UNAVAILABLE");
    assert!(
        refused["message"].as_str().unwrap().contains("asks you to sign in, which needs the keychain."),
        "{refused}"
    );
    let login = stage.arki(&["mcp", "login", "x"]).fails(1, "KEYCHAIN_UNAVAILABLE");
    assert!(login.hint.contains("\"headers\""), "{login:?}");
    assert_eq!(server.registered(), Vec::<Value>::new());
}

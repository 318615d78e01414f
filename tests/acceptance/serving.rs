//! The engine over HTTP: runs, approvals and events for programs, and nothing for pages.
#![cfg(unix)]

use crate::harness::{Stage, text, wait_until};
use crate::server::{Answered, EventReader, Serving, Told, stored};
use crate::tree::{playing, session_of, writing};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

#[test]
fn a_run_is_started_followed_decided_and_ended_over_http() {
    let stage = Stage::new([writing("a.txt", "a\n").to_vec(), vec![]].concat());
    let serving = Serving::of(&stage);
    let (session, run) = serving.start(&stage, "write it");
    let mut stream = serving.stream(&format!("/v1/runs/{run}/events"), None);
    let mut seen = stream.until("approval.requested");
    assert_eq!(serving.get("/v1/runs?active=true").json()[0]["runId"], json!(run));
    let waiting = serving.get("/v1/approvals").json();
    let approval = text(&waiting[0]["approvalId"]);
    assert!(text(&waiting[0]["preview"]["diff"]).contains("a.txt"));
    assert!(!stage.path("a.txt").exists());
    let decided = serving.post(&format!("/v1/approvals/{approval}"), &json!({"decision": "approve", "reason": "good"}));
    assert_eq!((decided.status, decided.body.as_str()), (200, "{}"));
    seen.extend(stream.all());
    assert_eq!(seen.last().unwrap().kind, "run.completed");
    assert_eq!(stage.read("a.txt"), "a\n");
    let of_run: Vec<Value> = stage.events(&session).into_iter().filter(|event| event["runId"] == json!(run)).collect();
    assert_eq!(stored(&seen), of_run);
    // Once more is the same, and otherwise is too late.
    let again = serving.post(&format!("/v1/approvals/{approval}/resolve"), &json!({"decision": "approve"}));
    assert_eq!(again.status, 200);
    let otherwise = serving.post(&format!("/v1/approvals/{approval}/resolve"), &json!({"decision": "reject"}));
    assert_eq!(otherwise.code(), (409, "APPROVAL_ALREADY_DECIDED".to_owned()));
    let resolved = stage.events(&session).into_iter().find(|event| event["type"] == "approval.resolved").unwrap();
    assert_eq!((&resolved["payload"]["resolvedBy"], &resolved["payload"]["reason"]), (&json!("http"), &json!("good")));
    serving.end();
    stage.verifies();
}

#[test]
fn a_stream_goes_on_behind_its_cursor_and_repeats_nothing() {
    let stage = playing((0..4).map(|number| Turn::text(format!("Answer {number}."))).collect());
    let serving = Serving::of(&stage);
    let mut stream = serving.stream("/v1/events", None);
    let (session, _) = serving.start(&stage, "one");
    let first = stream.until("run.completed");
    drop(stream);
    // Of another process, while nobody reads.
    stage.exec(&["--session", &session, "two"]).exits(0);
    let cursors: Vec<&str> = first.iter().filter_map(|event| event.id.as_deref()).collect();
    let log = stage.events(&session);
    for (place, cursor) in cursors.iter().enumerate() {
        let mut rest = serving.stream("/v1/events", Some(cursor));
        let mut events = Vec::new();
        while stored(&events).len() + place + 1 < log.len() {
            events.push(rest.next().unwrap());
        }
        assert_eq!(stored(&events), log[place + 1..], "behind {cursor}");
    }
    let foreign = serving.sent(&format!(
        "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nLast-Event-ID: {}.0.5\r\n\
         Connection: close\r\n\r\n",
        serving.port,
        serving.token,
        "0".repeat(32)
    ));
    assert_eq!(foreign.code(), (409, "CURSOR_UNKNOWN".to_owned()));
    serving.end();
}

#[test]
fn pieces_of_an_answer_come_between_and_before_the_whole() {
    let stage = playing(vec![Turn::text("These words have come and the rest has not").hang_after(700)]);
    let serving = Serving::of(&stage);
    let mut stream = serving.stream("/v1/events", None);
    let (_, run) = serving.start(&stage, "say");
    let mut events = stream.until("output.delta");
    assert_eq!(serving.post(&format!("/v1/runs/{run}/stop"), &json!({})).status, 200);
    events.extend(stream.until("run.cancelled"));
    let whole = events.iter().position(|event| event.kind == "output.message").unwrap();
    let is_piece = |event: &Told| event.kind == "output.delta";
    assert!(events[..whole].iter().filter(|event| is_piece(event)).all(|event| event.id.is_none()), "{events:?}");
    assert!(!events[whole..].iter().any(is_piece), "{events:?}");
    serving.end();
}

#[test]
fn a_run_is_told_what_comes_after_it_and_is_stopped() {
    let stage = playing(vec![
        Turn::text("Waiting now").hang_after(5),
        Turn::text("On it."),
        Turn::text("Then this").hang_after(4),
    ]);
    let serving = Serving::of(&stage);
    let (session, run) = serving.start(&stage, "go");
    let mut stream = serving.stream("/v1/events", None);
    let steered = serving.post(&format!("/v1/runs/{run}/steer"), &json!({"text": "and that", "mode": "follow_up"}));
    assert_eq!(steered.status, 200, "{}", steered.body);
    stream.until("message.queued");
    let stopped = serving.post(&format!("/v1/runs/{run}/stop"), &json!({}));
    assert_eq!(stopped.status, 200, "{}", stopped.body);
    wait_until("the run has ended", || serving.get(&format!("/v1/runs/{run}")).json()["state"] == json!("cancelled"));
    assert!(stage.events(&session).iter().any(|event| event["type"] == "run.cancelled"));
    assert_eq!(serving.post("/v1/runs/nothing/stop", &json!({})).code(), (404, "RUN_NOT_FOUND".to_owned()));
    assert_eq!(serving.get("/v1/runs/nothing/events").code(), (404, "RUN_NOT_FOUND".to_owned()));
    serving.end();
}

#[test]
fn every_command_of_the_window_is_there_but_what_needs_a_desktop() {
    let stage = playing(vec![Turn::text("Hello.")]);
    let session = session_of(&stage.exec(&["hello"]).exits(0).lines());
    let serving = Serving::of(&stage);
    let ask = |name: &str, params: Value| serving.post(&format!("/v1/commands/{name}"), &params);
    assert_eq!(ask("list_sessions", json!({})).json()[0]["sessionId"], json!(session));
    assert_eq!(serving.get("/v1/sessions").json()[0]["sessionId"], json!(session));
    let overview = ask("session_overview", json!({"sessionId": session})).json();
    assert!(overview["usage"].is_object(), "{overview}");
    let page = serving.get(&format!("/v1/sessions/{session}/events?from=2")).json();
    assert_eq!(page["events"].as_array().unwrap(), &stage.events(&session)[1..]);
    assert_eq!(ask("choose_folder", json!({})).code(), (403, "NOT_AVAILABLE_HERE".to_owned()));
    assert_eq!(ask("no_such_command", json!({})).code(), (404, "COMMAND_UNKNOWN".to_owned()));
    assert_eq!(ask("session_overview", json!({"id": 1})).code(), (400, "ARGUMENTS_INVALID".to_owned()));
    assert_eq!(serving.post("/v1/runs", &json!({"prompt": "x"})).code(), (400, "USAGE".to_owned()));
    assert_eq!(serving.post("/v1/runs", &json!({"prompt": 1})).code(), (400, "ARGUMENTS_INVALID".to_owned()));
    assert_eq!(serving.get("/v1/runs?active=perhaps").code(), (400, "ARGUMENTS_INVALID".to_owned()));
    assert_eq!(serving.get("/v1/nothing").code(), (404, "ROUTE_NOT_FOUND".to_owned()));
    for (method, path) in [("GET", "/v1/commands/list_sessions"), ("POST", "/v1/access"), ("DELETE", "/v1/runs")] {
        let answer = serving.sent(&format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: 0\r\n\
             Connection: close\r\n\r\n",
            serving.port, serving.token
        ));
        assert_eq!(answer.code(), (405, "ROUTE_NOT_FOUND".to_owned()), "{method} {path}");
    }
    serving.end();
}

#[test]
fn without_a_known_token_nothing_is_told() {
    let stage = playing(vec![]);
    let serving = Serving::of(&stage);
    let unauthorized = (401, "AUTHENTICATION_REQUIRED".to_owned());
    let wrong = [String::new(), "x".to_owned(), "0".repeat(64), format!("{} ", &serving.token[1..])];
    let answers: Vec<Answered> = wrong.iter().map(|token| serving.with(token, "GET", "/v1/runs", "")).collect();
    assert!(answers.iter().all(|answer| answer.code() == unauthorized && answer.body == answers[0].body));
    let bare = format!("GET /v1/nothing HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", serving.port);
    assert_eq!(serving.sent(&bare).body, answers[0].body);
    let in_query = format!("/v1/runs?token={}", serving.token);
    assert_eq!(serving.with("x", "GET", &in_query, "").code(), unauthorized);
    // The body isn't waited for.
    let huge = format!(
        "POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: \
         1073741824\r\nConnection: close\r\n\r\n",
        serving.port
    );
    assert_eq!(serving.sent(&huge).code(), unauthorized);
    serving.end();
}

#[test]
fn no_page_of_another_origin_and_no_name_that_leads_here_gets_in() {
    let stage = playing(vec![]);
    let serving = Serving::of(&stage);
    let own = format!("127.0.0.1:{}", serving.port);
    let status = |method: &str, head: &str| {
        let all =
            format!("Authorization: Bearer {}\r\nConnection: close\r\nContent-Length: 2\r\n{head}", serving.token);
        let answer = serving.sent(&format!("{method} /v1/commands/list_sessions HTTP/1.1\r\n{all}\r\n\r\n{{}}"));
        assert!(!answer.head.to_lowercase().contains("access-control"), "{}", answer.head);
        answer.status
    };
    let json = "Content-Type: application/json";
    assert_eq!(status("POST", &format!("Host: {own}\r\n{json}")), 200);
    assert_eq!(status("POST", &format!("Host: {own}\r\n{json}\r\nOrigin: http://{own}")), 200);
    assert_eq!(status("POST", &format!("Host: evil.example:{}\r\n{json}", serving.port)), 403);
    assert_eq!(status("POST", &format!("Host: 127.0.0.1\r\n{json}")), 403);
    assert_eq!(status("POST", &format!("Host: {own}\r\n{json}\r\nOrigin: http://evil.example")), 403);
    assert_eq!(status("POST", &format!("Host: {own}\r\n{json}\r\nOrigin: null")), 403);
    assert_eq!(status("POST", &format!("Host: {own}\r\n{json}\r\nSec-Fetch-Site: cross-site")), 403);
    assert_eq!(status("POST", &format!("Host: {own}\r\nContent-Type: text/plain")), 415);
    assert_eq!(status("POST", &format!("Host: {own}")), 415);
    assert_eq!(status("OPTIONS", &format!("Host: {own}\r\nOrigin: http://evil.example")), 403);
    serving.end();
}

#[test]
fn further_tokens_may_less_and_can_be_withdrawn() {
    let stage = Stage::new([writing("a.txt", "a\n").to_vec(), vec![]].concat());
    let pair = |rights: &str| {
        let made = &stage.arki(&["--json", "serve", "--pair", rights]).exits(0).lines()[0];
        (text(&made["id"]), text(&made["token"]))
    };
    let ((reading_id, reading), (_, deciding)) = (pair("read"), pair("decide"));
    let serving = Serving::of(&stage);
    let (_, run) = serving.start(&stage, "write it");
    wait_until("an approval waits", || serving.get("/v1/approvals").json()[0]["approvalId"].is_string());
    let approval = text(&serving.get("/v1/approvals").json()[0]["approvalId"]);
    let missing = (403, "RIGHTS_MISSING".to_owned());
    let start = json!({"project": stage.home.project_dir(), "prompt": "x"}).to_string();
    let approve = json!({"decision": "approve"}).to_string();
    for token in [&reading, &deciding] {
        assert_eq!(serving.with(token, "GET", "/v1/runs", "").status, 200);
        assert_eq!(serving.with(token, "POST", "/v1/commands/list_sessions", "{}").status, 200);
        assert_eq!(serving.with(token, "POST", "/v1/runs", &start).code(), missing);
        let key = json!({"provider": "mock", "key": "k"}).to_string();
        assert_eq!(serving.with(token, "POST", "/v1/commands/set_key", &key).code(), missing);
        assert_eq!(serving.with(token, "POST", "/v1/commands/resolve_approval", "{}").code(), missing);
    }
    let path = format!("/v1/approvals/{approval}");
    assert_eq!(serving.with(&reading, "POST", &path, &approve).code(), missing);
    assert_eq!(serving.with(&deciding, "POST", &path, &approve).status, 200);
    wait_until("the run has ended", || serving.get(&format!("/v1/runs/{run}")).json()["state"] == json!("done"));
    assert_eq!(stage.arki(&["--json", "serve", "--tokens"]).exits(0).lines().len(), 2);
    stage.arki(&["serve", "--withdraw", &reading_id]).exits(0);
    assert_eq!(serving.with(&reading, "GET", "/v1/runs", "").status, 401);
    stage.arki(&["serve", "--withdraw", &reading_id]).fails(1, "PAIRING_NOT_FOUND");
    serving.end();
}

/// `arki serve` ends although readers are connected, and a run that it works on can be resumed.
#[test]
fn streams_end_with_the_server() {
    let stage = playing(vec![Turn::text("These words have come").hang_after(10)]);
    let serving = Serving::of(&stage);
    let (session, _) = serving.start(&stage, "go");
    let stream = serving.stream(&format!("/v1/events?session={session}"), None);
    let silent: Vec<EventReader> = (0..20).map(|_| serving.stream("/v1/events", None)).collect();
    let number = serving.post("/v1/commands/begin_frames", &json!({})).json();
    let mut waiting = serving.connect();
    let body = json!({"number": number}).to_string();
    let head = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}", serving.port, serving.token);
    let length = body.len();
    for _ in 0..2 {
        // The second one waits: the first tells what is there.
        let ask = format!(
            "POST /v1/commands/next_frame HTTP/1.1\r\n{head}\r\nContent-Type: application/json\r\nContent-Length: \
             {length}\r\n\r\n{body}"
        );
        waiting.write_all(ask.as_bytes()).unwrap();
    }
    serving.end();
    let seen = stream.all();
    assert!(seen.iter().all(|event| event.data["sessionId"] == json!(session) || event.kind == "heartbeat"));
    drop(silent);
    stage.verifies();
}

#[test]
fn the_end_comes_although_somebody_sent_half_a_request() {
    let stage = playing(vec![]);
    let serving = Serving::of(&stage);
    let mut half = serving.connect();
    half.write_all(b"GET /v1/ru").unwrap();
    let mut body = serving.connect();
    let head = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}", serving.port, serving.token);
    body.write_all(format!("POST /v1/runs HTTP/1.1\r\n{head}\r\nContent-Type: application/json\r\n").as_bytes())
        .unwrap();
    body.write_all(b"Content-Length: 100\r\n\r\n{").unwrap();
    serving.end();
    drop((half, body));
}

#[test]
fn a_stream_ends_when_its_token_is_withdrawn() {
    let stage = playing(vec![Turn::text("One."), Turn::text("Two.")]);
    let made = &stage.arki(&["--json", "serve", "--pair", "read"]).exits(0).lines()[0];
    let mut serving = Serving::of(&stage);
    let own = std::mem::replace(&mut serving.token, text(&made["token"]));
    let mut stream = serving.stream("/v1/events", None);
    serving.token = own;
    serving.start(&stage, "one");
    stream.until("run.completed");
    stage.arki(&["serve", "--withdraw", &text(&made["id"])]).exits(0);
    std::thread::sleep(Duration::from_millis(1200));
    serving.start(&stage, "two");
    assert_eq!(stream.all(), []);
    serving.end();
}

#[test]
fn what_was_begun_is_done_although_whoever_asked_hung_up() {
    let stage = playing((0..12).map(|_| Turn::text("Done.")).collect());
    let serving = Serving::of(&stage);
    let body = json!({"project": stage.home.project_dir(), "prompt": "go"}).to_string();
    for patience in 0..12 {
        let mut stream = serving.connect();
        let head = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}", serving.port, serving.token);
        let length = body.len();
        let ask = format!(
            "POST /v1/runs HTTP/1.1\r\n{head}\r\nContent-Type: application/json\r\nContent-Length: \
             {length}\r\n\r\n{body}"
        );
        stream.write_all(ask.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(4 * patience));
    }
    let states = || -> Vec<String> {
        serving.get("/v1/runs").json().as_array().unwrap().iter().map(|run| text(&run["state"])).collect()
    };
    wait_until("every run that was begun is done", || {
        let states = states();
        !states.is_empty() && states.iter().all(|state| state == "done")
    });
    serving.end();
}

#[test]
fn nothing_is_told_of_a_removed_session_and_a_run_that_is_over_ends_its_stream_at_once() {
    let stage = playing(vec![Turn::text("One."), Turn::text("Two.")]);
    let serving = Serving::of(&stage);
    let begin = serving.stream("/v1/events", None);
    let (session, run) = serving.start(&stage, "one");
    let events = serving.stream(&format!("/v1/runs/{run}/events"), None).all();
    let last = events.last().unwrap().id.clone().unwrap();
    assert_eq!(serving.stream(&format!("/v1/runs/{run}/events"), Some(&last)).all(), []);
    assert_eq!(serving.post(&format!("/v1/runs/{run}/steer"), &json!({"text": "more"})).code().0, 400);
    drop(begin);
    std::thread::sleep(Duration::from_secs(5));
    let first = events[0].id.clone().unwrap();
    assert_eq!(serving.post("/v1/commands/remove_session", &json!({"sessionId": session})).status, 200);
    let mut stream = serving.stream("/v1/events", Some(&first));
    serving.start(&stage, "two");
    let seen = stream.until("run.completed");
    assert!(seen.iter().all(|event| event.data["sessionId"] != json!(session)), "{seen:?}");
    serving.end();
}

/// The lines of `docs/http.md` are run one after the other, by a shell with curl and jq.
#[test]
fn the_main_job_is_done_by_curl_as_documented() {
    let stage = Stage::of(Script::new([writing("a.txt", "a\n").to_vec(), vec![]].concat()));
    let serving = Serving::of(&stage);
    let docs = include_str!("../../docs/http.md");
    let blocks: Vec<&str> =
        docs.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap_or_default()).collect();
    assert!(blocks.len() >= 4, "{blocks:?}");
    let token_file = stage.home.data_dir().join("serve/token");
    let mut shell = std::process::Command::new("bash");
    shell.arg("-euc").arg(blocks.concat());
    shell.env("URL", format!("http://127.0.0.1:{}", serving.port)).env("TOKEN_FILE", token_file);
    shell.env("PROJECT", stage.home.project_dir()).current_dir(stage.home.data_dir());
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("event: approval.requested") && said.contains("event: run.completed"), "{said}");
    assert_eq!(stage.read("a.txt"), "a\n");
    serving.end();
}

//! Telemetry: finished runs as OpenTelemetry traces, metrics and logs, in a file or at a receiver, and nowhere unless
//! the user says so.
#![cfg(unix)]

use crate::harness::{Done, Running, Stage, contains, payload, text, wait_until};
use crate::otlp_receiver::{Manner, OtlpReceiver, free_port};
use crate::server::Serving;
use arki_testkit::{Script, Turn, required};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const PROMPT: &str = "say bye to everybody";

/// A change that is approved, with a model that costs something.
fn configured(telemetry: &Value) -> Stage {
    let turns = vec![
        Turn::text("Let me look.").call("read_file", json!({"path": "a.txt"})),
        Turn::calls().call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "hello", "new_text": "bye"}]})),
        Turn::text("It is done."),
    ];
    let stage = Stage::configured(Script::new(turns), &json!({"telemetry": telemetry}));
    stage.write("a.txt", "hello\n");
    stage.arki(&["config", "set", "providers.mock.models.mock.price", r#"{"input": 5, "output": 10}"#]).exits(0);
    stage
}

fn sending_to(address: &str) -> Stage {
    configured(&json!({"endpoint": address}))
}

/// Returns the session.
fn with_an_approval(stage: &Stage) -> String {
    stage.exec(&[PROMPT]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--note", "well done"]).exits(0);
    text(&stage.sessions()[0]["sessionId"])
}

fn without_an_approval(stage: &Stage) {
    stage.exec(&["--approve", "all", PROMPT]).exits(0);
}

fn set_endpoint(stage: &Stage, endpoint: &str) {
    stage.arki(&["config", "set", "telemetry.endpoint", endpoint]).exits(0);
}

/// The words of `arki doctor` on telemetry: the state and the sentence.
fn doctor(stage: &Stage) -> Option<(String, String)> {
    let checks = stage.arki(&["doctor", "--json"]).lines();
    let check = checks.iter().find(|check| check["name"] == "telemetry")?;
    Some((text(&check["state"]), text(&check["detail"])))
}

fn exported(stage: &Stage, session: &str) -> Done {
    stage.arki(&["sessions", "export", session, "--format", "otlp"]).exits(0)
}

/// The attributes of a span, by name.
fn attribute<'a>(span: &'a Value, name: &str) -> Option<&'a Value> {
    let found = span["attributes"].as_array()?.iter().find(|one| one["key"] == name)?;
    found["value"].as_object()?.values().next()
}

#[test]
fn a_session_is_exported_as_a_line_each_of_traces_metrics_and_logs_the_same_each_time() {
    let stage = configured(&json!({}));
    let session = with_an_approval(&stage);
    let written = exported(&stage, &session).stdout;
    assert_eq!(exported(&stage, &session).stdout, written);
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&String> = lines.iter().flat_map(|line| line.as_object().unwrap().keys()).collect();
    assert_eq!(kinds, ["resourceSpans", "resourceMetrics", "resourceLogs"]);
    let spans = lines[0]["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
    let named = |name: &str| spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    let (run, call) = (named("invoke_agent arki"), named("execute_tool edit_file"));
    let (approval, request) = (named("approval edit_file"), named("chat mock"));
    assert_eq!(approval["parentSpanId"], call["spanId"]);
    assert_eq!((attribute(approval, "arki.approval.decision"), &request["kind"]), (Some(&json!("approve")), &json!(3)));
    let usage = payload(&stage.events(&session), "run.completed")["usage"].clone();
    let tokens = json!(usage["promptTokens"].to_string());
    assert_eq!(attribute(run, "gen_ai.usage.input_tokens"), Some(&tokens));
    let cost = attribute(run, "arki.cost.usd").and_then(Value::as_f64).unwrap();
    assert!(cost > 0.0 && (cost - usage["costUsd"].as_f64().unwrap()).abs() < 1e-9, "{cost} {usage}");
    let traces: BTreeSet<&str> = spans.iter().map(|span| span["traceId"].as_str().unwrap()).collect();
    assert!(traces.len() == 1 && traces.first().unwrap().len() == 32, "{traces:?}");
    for said in [PROMPT, "Let me look", "It is done", "a.txt", "hello", "well done"] {
        assert!(!written.contains(said), "{said:?} was told");
    }
}

#[test]
fn nothing_is_sent_while_the_endpoint_is_null_whatever_the_environment_says() {
    let receiver = OtlpReceiver::start(Manner::Takes);
    let mut stage = configured(&json!({"endpoint": null, "content": true}));
    stage.home.env.insert("OTEL_EXPORTER_OTLP_ENDPOINT".into(), receiver.address());
    stage.home.env.insert("OTEL_TRACES_EXPORTER".into(), "otlp".into());
    with_an_approval(&stage);
    assert_eq!(doctor(&stage), None);
    assert!(receiver.received().is_empty());
}

#[test]
fn a_receiver_gets_a_finished_run_once_with_tokens_cost_and_approvals() {
    let receiver = OtlpReceiver::start(Manner::Takes);
    let stage = sending_to(&receiver.address());
    stage.exec(&[PROMPT]).exits(3);
    assert!(receiver.received().is_empty(), "a run was sent before it had ended");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    let traces = receiver.one("traces");
    assert!(traces.head.contains("content-type: application/x-protobuf"));
    for said in ["gen_ai.usage.input_tokens", "arki.cost.usd", "arki.approval.decision", "execute_tool edit_file"] {
        assert!(traces.has(said), "{said} is missing");
    }
    assert!(receiver.one("metrics").has("arki.approvals") && receiver.one("logs").has("approval.resolved"));
    assert!(receiver.received().iter().all(|batch| !batch.has(PROMPT) && !batch.has("a.txt")));
    // The next command has nothing to send.
    stage.arki(&["resume", "last"]);
    assert_eq!(receiver.received().len(), 3);
    let (state, said) = doctor(&stage).unwrap();
    assert!(state == "ok" && said.contains(&receiver.address()) && said.contains("1 sent, 0 waiting"), "{said}");
}

#[test]
fn what_was_written_is_sent_only_where_it_is_asked_for() {
    let receiver = OtlpReceiver::start(Manner::Takes);
    let stage = configured(&json!({"endpoint": receiver.address(), "content": true}));
    without_an_approval(&stage);
    let traces = receiver.one("traces");
    assert!(traces.has(PROMPT) && traces.has("It is done") && traces.has("a.txt"));
    assert!(!receiver.one("logs").has(PROMPT));
}

#[test]
fn the_environment_decides_where_the_user_lets_it() {
    let receiver = OtlpReceiver::start(Manner::Takes);
    let mut stage = sending_to("env");
    let with_nothing = doctor(&stage).unwrap();
    assert!(with_nothing.1.contains("no OTEL_ variable names a receiver"), "{with_nothing:?}");
    let header = "authorization=Bearer%20not-for-the-log-7f3a";
    for (name, value) in [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address().as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", header),
        ("OTEL_METRICS_EXPORTER", "none"),
        ("OTEL_SERVICE_NAME", "my-own-arki"),
    ] {
        stage.home.env.insert(name.into(), value.into());
    }
    without_an_approval(&stage);
    let traces = receiver.one("traces");
    assert!(traces.has("my-own-arki") && traces.head.contains("authorization: bearer not-for-the-log-7f3a"));
    assert!(receiver.received().iter().all(|batch| batch.path != "/v1/metrics"));
    assert!(!contains(&std::fs::read(stage.database()).unwrap(), b"not-for-the-log"));
}

#[test]
fn a_receiver_that_is_down_during_a_run_gets_it_at_the_next() {
    let port = free_port();
    let stage = sending_to(&format!("http://127.0.0.1:{port}"));
    without_an_approval(&stage);
    let (state, said) = doctor(&stage).unwrap();
    assert!(state == "warning" && said.contains("1 waiting") && said.contains("can't be reached"), "{said}");
    let receiver = OtlpReceiver::on_port(port);
    without_an_approval(&stage);
    let traces = receiver.received().into_iter().filter(|batch| batch.path == "/v1/traces").count();
    assert_eq!(traces, 2);
    let (state, said) = doctor(&stage).unwrap();
    assert!(state == "ok" && said.contains("2 sent, 0 waiting"), "{said}");
}

#[test]
fn a_receiver_that_hangs_holds_up_the_end_of_a_command_for_two_seconds_at_most() {
    let receiver = OtlpReceiver::start(Manner::Hangs);
    let stage = sending_to(&receiver.address());
    let begun = Instant::now();
    without_an_approval(&stage);
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
    // It is left alone for a while.
    without_an_approval(&stage);
    assert_eq!(receiver.received().len(), 1);
    let (_, said) = doctor(&stage).unwrap();
    assert!(said.contains("did not answer") && said.contains("2 waiting"), "{said}");
}

#[test]
fn what_ran_before_it_was_switched_on_or_while_it_was_off_is_never_sent() {
    let receiver = OtlpReceiver::start(Manner::Takes);
    let stage = configured(&json!({}));
    without_an_approval(&stage);
    stage.write("a.txt", "hello\n");
    stage.exec(&[PROMPT]).exits(3);
    set_endpoint(&stage, &receiver.address());
    // It began before.
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(receiver.received().is_empty());
    without_an_approval(&stage);
    assert_eq!(receiver.received().len(), 3);
    set_endpoint(&stage, "null");
    without_an_approval(&stage);
    set_endpoint(&stage, &receiver.address());
    without_an_approval(&stage);
    assert_eq!(receiver.received().len(), 6);
}

#[test]
fn of_a_run_that_keeps_nothing_nothing_is_sent() {
    let receiver = OtlpReceiver::start(Manner::Takes);
    let stage = sending_to(&receiver.address());
    stage.exec(&["--ephemeral", "--approve", "all", PROMPT]).exits(0);
    assert!(receiver.received().is_empty());
}

/// Runs that ended eight days ago, as if no receiver had been there since.
fn add_old_runs(stage: &Stage, count: usize) {
    let mut database = rusqlite::Connection::open(stage.database()).unwrap();
    let transaction = database.transaction().unwrap();
    for number in 0..count {
        let (run, session) = (format!("old-run-{number}"), format!("old-session-{number}"));
        let ago = "(unixepoch() - 8 * 86400) * 1000";
        let event = format!(
            "INSERT INTO events (event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash) \
             VALUES (?1, ?2, ?3, 1, {ago}, 'run.failed', '{{\"code\":\"C\",\"message\":\"m\",\"retryable\":false}}', '', '')"
        );
        transaction.execute(&event, [&format!("old-event-{number}"), &run, &session]).unwrap();
        let listed = format!(
            "INSERT INTO runs (run_id, session_id, name, state, started_at, first_seq, last_seq) \
             VALUES (?1, ?2, 'old', 'failed', {ago}, 1, 1)"
        );
        transaction.execute(&listed, [&run, &session]).unwrap();
    }
    transaction.commit().unwrap();
}

#[test]
fn what_waits_too_long_or_is_too_much_is_left_out_and_told() {
    let port = free_port();
    let stage = sending_to(&format!("http://127.0.0.1:{port}"));
    without_an_approval(&stage);
    add_old_runs(&stage, 1003);
    let receiver = OtlpReceiver::on_port(port);
    without_an_approval(&stage);
    // The run before the old ones, and the oldest of them, are over the limit; the others are too old.
    let traces = receiver.one("traces");
    assert!(traces.has("invoke_agent arki"));
    let (_, said) = doctor(&stage).unwrap();
    assert!(said.contains("1 sent, 0 waiting; 1004 left out"), "{said}");
}

#[test]
fn a_server_sends_a_run_when_it_is_over() {
    let receiver = OtlpReceiver::start(Manner::Takes);
    let stage = sending_to(&receiver.address());
    let serving = Serving::of(&stage);
    let body = json!({"project": stage.home.project_dir(), "prompt": PROMPT, "options": {"approve": "all"}});
    let started = serving.with(&serving.token, "POST", "/v1/runs", &body.to_string());
    assert_eq!(started.status, 201, "{}", started.body);
    wait_until("the run's telemetry", || receiver.received().len() == 3);
    serving.end();
    assert_eq!(receiver.received().len(), 3);
}

#[test]
fn a_project_can_send_nothing_and_an_address_that_is_not_safe_is_refused() {
    let stage = configured(&json!({}));
    let refused = stage.arki(&["config", "set", "telemetry.endpoint", "http://otel.example:4318"]);
    assert!(refused.fails(2, "CONFIG_INVALID").message.contains("https://"));
    stage.write(".arki/config.json", r#"{"telemetry": {"endpoint": "http://127.0.0.1:4318"}}"#);
    stage.trust();
    stage.exec(&[PROMPT]).fails(2, "CONFIG_INVALID");
}

fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../.test-tools/telemetry/python")
}

fn has_packages() -> bool {
    required("servers", packages().exists(), "`cargo xtask test-servers` installs a receiver of telemetry")
}

fn python(script: &str) -> Command {
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages()).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("acceptance").join(script));
    python
}

#[test]
fn a_receiver_of_others_understands_all_three_signals() {
    if !has_packages() {
        return;
    }
    let port = free_port();
    let mut tap = python("otlp_tap.py");
    tap.arg(port.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tap = Running::of(tap.spawn().unwrap());
    tap.until_kind("ready");
    let stage = sending_to(&format!("http://127.0.0.1:{port}"));
    with_an_approval(&stage);
    let told = RefCell::new(Vec::new());
    tap.until(|line| {
        told.borrow_mut().push(line.clone());
        let has = |key: &str, value: &str| told.borrow().iter().any(|one| one["payload"][key] == value);
        has("name", "turn 3") && has("name", "gen_ai.execute_tool.duration") && has("eventName", "run.completed")
    });
    let told = told.into_inner();
    let of = |kind: &str, name: &str| {
        let is_it = |line: &&Value| line["type"] == kind && line["payload"]["name"] == name;
        told.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} {name}"))["payload"].clone()
    };
    let approval = of("span", "approval edit_file");
    assert_eq!(attribute(&approval, "arki.approval.decision"), Some(&json!("approve")));
    assert_eq!(approval["parentSpanId"], of("span", "execute_tool edit_file")["spanId"]);
    assert_eq!(of("span", "chat mock")["kind"], "SPAN_KIND_CLIENT");
    assert_eq!(of("metric", "arki.approvals")["sum"]["aggregationTemporality"], "AGGREGATION_TEMPORALITY_DELTA");
    assert_eq!(doctor(&stage).unwrap().0, "ok");
}

#[test]
fn an_export_is_read_by_opentelemetrys_own_messages() {
    if !has_packages() {
        return;
    }
    let stage = configured(&json!({}));
    let session = with_an_approval(&stage);
    let mut reader = python("otlp_lines.py");
    let mut reader = reader.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    reader.stdin.take().unwrap().write_all(exported(&stage, &session).stdout.as_bytes()).unwrap();
    let read = reader.wait_with_output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    assert_eq!(String::from_utf8_lossy(&read.stdout).lines().count(), 3);
}

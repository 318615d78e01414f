//! Providers that cannot be reached, refuse, fail or stop in the middle: one sentence, a log entry, and what had come of
//! an answer is kept.

use crate::harness::{Shown, Stage, payload, payloads, text};
use arki_testkit::{Script, ScriptedServer, Turn};
use serde_json::{Value, json};
use std::time::Duration;

fn error(message: &str) -> Value {
    json!({"error": {"message": message, "type": "t", "code": null}})
}

/// How often a request is sent before its fault counts, where no answer begins and where one breaks off.
const REQUESTS: usize = 12;
const ATTEMPTS: usize = 5;
/// The same where what comes is no answer: a gateway's page may pass.
const UNREADABLE: usize = 3;

/// Plays the broken turn, then a good one: the run fails in words, and the session goes on.
#[track_caller]
fn fails(turn: Turn, code: &str) -> (Shown, Vec<Value>) {
    fails_after(1, turn, code)
}

/// As [`fails`], with a fault that is tried again first.
#[track_caller]
fn keeps_failing(turn: Turn, code: &str) -> (Shown, Vec<Value>) {
    keeps_failing_for(REQUESTS, turn, code)
}

#[track_caller]
fn breaks_off(turn: Turn, code: &str) -> (Shown, Vec<Value>) {
    keeps_failing_for(ATTEMPTS, turn, code)
}

#[track_caller]
fn keeps_failing_for(attempts: usize, turn: Turn, code: &str) -> (Shown, Vec<Value>) {
    let (shown, log) = fails_after(attempts, turn.header("retry-after-ms", "1"), code);
    assert_eq!(payloads(&log, "engine.retry").len(), attempts - 1);
    (shown, log)
}

#[track_caller]
fn fails_after(attempts: usize, turn: Turn, code: &str) -> (Shown, Vec<Value>) {
    let turns = std::iter::repeat_n(turn, attempts).chain([Turn::text("Here again.")]);
    let stage = Stage::of(Script::new(turns.collect()).sequential());
    let done = stage.exec(&["hello"]).exits(1);
    let shown = done.json_error();
    assert_eq!(shown.code, code, "{shown:?}");
    assert!(shown.message.contains("mock"), "the provider is not named: {shown:?}");
    let log = stage.log();
    let failed = payload(&log, "run.failed");
    assert_eq!((&failed["code"], &failed["message"]), (&json!(code), &json!(shown.message)));
    assert!(failed["retryable"].is_boolean());
    assert_eq!(stage.sessions()[0]["state"], "failed");
    let events = stage.exec(&["--continue", "again"]).exits(0).lines();
    assert_eq!(payload(&events, "run.completed")["response"], "Here again.");
    stage.verifies();
    (shown, log)
}

#[test]
fn an_unreachable_provider() {
    let stage = Stage::new(Vec::new());
    let gone = ScriptedServer::start(Vec::new()).unwrap().url();
    let models = json!({"mock": {"contextWindow": 32768}});
    let provider = json!({"kind": "custom", "baseUrl": gone, "models": models});
    stage.write_config(
        &json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}}).to_string(),
    );
    // It may come up: that is waited for, and for longer than a test should take.
    stage.exec(&["hello", "--max-seconds", "3"]).exits(5);
    let log = stage.log();
    let retries = payloads(&log, "engine.retry");
    assert!(retries.len() > 1 && retries.iter().all(|retry| retry["code"] == "PROVIDER_UNREACHABLE"), "{retries:?}");
    let last = stage.arki(&["providers", "test", "mock"]).exits(1).stdout;
    assert!(last.contains("127.0.0.1"), "{last}");
}

#[test]
fn a_refused_key() {
    let (shown, _) = fails(Turn::json(401, error("bad key")), "KEY_REFUSED");
    assert!(shown.hint.contains("arki keys set mock"), "{shown:?}");
}

#[test]
fn an_unknown_model() {
    let (shown, _) = fails(Turn::json(404, error("no such model")), "MODEL_NOT_FOUND");
    assert!(shown.hint.contains("arki models"), "{shown:?}");
}

#[test]
fn too_many_requests() {
    let (_, log) = keeps_failing(Turn::json(429, error("slow down")), "PROVIDER_RATE_LIMITED");
    assert_eq!(payload(&log, "run.failed")["retryable"], json!(true));
}

#[test]
fn a_failure_on_the_other_side() {
    for turn in [
        Turn::json(500, error("oops")),
        Turn::raw(503, "text/html", "<html><body>Bad gateway</body></html>"),
        Turn::raw(502, "text/plain", ""),
    ] {
        let (shown, _) = keeps_failing(turn, "PROVIDER_FAILED");
        assert!(!shown.message.contains('<'), "{shown:?}");
    }
}

#[test]
fn a_refused_request() {
    let (shown, _) = fails(Turn::json(400, error("temperature must be 1")), "PROVIDER_BAD_REQUEST");
    assert!(shown.message.contains("temperature must be 1"), "{shown:?}");
}

#[test]
fn an_answer_in_another_language() {
    for turn in [
        Turn::raw(200, "text/html", "<html><body>Welcome</body></html>"),
        Turn::stream("data: {this is not json\n\n"),
        Turn::json(200, json!({"hello": "world"})),
    ] {
        fails_after(UNREADABLE, turn, "PROVIDER_BAD_ANSWER");
    }
}

#[test]
fn bytes_that_are_no_answer_at_all() {
    breaks_off(Turn::stream(vec![0xff; 4000]), "PROVIDER_STREAM_CUT");
}

#[test]
fn an_answer_that_ends_before_it_begins() {
    breaks_off(Turn::stream(": a comment\n\n"), "PROVIDER_STREAM_CUT");
}

#[test]
fn an_empty_answer() {
    fails_after(2, Turn::text(""), "PROVIDER_BAD_ANSWER");
}

#[test]
fn a_connection_that_ends_in_the_middle_keeps_what_had_come() {
    for script in [0, 1] {
        let turn = Turn::text("These words have come and the rest has not").cut_after(700 - script);
        let (_, log) = breaks_off(turn, "PROVIDER_STREAM_CUT");
        let message = payloads(&log, "output.message").pop().unwrap();
        assert_eq!((&message["interrupted"], &message["retried"]), (&json!(true), &Value::Null));
        assert!(text(&message["content"]).starts_with("These words"), "{message}");
        assert_eq!(payload(&log, "run.failed")["retryable"], json!(true));
    }
}

#[test]
fn an_error_inside_an_answer_keeps_what_had_come() {
    let piece = json!({"choices": [{"index": 0, "delta": {"content": "So far so good. "}, "finish_reason": null}]});
    let (shown, log) = breaks_off(Turn::chunks(&[piece, error("the server is overloaded")]), "PROVIDER_FAILED");
    assert!(shown.message.contains("overloaded"), "{shown:?}");
    assert_eq!(payloads(&log, "output.message").pop().unwrap()["content"], "So far so good. ");
}

#[test]
fn a_call_that_was_cut_off_is_not_carried_out() {
    let whole = Turn::calls().call("write_file", json!({"path": "a.txt", "content": "x".repeat(2000)}));
    let stage = Stage::of(Script::new(vec![whole.cut_after(3000), Turn::text("Here again.")]).sequential());
    // Nobody has seen it either, so that it is asked for anew.
    let log = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    assert!(!stage.path("a.txt").exists());
    assert_eq!(payloads(&log, "tool.call"), Vec::<Value>::new());
    assert_eq!(payload(&log, "engine.retry")["code"], "PROVIDER_STREAM_CUT");
}

#[test]
fn a_redirection_is_not_followed_with_the_key() {
    let elsewhere = ScriptedServer::start(vec![Turn::text("caught")]).unwrap();
    let turn = Turn::raw(307, "text/plain", "").header("location", &format!("{}/chat/completions", elsewhere.url()));
    fails_after(UNREADABLE, turn, "PROVIDER_BAD_ANSWER");
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn what_a_tool_did_before_the_failure_stays_done_and_logged() {
    let stage = Stage::of(
        Script::new(vec![
            Turn::calls().call("write_file", json!({"path": "a.txt", "content": "kept\n"})),
            Turn::json(402, error("oops")),
            Turn::text("Going on."),
        ])
        .sequential(),
    );
    stage.exec(&["--approve", "edits", "go"]).fails(1, "PROVIDER_NO_CREDIT");
    assert_eq!(stage.read("a.txt"), "kept\n");
    stage.exec(&["--continue", "go on"]).exits(0);
    let told = stage.messages().iter().any(|m| m["role"] == "tool" && text(&m["content"]).contains("Written: a.txt"));
    assert!(told, "{:?}", stage.messages());
}

#[test]
fn a_slow_answer_is_not_a_failure() {
    let stage = Stage::new(vec![Turn::text("slow but sure").pause(Duration::from_millis(300))]);
    stage.exec(&["hello"]).exits(0);
}

#[test]
fn a_silent_server_is_waited_for_as_long_as_its_provider_says() {
    let stage = Stage::of(Script::new(vec![Turn::silent(), Turn::text("Here.")]).sequential());
    let models = json!({"mock": {"contextWindow": 32768}});
    let provider = json!({"kind": "custom", "baseUrl": stage.model.url(), "timeoutSeconds": 1, "models": models});
    stage.write_config(
        &json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}}).to_string(),
    );
    let events = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&events, "engine.retry")["code"], "PROVIDER_TIMEOUT");
}

pub(crate) fn steps(lines: &[Value]) -> Vec<String> {
    lines.iter().map(|line| format!("{} {}", text(&line["step"]), text(&line["state"]))).collect()
}

#[test]
fn a_providers_test_goes_from_its_settings_to_a_word() {
    let stage = Stage::new(vec![Turn::text("OK")]);
    let lines = stage.arki(&["providers", "test", "mock", "--model", "mock/mock", "--json"]).exits(0).lines();
    let expected = ["settings ok", "key ok", "reach ok", "tls skipped", "models ok", "model ok", "answer ok"];
    assert_eq!(steps(&lines), expected);
    assert!(text(&lines[1]["message"]).contains("MOCK_KEY"), "{lines:?}");
    assert!(text(&lines[6]["message"]).contains("OK"), "{lines:?}");
    assert_eq!(stage.sessions(), Vec::<Value>::new());
}

#[test]
fn a_providers_test_stops_at_the_first_step_that_fails_and_says_what_to_do() {
    let stage = Stage::new(vec![Turn::json(404, error("no such model"))]);
    let lines = stage.arki(&["providers", "test", "mock", "--model", "nope", "--json"]).exits(1).lines();
    assert_eq!(steps(&lines)[5..], ["model skipped", "answer failed"]);
    assert_eq!(lines[6]["code"], "MODEL_NOT_FOUND");
    assert!(text(&lines[6]["hint"]).contains("arki models"), "{lines:?}");
    let gone = ScriptedServer::start(Vec::new()).unwrap().url();
    stage.write_config(&json!({"providers": {"mock": {"kind": "custom", "baseUrl": gone}}}).to_string());
    let shown = stage.arki(&["providers", "test", "mock"]).exits(1).stdout;
    assert!(shown.lines().last().unwrap().contains("Can't reach mock"), "{shown}");
    stage.arki(&["providers", "test", "nobody"]).fails(2, "UNKNOWN_PROVIDER");
}

/// `\ud83d` in one piece of the arguments and `\ude00` in the next.
#[test]
fn a_character_that_is_cut_over_two_pieces_of_a_call_is_whole_in_the_file() {
    let piece = |arguments: &str| {
        format!(
            r#"data: {{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"c","function":{{"name":"write_file","arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    let body = [
        &piece(r#"{\"path\":\"a.txt\",\"content\":\"x\ud83d"#),
        &piece(r#"\ude00y \\ud83d"#),
        &piece(r#"\\ude00z\"}"#),
        r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        "data: [DONE]\n\n",
    ]
    .join("\n\n");
    let stage = Stage::of(Script::new(vec![Turn::stream(body), Turn::text("done")]));
    stage.exec(&["--approve", "edits", "write"]).exits(0);
    assert_eq!(stage.read("a.txt"), "x\u{1f600}y \u{1f600}z");
    stage.verifies();
}

#[test]
fn a_whole_answer_in_disguise_is_told_in_the_providers_words() {
    for body in [r#"{"detail": "the model is asleep"}"#, "<html><title>the model is asleep</title></html>"] {
        let turn = Turn::raw(200, "text/event-stream", body);
        let (shown, _) = fails_after(UNREADABLE, turn, "PROVIDER_BAD_ANSWER");
        assert!(shown.message.contains("the model is asleep"), "{shown:?}");
    }
}

#[test]
fn an_answer_that_repeats_itself_is_stopped_and_its_beginning_kept() {
    for (field, kept) in [("content", "content"), ("reasoning_content", "thoughts")] {
        let chunk = |text: &str| json!({"choices": [{"index": 0, "delta": {field: text}}]});
        let said = std::iter::once(chunk("Well. ")).chain((0..3000).map(|_| chunk("I will read the file again. ")));
        let (shown, log) = fails(Turn::chunks(&said.collect::<Vec<_>>()), "ANSWER_REPEATS");
        assert!(shown.message.contains("repeating itself"), "{shown:?}");
        let message = payload(&log, "output.message");
        assert_eq!(message["interrupted"], true);
        let length = text(&message[kept]).len();
        assert!(text(&message[kept]).starts_with("Well. I will") && length < 20_000, "{length}");
    }
}

#[test]
fn an_answer_that_goes_on_for_too_long_is_stopped_and_its_beginning_kept() {
    let stage = Stage::of(Script::new(vec![Turn::text("It goes on").hang_after(200)]));
    let provider =
        json!({"kind": "custom", "baseUrl": stage.model.url(), "models": {"mock": {"contextWindow": 32768}}});
    let config = json!({
        "agents": {"arki": {"model": "mock/mock"}},
        "providers": {"mock": provider},
        "limits": {"maxAnswerSeconds": 1}
    });
    stage.write_config(&config.to_string());
    let shown = stage.exec(&["hello"]).exits(1).json_error();
    assert_eq!(shown.code, "ANSWER_TIMEOUT", "{shown:?}");
    assert!(shown.hint.contains("maxAnswerSeconds"), "{shown:?}");
}

#[test]
fn figures_that_nobody_told_are_unknown_and_not_zero() {
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]});
    let stage = Stage::of(Script::new(vec![Turn::stream(format!("data: {chunk}\n\ndata: [DONE]\n\n"))]));
    let log = stage.exec(&["hello"]).exits(0).lines();
    for kind in ["engine.response", "run.completed"] {
        let usage = &payload(&log, kind)["usage"];
        for figure in ["promptTokens", "completionTokens", "totalTokens", "cachedTokens"] {
            assert_eq!(usage.get(figure), Some(&Value::Null), "{kind} {figure}");
        }
    }
    let told = stage.arki(&["usage"]).exits(0).stdout;
    assert!(told.contains("and some unreported"), "{told}");
}

#[test]
fn of_figures_that_are_told_in_part_the_rest_is_unknown() {
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7}});
    let stage = Stage::of(Script::new(vec![Turn::stream(format!("data: {chunk}\n\ndata: [DONE]\n\n"))]));
    let log = stage.exec(&["hello"]).exits(0).lines();
    let mut told: Vec<Value> =
        ["engine.response", "run.completed"].map(|kind| payload(&log, kind)["usage"].clone()).into();
    told.extend(stage.arki(&["usage", "--json"]).exits(0).lines());
    for usage in told {
        assert_eq!(usage["promptTokens"], 7, "{usage}");
        for figure in ["completionTokens", "totalTokens", "cachedTokens"] {
            assert_eq!(usage.get(figure), Some(&Value::Null), "{figure}: {usage}");
        }
    }
    let line = stage.arki(&["usage"]).exits(0).stdout;
    assert!(line.contains(" 7 in ") && line.contains("? out") && !line.contains("cached"), "{line}");
}

#[test]
fn a_model_that_refuses_tools_is_told_them_in_words_from_then_on() {
    let refusal = Turn::json(404, error("No endpoints found that support tool use."));
    let call = r#"{"toolCalls": [{"toolName": "read_file", "arguments": {"path": "a.txt"}}]}"#;
    let turns = vec![refusal, Turn::text(call), Turn::text("It says hello."), Turn::text("Again.")];
    let stage = Stage::of(Script::new(turns).sequential());
    stage.write("a.txt", "hello");
    let log = stage.exec(&["what is in a.txt?"]).exits(0).lines();
    assert_eq!(payload(&log, "run.completed")["response"], "It says hello.");
    assert_eq!(payload(&log, "tool.call")["toolId"], "read_file");
    stage.exec(&["again"]).exits(0);
    let sent: Vec<Value> = stage.model.requests().iter().map(|request| request.json.clone()).collect();
    let with_tools: Vec<bool> = sent.iter().map(|body| body["tools"].is_array()).collect();
    assert_eq!(with_tools, [true, false, false, false]);
}

//! What is very large is kept whole, what is too large as far as it goes, and of two at once one is told to wait:
//! nothing is lost either way.

use crate::harness::{Done, Stage, payload, payloads, text};
use arki_testkit::{Script, Turn, stored, verify_chain};
use serde_json::{Value, json};
use std::sync::{Mutex, mpsc};

const LARGE: usize = 10 << 20;
const TOO_LARGE: usize = 17 << 20;
const PIECE: usize = 1 << 20;

/// As a vendor streams it: in pieces. No line is like another, for an answer that repeats itself is stopped.
fn answer_of(bytes: usize, piece_bytes: usize) -> Turn {
    let chunk = |delta: Value, end: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": end}]});
    let line = |number: usize| format!("{:015x}\n", number * 0x9e37_79b1 % 0xffff_fffb);
    let piece = |piece: usize| (0..piece_bytes / 16).map(|at| line(piece * piece_bytes / 16 + at)).collect::<String>();
    let mut chunks: Vec<Value> =
        (0..bytes / piece_bytes).map(|number| chunk(json!({"content": piece(number)}), Value::Null)).collect();
    chunks.push(chunk(json!({}), json!("stop")));
    Turn::chunks(&chunks)
}

#[test]
fn an_answer_of_ten_mebibytes_is_kept_whole() {
    let stage = Stage::new(vec![answer_of(LARGE, PIECE)]);
    let events = stage.exec(&["tell me everything"]).exits(0).lines();
    let log = stage.log();
    assert_eq!(text(&payload(&log, "output.message")["content"]).len(), LARGE);
    assert_eq!(stored(&events), log, "what was printed is what was stored");
    assert_eq!(verify_chain(&log), Ok(()));
    stage.verifies();
}

#[test]
fn of_an_answer_of_seventeen_mebibytes_the_beginning_is_kept_and_the_run_fails() {
    let script = Script::new(vec![answer_of(TOO_LARGE, PIECE), Turn::text("In short: no.")]).sequential();
    let stage = Stage::of(script);
    let done = stage.exec(&["tell me everything"]).exits(1);
    assert_eq!(done.json_error().code, "ANSWER_TOO_LONG");
    let (events, log) = (done.lines(), stage.log());
    assert_eq!(payload(&log, "run.failed")["code"], "ANSWER_TOO_LONG");
    let message = payload(&log, "output.message");
    assert_eq!(message["interrupted"], json!(true));
    let printed: String = payloads(&events, "output.delta").iter().map(|delta| text(&delta["text"])).collect();
    assert!(text(&message["content"]) == printed && printed.len() > LARGE, "what was shown is kept: {}", printed.len());
    assert_eq!(verify_chain(&log), Ok(()));
    stage.verifies();
    let session = text(&log[0]["sessionId"]);
    stage.exec(&["--session", &session, "in short, please"]).exits(0);
    assert_eq!(stage.events(&session)[..log.len()], log, "what was there is there");
    stage.verifies();
}

#[test]
fn an_answer_of_seventeen_mebibytes_in_one_piece_is_refused_and_said() {
    let stage = Stage::new(vec![answer_of(TOO_LARGE, TOO_LARGE)]);
    let done = stage.exec(&["tell me everything"]).exits(1);
    let code = done.json_error().code;
    let log = stage.log();
    assert_eq!(
        (code.as_str(), &payload(&log, "run.failed")["code"]),
        ("PROVIDER_BAD_ANSWER", &json!("PROVIDER_BAD_ANSWER"))
    );
    assert_eq!(payloads(&log, "output.message"), Vec::<Value>::new());
    assert_eq!(verify_chain(&log), Ok(()));
    stage.verifies();
}

#[test]
fn arguments_nested_ten_thousand_deep_are_refused_and_the_run_goes_on() {
    const DEPTH: usize = 10_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let inner = if open == "[" { "" } else { "1" };
        let nested = format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let turn = Turn::calls()
            .call_raw("write_file", format!(r#"{{"path": "a.txt", "content": {nested}}}"#))
            .call("write_file", json!({"path": "b.txt", "content": "b\n"}));
        let stage = Stage::new(vec![turn, Turn::text("I see.")]);
        let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
        let log = stage.log();
        assert_eq!(stored(&events), log);
        let calls = payloads(&log, "tool.call");
        assert!(text(&calls[0]["args"]).starts_with(r#"{"path": "a.txt""#), "its beginning is kept: {}", calls[0]);
        let results = payloads(&log, "tool.result");
        assert_eq!((&results[0]["isError"], &results[0]["code"]), (&json!(true), &json!("ARGUMENTS_INVALID")));
        assert!(stage.told().contains("nested deeper"), "{}", stage.told());
        assert!(!stage.path("a.txt").exists());
        assert_eq!((&results[1]["isError"], stage.read("b.txt").as_str()), (&json!(false), "b\n"), "the other is done");
        assert_eq!(payloads(&log, "run.completed").len(), 1);
        assert_eq!(verify_chain(&log), Ok(()));
        stage.verifies();
    }
}

/// The model answers only when one of the two has been turned away.
#[test]
fn of_two_that_go_on_with_a_session_at_once_one_is_told_that_it_is_busy() {
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let answer = move |request: &Value| {
        if request["messages"].to_string().contains("at once") {
            held.lock().unwrap().recv().unwrap();
        }
        Turn::text("Done.")
    };
    let stage = Stage::of(Script::new(vec![Turn::computed(answer)]));
    let session = text(&stage.exec(&["first"]).exits(0).lines()[0]["sessionId"]);
    let (ended, ends) = mpsc::channel();
    for _ in 0..2 {
        let child = stage.command(&["exec", "--json", "--session", &session, "both at once"]).spawn().unwrap();
        let ended = ended.clone();
        std::thread::spawn(move || ended.send(Done::of_child(child)));
    }
    assert_eq!(ends.recv().unwrap().exits(1).json_error().code, "SESSION_BUSY");
    release.send(()).unwrap();
    let events = ends.recv().unwrap().exits(0).lines();
    let log = stage.log();
    assert_eq!(payloads(&log, "run.started").len(), 2, "the first, and one of the two");
    assert!(stored(&events).iter().all(|event| log.contains(event)), "an acknowledged event is lost");
    assert_eq!(verify_chain(&log), Ok(()));
    stage.verifies();
}

//! What is very large is kept whole, and of two at once one is told to wait: nothing is lost either way.

use crate::harness::{Done, Stage, payload, payloads, text};
use arki_testkit::{Script, Turn, stored, verify_chain};
use serde_json::{Value, json};
use std::sync::{Mutex, mpsc};

const LARGE: usize = 10 << 20;
const PIECE: usize = 1 << 20;

/// As a vendor streams it: in pieces.
fn large_answer() -> Turn {
    let chunk = |delta: Value, end: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": end}]});
    let piece = "0123456789abcde\n".repeat(PIECE / 16);
    let mut chunks = vec![chunk(json!({"content": piece}), Value::Null); LARGE / PIECE];
    chunks.push(chunk(json!({}), json!("stop")));
    Turn::chunks(&chunks)
}

#[test]
fn an_answer_of_ten_mebibytes_is_kept_whole() {
    let stage = Stage::new(vec![large_answer()]);
    let events = stage.exec(&["tell me everything"]).exits(0).lines();
    let log = stage.log();
    assert_eq!(text(&payload(&log, "output.message")["content"]).len(), LARGE);
    assert_eq!(stored(&events), log, "what was printed is what was stored");
    assert_eq!(verify_chain(&log), Ok(()));
    stage.verifies();
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

//! A part that the provider refuses costs a request, not the session.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::fs;

/// One grey pixel.
const PNG: &[u8] = include_bytes!("../fixtures/pixel.png");

/// Another one.
const SECOND: &[u8] = include_bytes!("../fixtures/second.png");

/// Refuses every request that has `needle` in it, as often as it comes.
fn refusing(needle: &'static str, status: u16, body: Value, turns: Vec<Turn>) -> Stage {
    let guarded = turns.into_iter().map(move |turn| {
        let body = body.clone();
        Turn::computed(move |request| match request.to_string().contains(needle) {
            true => Turn::json(status, body.clone()),
            false => turn.clone(),
        })
    });
    Stage::of(Script::new(guarded.collect()))
}

#[test]
fn a_picture_that_is_refused_is_left_out_and_a_later_message_works() {
    for (status, words) in [(400, "Could not process image"), (400, "no"), (422, "Unprocessable Entity")] {
        let body = json!({"error": {"message": words, "type": "invalid_request_error"}});
        let stage = refusing("image_url", status, body, vec![Turn::text("I see nothing.")]);
        let picture = stage.write("shown.png", PNG).display().to_string();
        let events = stage.exec(&["--image", &picture, "what is this?"]).exits(0).lines();
        let dropped = payload(&events, "context.dropped");
        assert!(text(&dropped["part"]).starts_with("image:"), "{dropped}");
        let started = events.iter().find(|event| event["type"] == "run.started").unwrap();
        assert_eq!(dropped["eventId"], started["eventId"]);
        assert!(text(&dropped["reason"]).contains(words), "{dropped}");
        let requests = stage.model.requests().len();
        stage.exec(&["--continue", "and now?"]).exits(0);
        assert_eq!(stage.model.requests().len(), requests + 1, "the picture was sent again");
        let sent = json!(stage.messages()).to_string();
        assert!(sent.contains("picture was left out") && !sent.contains("image_url"), "{sent}");
        let told = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
        assert!(told.contains("A picture is left out of requests"), "{told}");
        stage.verifies();
    }
}

#[test]
fn a_part_that_only_the_errors_param_names_is_left_out() {
    for (error, answer) in [
        (json!({"error": {"message": "invalid", "param": "messages[1].content[1].image_url"}}), "one"),
        (json!({"error": {"message": "", "param": "input[1].content[1]"}}), "one"),
        (json!({"detail": [{"loc": ["body", "messages", 1, "content", 1, "image_url"], "msg": "bad"}]}), "one"),
        (json!({"error": {"message": "messages.0.content.1: invalid"}}), "one"),
    ] {
        let refusal = Turn::json(400, error.clone());
        let script = Script::new(vec![Turn::computed(move |request| {
            let has_both = request.to_string().matches("image_url\":").count() > 1;
            if has_both { refusal.clone() } else { Turn::text(answer) }
        })]);
        let stage = Stage::of(script);
        let first = stage.write("first.png", PNG).display().to_string();
        let second = stage.write("second.png", SECOND).display().to_string();
        let events = stage.exec(&["--image", &first, "--image", &second, "look"]).exits(0).lines();
        let dropped = payloads(&events, "context.dropped");
        assert_eq!(dropped.len(), 1, "{error}");
        let started = payload(&events, "run.started");
        let hash = text(&started["options"]["images"][0]["contentHash"]);
        let names_it = error.to_string().contains("image_url");
        assert!(!names_it || dropped[0]["part"] == format!("image:{hash}"), "{error} {dropped:?}");
        let names =
            ["(messages[1].content[1].image_url)", "(input[1].content[1])", "body.messages[1].content[1]", "content.1"];
        assert!(names.iter().any(|name| text(&dropped[0]["reason"]).contains(name)), "{dropped:?}");
    }
}

#[test]
fn a_result_that_is_refused_is_left_out_also_after_going_back_and_in_a_fork() {
    let turns = vec![Turn::calls().call("read_file", json!({"path": "odd.txt"})), Turn::text("Without it, then.")];
    let stage = refusing("PO1S0N", 400, json!({"message": "Bad request"}), turns);
    fs::write(stage.path("odd.txt"), "PO1S0N\n").unwrap();
    let events = stage.exec(&["read it"]).exits(0).lines();
    let dropped = payload(&events, "context.dropped");
    assert!(text(&dropped["part"]).starts_with("result:"), "{dropped}");
    let seq_of = |kind: &str| events.iter().find(|event| event["type"] == kind).unwrap()["seq"].to_string();
    let session = text(&stage.sessions()[0]["sessionId"]).to_owned();
    let fork = stage.arki(&["sessions", "fork", &session, "--json"]).exits(0).lines()[0]["sessionId"].clone();
    for session in [text(&fork).to_owned(), session.clone()] {
        let requests = stage.model.requests().len();
        stage.exec(&["--session", &session, "and now?"]).exits(0);
        assert_eq!(stage.model.requests().len(), requests + 1, "the result was sent again");
    }
    stage.arki(&["rewind", &session, "--to", &seq_of("tool.result"), "--conversation"]).exits(0);
    let requests = stage.model.requests().len();
    stage.exec(&["--session", &session, "again"]).exits(0);
    assert_eq!(stage.model.requests().len(), requests + 1, "going back brought the refused result back");
    stage.verifies();
}

#[test]
fn a_tool_whose_schema_is_refused_is_left_out_for_the_run() {
    let body = json!({"error": {"message": "Invalid schema for function 'fetch_url': bad", "param": "tools"}});
    let stage = refusing("\"name\":\"fetch_url\"", 400, body, vec![Turn::text("Done.")]);
    let events = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&events, "context.dropped")["part"], "tool:fetch_url");
    stage.verifies();
}

#[test]
fn what_no_part_explains_fails_and_says_how_to_go_back() {
    let stage = Stage::new(vec![Turn::json(400, json!({"error": {"message": "no"}}))]);
    let shown = stage.exec(&["hello"]).exits(1).json_error();
    assert_eq!(shown.code, "PROVIDER_BAD_REQUEST");
    assert!(shown.hint.contains("arki rewind --conversation"), "{shown:?}");
    assert_eq!(stage.model.requests().len(), 1);
    assert_eq!(payloads(&stage.log(), "context.dropped"), Vec::<Value>::new());
}

/// Case 7: overflow, told in no words that anybody knows.
#[test]
fn a_refusal_of_a_full_window_is_answered_by_a_compaction() {
    let refusals = [
        Turn::raw(413, "text/plain", ""),
        Turn::raw(413, "text/html", "<html><title>413</title></html>"),
        Turn::json(400, json!({"error": "Nope"})),
        Turn::json(400, json!({"error": {"code": 1261, "message": "输入超出限制"}})),
        Turn::json(422, json!({"detail": "bad"})),
        Turn::json(400, json!({"message": "Invalid."})),
    ];
    for (number, refusal) in refusals.into_iter().enumerate() {
        let long: String = (0..20_000).map(|number| format!("word{number} ")).collect();
        let stage = Stage::of(Script::new(vec![Turn::text(&long), refusal, Turn::text("Going on.")]).sequential());
        // Nobody tells its window: 32,768 tokens are guessed.
        let provider = json!({"kind": "custom", "baseUrl": stage.model.url(), "isLocal": true});
        let agents = json!({"arki": {"model": "mock/mock"}});
        let config = json!({"agents": agents, "providers": {"mock": provider},
            "compaction": {"strategy": "keep-recent"}});
        stage.write_config(&config.to_string());
        stage.exec(&["tell me much"]).exits(0);
        let events = stage.exec(&["--continue", "and more"]).exits(0).lines();
        assert_eq!(payloads(&events, "context.compacted").len(), 1, "{number}");
        stage.verifies();
    }
}

#[test]
fn a_call_written_as_text_is_told_to_the_model_once_and_not_made() {
    let call = "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.txt\", \"content\": \"x\"}}\n</tool_call>";
    let stage = Stage::of(Script::new(vec![Turn::text(call), Turn::text(call), Turn::text("never")]).sequential());
    let events = stage.exec(&["--approve", "all", "write"]).exits(0).lines();
    assert_eq!(payload(&events, "context.added")["part"], "reminder");
    assert_eq!((stage.model.requests().len(), stage.path("a.txt").exists()), (2, false));
    let last = stage.messages().last().cloned().unwrap();
    assert!(text(&last["content"]).contains("tool call as text"), "{last}");
}

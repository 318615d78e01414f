//! `arki sessions show --request`: what a model was sent, made again from the log, is what the server received.

use crate::harness::{Stage, text};
use arki_domain::sha256_hex;
use arki_testkit::{MOCK_KEY, Turn};
use serde_json::{Value, json};

/// The numbers of a session's requests.
fn requests(stage: &Stage, session: &str) -> Vec<u64> {
    let events = stage.events(session);
    let requests = events.iter().filter(|event| event["type"] == "engine.request");
    requests.map(|event| event["seq"].as_u64().unwrap()).collect()
}

fn shown(stage: &Stage, session: &str, seq: u64) -> Value {
    let seq = seq.to_string();
    stage.arki(&["sessions", "show", session, "--request", &seq, "--json"]).exits(0).lines().remove(0)
}

/// The request's messages and tools say what the server's own copy says.
fn says_what_was_received(shown: &Value, received: &Value) {
    assert_eq!(shown["proof"], "proven", "{shown:#}");
    let sent = &shown["request"];
    let tools = |list: &Value, name: fn(&Value) -> &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|tool| text(name(tool))).collect()
    };
    let received_tools = tools(&received["tools"], |tool| &tool["function"]["name"]);
    assert_eq!(tools(&sent["tools"], |tool| &tool["name"]), received_tools);
    let mut messages = received["messages"].as_array().unwrap().iter();
    let system = messages.next().unwrap();
    assert_eq!((&system["role"], &system["content"]), (&json!("system"), &sent["system"]));
    let messages: Vec<_> = messages.collect();
    let told = sent["messages"].as_array().unwrap();
    assert_eq!(told.len(), messages.len());
    for (told, received) in told.iter().zip(messages) {
        assert_eq!(told["role"], received["role"]);
        assert_eq!(told["content"].as_str().unwrap_or_default(), received["content"].as_str().unwrap_or_default());
        assert_eq!(told.get("callId"), received.get("tool_call_id"));
        let calls = told["toolCalls"].as_array().map_or(0, Vec::len);
        assert_eq!(calls, received["tool_calls"].as_array().map_or(0, Vec::len));
        for call in 0..calls {
            let (told, received) = (&told["toolCalls"][call], &received["tool_calls"][call]);
            assert_eq!((&told["callId"], &told["toolId"]), (&received["id"], &received["function"]["name"]));
            assert_eq!(told["arguments"], received["function"]["arguments"]);
        }
    }
}

#[test]
fn what_is_shown_is_what_the_server_received_also_after_everything_around_it_has_changed() {
    let stage = Stage::new(vec![
        Turn::text("I look first.").call("read_file", json!({"path": "notes.txt"})),
        Turn::calls()
            .call("edit_file", json!({"path": "notes.txt", "edits": [{"old_text": "one", "new_text": "two"}]})),
        Turn::text("Done."),
        Turn::text("Gladly."),
    ]);
    stage.write("notes.txt", format!("one {MOCK_KEY}\n"));
    stage.write("AGENTS.md", "Write short sentences.\n");
    stage.trust();
    let events = stage.exec(&["Change the notes", "--approve", "edits"]).exits(0).lines();
    let session = text(&events[0]["sessionId"]);
    stage.exec(&["Thanks", "--session", &session]).exits(0);
    let last = events.last().unwrap()["seq"].to_string();
    stage.arki(&["rewind", &session, "--to", &last, "--conversation"]).exits(0);
    stage.write("AGENTS.md", "Write long sentences.\n");
    stage.arki(&["config", "set", "agents.arki.maxCompletionTokens", "77"]).exits(0);

    let received: Vec<Value> = stage.model.requests().into_iter().map(|request| request.json).collect();
    let requests = requests(&stage, &session);
    assert_eq!((requests.len(), received.len()), (4, 4));
    for (seq, received) in requests.iter().zip(&received) {
        let shown = shown(&stage, &session, *seq);
        says_what_was_received(&shown, received);
        assert!(!shown.to_string().contains(MOCK_KEY));
        let body = stage.arki(&["sessions", "show", &session, "--request", &seq.to_string(), "--body"]).exits(0).stdout;
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), *received);
        assert_eq!(sha256_hex(body.as_bytes()), text(&shown["requestHash"]));
    }
    // The answer is the events as they are stored.
    let first = shown(&stage, &session, requests[0]);
    let logged = stage.events(&session);
    let kinds: Vec<&Value> = first["answer"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["engine.response", "output.message", "tool.call"]);
    for event in first["answer"].as_array().unwrap() {
        assert!(logged.contains(event), "{event}");
    }
    stage.verifies();
}

#[test]
fn what_is_no_request_is_an_error_with_a_way_on() {
    let stage = Stage::new(vec![Turn::text("Hello.")]);
    let events = stage.exec(&["hi"]).exits(0).lines();
    let session = text(&events[0]["sessionId"]);
    let refused = stage.arki(&["sessions", "show", &session, "--request", "1"]).exits(2).stderr;
    assert!(
        refused.contains("error[USAGE]: Event 1 isn't a model request") && refused.contains("arki events"),
        "{refused}"
    );
    let missing = stage.arki(&["sessions", "show", &session, "--request", "999"]);
    assert!(missing.stderr.contains("error[EVENT_NOT_FOUND]"), "{}", missing.stderr);
    stage.arki(&["sessions", "show", &session, "--body"]).exits(2);
    let seq = requests(&stage, &session)[0].to_string();
    let pretty = stage.arki(&["sessions", "show", &session, "--request", &seq]).exits(0).stdout;
    assert!(pretty.contains("\n  \"proof\": \"proven\""), "{pretty}");
}

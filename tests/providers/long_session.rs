//! A session that outgrows the model's window, with a real model's tokenizer as the judge of every request's size.

use crate::arki::{Arki, of_kind};
use crate::servers::Server;
use arki_llm::ProviderKind;
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const WINDOW: usize = 32_768;
const TURNS: usize = 300;
const GOAL: &str = "Find every widget and note it down";
/// What the estimate of four bytes a token is most wrong about stands beside plain prose.
const LINES: [&str; 5] = [
    "A line of plain prose with some words about a widget or two and more\n",
    "    fn widget_at(&self, index: usize) -> Option<&Widget<'_>> { self.widgets.get(index).copied() }\n",
    "这一行说的是小部件,还有更多的小部件。\n",
    "0x7f3a,0x91bc,0xde01,18446744073709551615,3.14159265358979,-0.000012\n",
    "🧩🔧🪛 → ✅ widget № 7 — “größer”, naïve, Ωmega\n",
];

/// How many tokens the model on that server makes of a text.
fn tokens(address: &str, text: &str) -> usize {
    let host = address.strip_prefix("http://").unwrap();
    let body = json!({"content": text}).to_string();
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!(
        "POST /tokenize HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, json) = answer.split_once("\r\n\r\n").unwrap();
    let json: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {answer}"));
    json["tokens"].as_array().unwrap().len()
}

fn chunk(delta: &Value, reason: Option<&str>) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
}

/// An answer whose request had so many tokens.
fn answer(prompt_tokens: usize, text: &str, call: Option<(usize, &str, Value)>) -> Turn {
    let mut chunks = vec![chunk(&json!({"role": "assistant", "content": text}), None)];
    let reason = if call.is_some() { "tool_calls" } else { "stop" };
    if let Some((number, name, args)) = call {
        let function = json!({"name": name, "arguments": args.to_string()});
        let call = json!({"index": 0, "id": format!("call_{number}"), "type": "function", "function": function});
        chunks.push(chunk(&json!({"tool_calls": [call]}), None));
    }
    chunks.push(chunk(&json!({}), Some(reason)));
    chunks.push(json!({"id": "u", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 10, "total_tokens": prompt_tokens + 10}}));
    Turn::chunks(&chunks)
}

/// Reads part after part, and writes a note now and then.
fn step(turn: usize) -> Option<(usize, &'static str, Value)> {
    if turn + 1 == TURNS {
        return None;
    }
    if turn % 40 == 5 {
        let note = json!({"path": format!("notes/{turn}.txt"), "content": format!("noted {turn}\n")});
        return Some((turn, "write_file", note));
    }
    Some((turn, "read_file", json!({"path": format!("part{}.txt", turn % LINES.len())})))
}

#[test]
fn three_hundred_turns_stay_within_the_window_by_a_real_models_count() {
    let judge = Server::llama();
    let address = judge.address().to_owned();
    let (made, largest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&largest);
    let script = Script::new(vec![Turn::computed(move |request| {
        let count = tokens(&address, &format!("{}{}", request["messages"], request["tools"]));
        seen.fetch_max(count, Ordering::SeqCst);
        if count > WINDOW {
            let error = json!({"error": {"code": "context_length_exceeded", "message": "too long",
                "type": "invalid_request_error"}});
            return Turn::json(400, error);
        }
        if request["tools"].as_array().is_none_or(Vec::is_empty) {
            return answer(count, "The parts were read in their order; notes are in notes/.", None);
        }
        let turn = made.fetch_add(1, Ordering::SeqCst);
        answer(count, &format!("Part {turn}."), step(turn))
    })]);
    let model = script.start().unwrap();
    let config = json!({"limits": {"maxTurns": 1000}});
    let arki = Arki::with(ProviderKind::Custom, model.url().trim_end_matches("/v1"), &config);
    let window = WINDOW.to_string();
    let set = arki.run(&["config", "set", "providers.mock.models.mock.contextWindow", &window]);
    assert_eq!(set.code, Some(0), "{set:?}");
    for (part, line) in LINES.iter().enumerate() {
        arki.home.write(&format!("part{part}.txt"), line.repeat(28_000 / line.len())).unwrap();
    }
    let events = arki.exec(&["--approve", "edits", GOAL]);
    let largest = largest.load(Ordering::SeqCst);
    assert!(largest <= WINDOW, "a request of {largest} tokens");
    assert!(largest > WINDOW / 2, "the window was never filled: {largest} tokens");
    let compacted = of_kind(&events, "context.compacted");
    assert!(compacted.len() > 5, "{} compactions", compacted.len());
    let requests = model.requests();
    let turns =
        requests.iter().filter(|request| request.json["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
    assert!(turns.clone().count() >= TURNS);
    assert!(turns.clone().all(|request| request.json["messages"].to_string().contains(GOAL)));
    println!("{} compactions, largest request {largest} tokens", compacted.len());
}

//! Answers in memory: however the network cuts the bytes, the answer is the same; and bounds that take long to reach.

use super::response::ChatDecoder;
use crate::replay::{self, cut};
use arki_domain::{Code, Error, StreamEvent, TokenType};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use proptest::prelude::*;
use serde_json::json;

fn read(pieces: Vec<Bytes>) -> (Vec<StreamEvent>, Option<Error>) {
    replay::read(ChatDecoder::default(), pieces)
}

/// An answer with everything in it that could fall apart at a border.
fn sample(line_end: &str) -> String {
    let delta = |delta: serde_json::Value| json!({"choices": [{"index": 0, "delta": delta}]}).to_string();
    let call = |index: u64, id: &str, name: &str, arguments: &str| {
        delta(json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}))
    };
    let events = [
        delta(json!({"reasoning_content": "größer"})),
        delta(json!({"content": "<think>世"})),
        delta(json!({"content": "界</th"})),
        delta(json!({"content": "ink> `<think>` 🌍\r\n"})),
        call(0, "a", "one", "{\"ü"),
        call(1, "b", "two", ""),
        call(0, "", "", "\":1}"),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}).to_string(),
        json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}).to_string(),
        "[DONE]".to_owned(),
    ];
    let events =
        events.iter().map(|event| format!(": keep-alive{line_end}{line_end}data: {event}{line_end}{line_end}"));
    format!("\u{feff}{}", events.collect::<String>())
}

#[test]
fn the_sample_is_understood() {
    let (events, fault) = read(vec![Bytes::from(sample("\n"))]);
    assert_eq!(fault, None);
    let text = |token_type, text: &str| StreamEvent::Token { token_type, text: text.into() };
    assert_eq!(events[0], text(TokenType::LlmThinking, "größer世界"));
    assert_eq!(events[1], text(TokenType::LlmResponse, "`<think>` 🌍\r\n"));
    assert!(matches!(events[2], StreamEvent::Reasoning(_)), "{events:?}");
    assert_eq!(events.len(), 7, "{events:?}");
}

#[test]
fn every_beginning_of_an_answer_is_cut_or_whole_but_never_garbage() {
    let whole = sample("\n");
    for length in 0..whole.len() {
        let (_, fault) = read(vec![Bytes::copy_from_slice(&whole.as_bytes()[..length])]);
        assert!(fault.as_ref().is_none_or(|fault| fault.is(Code::PROVIDER_STREAM_CUT)), "{length}: {fault:?}");
    }
}

#[test]
fn figures_that_never_come_after_the_finish_reason_are_not_waited_for_for_ever() {
    let finish = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let said = stream::iter([Ok(Bytes::from(format!("data: {finish}\n\n")))]);
    let (events, fault) = replay::read_stream(ChatDecoder::default(), said.chain(stream::pending()).boxed());
    assert_eq!((events.last(), fault), (Some(&StreamEvent::End), None));
}

#[test]
fn more_calls_than_anybody_reviews_are_too_long_an_answer() {
    let answer = |calls: u64| {
        let call =
            |index| json!({"choices": [{"delta": {"tool_calls": [{"index": index, "function": {"name": "a"}}]}}]});
        let calls: String = (0..calls).map(|index| format!("data: {}\n\n", call(index))).collect();
        read(vec![Bytes::from(calls + "data: [DONE]\n\n")])
    };
    assert_eq!(answer(256).1, None);
    assert!(answer(257).1.unwrap().is(Code::ANSWER_TOO_LONG));
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_events(
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let whole = sample(line_end);
        prop_assert_eq!(read(cut(&whole, &cuts)), read(vec![Bytes::from(sample("\n"))]));
    }

    #[test]
    fn no_bytes_make_it_panic_or_hang(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (events, fault) = read(vec![Bytes::from(bytes)]);
        prop_assert!(fault.is_some() || events.last() == Some(&StreamEvent::End));
    }
}

//! Answers in memory: however the network cuts the bytes, the answer is the same.

use super::response::GeminiDecoder;
use crate::ProviderSettings;
use crate::answer::{self, AnswerContext};
use crate::drain::Drain;
use crate::fault::Target;
use crate::provider::ProviderKind;
use crate::sse::Framing;
use arki_domain::{Code, Error, FinishReason, StreamEvent, TokenType, Usage};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::Builder;

fn context() -> AnswerContext {
    let settings = ProviderSettings::new("lab", ProviderKind::Gemini);
    AnswerContext {
        target: Target::new(&settings, &"http://127.0.0.1:9".parse().unwrap(), None),
        model: "m".into(),
        price: None,
        place: None,
        drain: Arc::new(Drain::default()),
        note_refusal: Box::new(|_| {}),
    }
}

fn decoder() -> Box<GeminiDecoder> {
    Box::new(GeminiDecoder::new("m"))
}

/// The events of the answer to these bytes, calls without their random ids.
fn read(pieces: Vec<Bytes>) -> (Vec<StreamEvent>, Option<Error>) {
    let bytes = stream::iter(pieces.into_iter().map(Ok)).boxed();
    let answer =
        async { answer::stream(bytes, Framing::ServerSentEvents, decoder(), context()).collect::<Vec<_>>().await };
    let (mut events, mut fault) = (Vec::new(), None);
    for event in Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(answer) {
        match event {
            Ok(StreamEvent::ToolCall(mut call)) => {
                call.call_id = "id".into();
                events.push(StreamEvent::ToolCall(call));
            }
            Ok(event) => events.push(event),
            Err(found) => fault = Some(found),
        }
    }
    (events, fault)
}

#[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
fn chunk(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9}})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason, "index": 0}]})
}

fn events_of(chunks: &[Value], line_end: &str) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}{line_end}{line_end}")).collect()
}

fn of(chunks: &[Value]) -> (Vec<StreamEvent>, Option<Error>) {
    read(vec![Bytes::from(events_of(chunks, "\n"))])
}

/// An answer with everything in it that could fall apart at a border.
fn sample() -> Vec<Value> {
    vec![
        chunk(json!([{"text": "größer ", "thought": true}, {"text": "世界", "thought": true}])),
        chunk(json!([{"text": "`🌍`\r\n"}])),
        chunk(json!([{"thoughtSignature": "c2ln"}])),
        chunk(json!([
            {"functionCall": {"id": "c1", "name": "one", "args": {"ü": 1}}, "thoughtSignature": "YQ=="},
            {"functionCall": {"name": "two"}}])),
        finish("STOP"),
        json!({"usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 10,
            "thoughtsTokenCount": 5, "totalTokenCount": 115}}),
    ]
}

fn cut(text: &str, cuts: &[prop::sample::Index]) -> Vec<Bytes> {
    let mut borders: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    borders.extend([0, text.len()]);
    borders.sort_unstable();
    borders.windows(2).map(|pair| Bytes::copy_from_slice(&text.as_bytes()[pair[0]..pair[1]])).collect()
}

#[test]
fn the_sample_is_understood() {
    let (events, fault) = of(&sample());
    assert_eq!(fault, None);
    let text = |token_type, text: &str| StreamEvent::Token { token_type, text: text.into() };
    let thinking = [text(TokenType::LlmThinking, "größer "), text(TokenType::LlmThinking, "世界")];
    assert_eq!(events[..3], [&thinking[..], &[text(TokenType::LlmResponse, "`🌍`\r\n")]].concat());
    let StreamEvent::ToolCall(call) = &events[3] else { panic!("{events:?}") };
    assert_eq!((call.tool_id.as_str(), call.arguments.as_str()), ("one", r#"{"ü":1}"#));
    let StreamEvent::ToolCall(call) = &events[4] else { panic!("{events:?}") };
    assert_eq!((call.tool_id.as_str(), call.arguments.as_str()), ("two", "{}"));
    let StreamEvent::Reasoning(reasoning) = &events[5] else { panic!("{events:?}") };
    assert_eq!((reasoning.format.as_str(), reasoning.model.as_str()), ("gemini", "m"));
    let kept = json!([{"thought": 15}, {"text": 8}, {"text": 8, "signature": "c2ln"},
        {"call": 0, "id": "c1", "signature": "YQ=="}, {"call": 1}]);
    assert_eq!(reasoning.items, kept);
    let usage = Usage {
        prompt_tokens: 100,
        completion_tokens: 15,
        total_tokens: 115,
        cached_tokens: 40,
        reasoning_tokens: 5,
        ..Usage::default()
    };
    assert_eq!(events[6], StreamEvent::Metadata { finish_reason: Some(FinishReason::ToolCalls), usage: Some(usage) });
    assert_eq!(events[7..], [StreamEvent::End]);
}

#[test]
fn every_beginning_of_an_answer_is_cut_or_whole_but_never_garbage() {
    let whole = events_of(&sample(), "\n");
    let finished = whole.find("STOP").unwrap();
    for length in 0..whole.len() {
        let (events, fault) = read(vec![Bytes::copy_from_slice(&whole.as_bytes()[..length])]);
        let is_cut = fault.as_ref().is_some_and(|fault| fault.is(Code::PROVIDER_STREAM_CUT));
        assert!(is_cut || fault.is_none() && length > finished, "{length}: {fault:?}");
        let calls = events.iter().any(|event| matches!(event, StreamEvent::ToolCall(_)));
        assert_eq!(calls, !is_cut, "calls of half an answer must not be made: {length}");
    }
}

#[test]
fn a_list_of_chunks_is_the_same_answer() {
    let list = json!(sample()).to_string();
    let answer = |body: &str| answer::whole(body, decoder(), &context());
    let kinds = |events: Vec<StreamEvent>| events.iter().map(std::mem::discriminant).collect::<Vec<_>>();
    let events = Builder::new_current_thread().build().unwrap().block_on(answer(&list).unwrap().collect::<Vec<_>>());
    let events = events.into_iter().map(Result::unwrap).collect();
    assert_eq!(kinds(events), kinds(of(&sample()).0));
    for cut in [&list[..list.len() - 1], &list[..40], "[", &json!([chunk(json!([{"text": "a"}]))]).to_string()] {
        assert!(answer(cut).err().unwrap().is(Code::PROVIDER_STREAM_CUT), "{cut}");
    }
    for garbage in ["[1]", "{}", "[]", "[{]", "\"x\""] {
        assert!(answer(garbage).err().unwrap().is(Code::PROVIDER_BAD_ANSWER), "{garbage}");
    }
}

#[test]
fn a_finish_reason_in_every_chunk_ends_nothing() {
    let with_reason =
        |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    let (events, fault) = of(&[with_reason("a"), with_reason("b"), with_reason("c")]);
    let texts = events.iter().filter(|event| matches!(event, StreamEvent::Token { .. })).count();
    assert_eq!((texts, fault), (3, None));
}

#[test]
fn an_answer_that_was_counted_but_never_came_is_cut() {
    let counted = |tokens: u64| {
        json!({"candidates": [{"finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": tokens}})
    };
    let (events, fault) = of(&[counted(7)]);
    assert!(fault.unwrap().is(Code::PROVIDER_STREAM_CUT));
    assert!(matches!(events[..], [StreamEvent::Metadata { finish_reason: None, usage: Some(_) }]), "{events:?}");
    assert_eq!(of(&[counted(0)]).1, None);
}

#[test]
fn finish_reasons_are_told_or_faults() {
    let said = || chunk(json!([{"text": "a"}]));
    let told = |reason: &str| {
        let (events, fault) = of(&[said(), finish(reason)]);
        let reason = events.iter().find_map(|event| match event {
            StreamEvent::Metadata { finish_reason, .. } => *finish_reason,
            _ => None,
        });
        fault.map_or_else(|| Ok(reason.unwrap()), |fault| Err(fault.code))
    };
    assert_eq!(told("STOP"), Ok(FinishReason::Stop));
    assert_eq!(told("MAX_TOKENS"), Ok(FinishReason::Length));
    for reason in ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"] {
        assert_eq!(told(reason), Ok(FinishReason::ContentFilter));
        assert!(of(&[finish(reason)]).1.unwrap().is(Code::CONTENT_REFUSED), "{reason}");
    }
    assert_eq!(told("SOMETHING_NEW"), Ok(FinishReason::Other));
    assert_eq!(told("FINISH_REASON_UNSPECIFIED"), Err(Code::PROVIDER_STREAM_CUT.to_string()));
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"] {
        assert_eq!(told(reason), Err(Code::PROVIDER_FAILED.to_string()), "{reason}");
    }
}

#[test]
fn more_calls_than_anybody_reviews_are_too_long_an_answer() {
    let answer = |calls: usize| {
        let calls: Vec<Value> = (0..calls).map(|_| json!({"functionCall": {"name": "a", "args": null}})).collect();
        of(&[chunk(json!(calls)), finish("STOP")]).1
    };
    assert_eq!(answer(256), None);
    assert!(answer(257).unwrap().is(Code::ANSWER_TOO_LONG));
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_events(
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        prop_assert_eq!(read(cut(&events_of(&sample(), line_end), &cuts)), of(&sample()));
    }

    #[test]
    fn no_bytes_make_it_panic_or_hang(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (events, fault) = read(vec![Bytes::from(bytes)]);
        prop_assert!(fault.is_some() || events.last() == Some(&StreamEvent::End));
    }
}

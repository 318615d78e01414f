//! Plays a turn as a stream of small events, word by word, the way hosted models arrive.

use super::conversation::Request;
use super::script::Turn;
use bytes::Bytes;
use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::sleep;

/// The usual rule of thumb for English: four characters a token.
const CHARACTERS_PER_TOKEN: usize = 4;
const ARGUMENT_PIECE_CHARS: usize = 24;

/// Of an answer.
pub(super) type Body = BoxBody<Bytes, Infallible>;

pub(super) fn play(request: &Request, turn: Turn, word_pause: Duration) -> Body {
    let pieces = events(request, turn).into_iter();
    let frames = stream::unfold((pieces, Duration::ZERO), move |(mut pieces, pause)| async move {
        let piece = pieces.next()?;
        // Not even a sleep of zero is free: it yields to the timer.
        if !pause.is_zero() {
            sleep(pause).await;
        }
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from(piece))), (pieces, word_pause)))
    });
    StreamBody::new(frames).boxed()
}

fn events(request: &Request, turn: Turn) -> Vec<String> {
    let prompt_tokens = request.messages.iter().map(super::conversation::Message::characters).sum::<usize>();
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    let mut characters = turn.text.chars().count();
    deltas.extend(words(&turn.text).map(|word| json!({"content": word})));
    let reason = if turn.call.is_some() { "tool_calls" } else { "stop" };
    if let Some((name, args)) = turn.call {
        let arguments: Vec<char> = args.to_string().chars().collect();
        characters += arguments.len();
        // The number of messages makes the id differ from every earlier one of the conversation.
        let id = format!("call_demo_{}", request.messages.len());
        let call = json!({"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        deltas.push(json!({"tool_calls": [call]}));
        deltas.extend(arguments.chunks(ARGUMENT_PIECE_CHARS).map(|piece| {
            let piece: String = piece.iter().collect();
            json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        }));
    }
    let (prompt, completion) =
        (prompt_tokens.div_ceil(CHARACTERS_PER_TOKEN), characters.div_ceil(CHARACTERS_PER_TOKEN));
    let usage = json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion});
    let mut events: Vec<String> = deltas.iter().map(|delta| chunk(request, delta, None)).collect();
    events.push(chunk(request, &json!({}), Some(reason)));
    let last = json!({"object": "chat.completion.chunk", "model": request.model, "choices": [], "usage": usage});
    // Together, so that nobody waits for a pause after the last word.
    events.push(format!("data: {last}\n\ndata: [DONE]\n\n"));
    events
}

fn chunk(request: &Request, delta: &Value, finish_reason: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
    let chunk = json!({"object": "chat.completion.chunk", "model": request.model, "choices": [choice]});
    format!("data: {chunk}\n\n")
}

/// Each with the blanks after it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

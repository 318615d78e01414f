//! Plays a turn as a stream, word by word, the way hosted models arrive.

use super::conversation::Request;
use super::script::Turn;
use arki_domain::{CallId, ChatStream, FinishReason, StreamEvent, TokenType, ToolRequest, Usage};
use futures_util::{StreamExt, stream};
use std::time::Duration;
use tokio::time::sleep;

/// The usual rule of thumb for English: four characters a token.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Returns how much of a call's arguments takes as long as a word.
const ARGUMENT_PIECE_CHARS: usize = 24;

/// A pause of so many words, then the event.
struct Step {
    words: u32,
    event: StreamEvent,
}

pub(super) fn play(request: &Request, turn: Turn, word_pause: Duration) -> ChatStream {
    let steps = steps(request, turn);
    let paced = stream::iter(steps).then(move |Step { words, event }| async move {
        let pause = word_pause.saturating_mul(words);
        // Not even a sleep of zero is free: it yields to the timer.
        if !pause.is_zero() {
            sleep(pause).await;
        }
        Ok(event)
    });
    paced.boxed()
}

fn steps(request: &Request, turn: Turn) -> Vec<Step> {
    let words =
        words(&turn.text).map(|word| StreamEvent::Token { token_type: TokenType::LlmResponse, text: word.to_owned() });
    let mut steps: Vec<Step> = words.map(|event| Step { words: 1, event }).collect();
    let mut characters = turn.text.chars().count();
    let mut finish_reason = FinishReason::Stop;
    if let Some((tool, args)) = turn.call {
        let arguments = args.to_string();
        let length = arguments.chars().count();
        characters += length;
        finish_reason = FinishReason::ToolCalls;
        // The number of messages makes the id differ from every earlier one of the conversation.
        let call_id = CallId::from(format!("call_demo_{}", request.messages.len()));
        let words = u32::try_from(length.div_ceil(ARGUMENT_PIECE_CHARS)).unwrap_or(u32::MAX);
        let call = ToolRequest { call_id, tool_id: tool.to_owned(), arguments };
        steps.push(Step { words, event: StreamEvent::ToolCall(call) });
    }
    let (prompt_tokens, completion_tokens) = (tokens(request.characters()), tokens(characters));
    let usage = Usage {
        prompt_tokens,
        completion_tokens,
        total_tokens: prompt_tokens + completion_tokens,
        cost_usd: Some(0.0),
        ..Usage::zero()
    };
    let ending = StreamEvent::Metadata { finish_reason: Some(finish_reason), usage: Some(usage) };
    // Nobody waits for a pause after the last word.
    steps.extend([ending, StreamEvent::End].map(|event| Step { words: 0, event }));
    steps
}

fn tokens(characters: usize) -> u64 {
    u64::try_from(characters.div_ceil(CHARACTERS_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// Each with the blanks after it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

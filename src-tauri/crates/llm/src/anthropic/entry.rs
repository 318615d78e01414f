//! One entry of the list of messages: everything that one side says before the other one does.

use super::layout::{self, Piece};
use super::wire::{Block, Entry, ImageSource, Role};
use crate::request_parts::{Images, ModelTurn, acceptable_name, base64_of, object_value};
use arki_domain::{CallId, Image, Message, ToolRequest, sha256_hex};
use std::borrow::Cow;
use std::sync::Arc;

/// The API refuses a failure that says nothing.
const SILENT_FAILURE: &str = "It failed without a message.";
/// The longest id that is sent as it is.
const MAX_ID_CHARS: usize = 64;

pub(super) fn role(message: &Message) -> Role {
    match message {
        Message::System { .. } | Message::User { .. } | Message::ToolResult { .. } => Role::User,
        Message::Assistant { .. } | Message::ToolRequest { .. } => Role::Assistant,
    }
}

/// `None` where nothing is said. Results come first, as the API demands: nothing else stands between them and their
/// calls.
pub(super) fn of<'a>(group: &'a [Arc<Message>], model: &str, images: &Images) -> Option<Entry<'a>> {
    let role = role(group.first()?);
    let mut content = Vec::new();
    for message in group {
        match &**message {
            Message::System { content: text } => content.extend(words(text)),
            Message::User { content: text, images: shown } => {
                content.extend(shown.iter().filter_map(|image| picture(image, images)));
                content.extend(words(text));
            }
            Message::Assistant { .. } | Message::ToolRequest { .. } => {
                ModelTurn::of(message).into_iter().for_each(|said| turn(said, model, &mut content));
            }
            Message::ToolResult { call_id, content: text, is_error, .. } => content.push(Block::ToolResult {
                tool_use_id: id(call_id),
                content: if *is_error && text.trim().is_empty() { SILENT_FAILURE } else { text },
                is_error: *is_error,
            }),
        }
    }
    (!content.is_empty()).then_some(Entry { role, content })
}

/// The API refuses text that is blank.
fn words(text: &str) -> Option<Block<'_>> {
    (!text.trim().is_empty()).then_some(Block::Text { text })
}

fn picture<'a>(image: &'a Image, images: &Images) -> Option<Block<'a>> {
    let data = base64_of(image, images)?;
    Some(Block::Image { source: ImageSource::Base64 { media_type: &image.media_type, data } })
}

fn turn<'a>(said: ModelTurn<'a>, model: &str, content: &mut Vec<Block<'a>>) {
    let mut rest = said.content;
    let mut calls_left = said.calls.iter();
    for piece in layout::of_turn(said.reasoning, model, said.content, said.calls.len()) {
        match piece {
            Piece::Thinking { thinking, signature } => {
                content.push(Block::Thinking { thinking: thinking.into(), signature: signature.into() });
            }
            Piece::RedactedThinking { data } => content.push(Block::RedactedThinking { data: data.into() }),
            Piece::Text { bytes } => {
                let (piece, after) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
                content.extend(words(piece));
                rest = after;
            }
            Piece::ToolUse => content.extend(calls_left.next().map(call)),
        }
    }
}

fn call(call: &ToolRequest) -> Block<'_> {
    Block::ToolUse { id: id(&call.call_id), name: acceptable_name(&call.tool_id), input: object_value(&call.arguments) }
}

/// The API takes letters, digits, `_` and `-`. Other vendors' ids hold other characters, and one may be as long as a
/// page.
fn id(id: &CallId) -> Cow<'_, str> {
    let id = id.as_str();
    let is_accepted = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if (1..=MAX_ID_CHARS).contains(&id.len()) && id.bytes().all(is_accepted) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(format!("toolu_{}", &sha256_hex(id.as_bytes())[..32]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_the_api_refuses_are_replaced_and_stay_apart() {
        let sent = |given: &str| id(&CallId::from(given.to_owned())).into_owned();
        assert_eq!(sent("toolu_01-A"), "toolu_01-A");
        let odd = ["", "call.1", "call:1", "a|b", "é", &"x".repeat(65), &"x".repeat(66)].map(sent);
        for (at, one) in odd.iter().enumerate() {
            assert!(one.starts_with("toolu_") && one.len() == 38, "{one}");
            assert!(!odd[..at].contains(one), "{one}");
        }
    }

    #[test]
    fn arguments_are_an_object_whatever_the_model_wrote() {
        let sent = |arguments: &str| object_value(arguments).get().to_owned();
        assert_eq!(sent("{\"a\": 1.0}"), "{\"a\": 1.0}");
        assert_eq!((sent(""), sent(" \n")), ("{}".into(), "{}".into()));
        assert_eq!(sent("[1]"), r#"{"invalid_arguments":"[1]"}"#);
        assert_eq!(sent("{oops"), r#"{"invalid_arguments":"{oops"}"#);
    }
}

//! The prompt before any vendor sees it: what no API accepts is put right here, once for all of them.
//!
//! A call without a result, or a result without a call, comes from a conversation that was cut off or taken over from
//! elsewhere, and every vendor answers it with an error for ever after.

use crate::request_parts::Images;
use arki_domain::{Code, Error, Image, Message};
use std::sync::Arc;

const NO_IMAGE: &str = "[An image was here; it is no longer stored.]";
const NO_RESULT: &str = "No result: this call was interrupted. It may or may not have had an effect.";

/// The messages as they may be sent: every call has its result right after it, every result its call, every image its
/// bytes, and nothing is empty.
///
/// What comes of a message does not depend on those before it, but for a result on its call.
pub(crate) fn sendable(messages: &[Arc<Message>], kept: &Images) -> Sendable {
    let mut sendable: Vec<Arc<Message>> = Vec::with_capacity(messages.len());
    let mut ends = Vec::new();
    let mut rest = messages.iter().peekable();
    while let Some(message) = rest.next() {
        match &**message {
            Message::ToolRequest { calls, .. } => {
                sendable.push(Arc::clone(message));
                let mut results = Vec::new();
                while let Some(result) = rest.next_if(|next| matches!(&***next, Message::ToolResult { .. })) {
                    results.push(result);
                }
                for call in calls {
                    let answers = |result: &&&Arc<Message>| matches!(&****result, Message::ToolResult { call_id, .. } if *call_id == call.call_id);
                    let result = results.iter().find(answers).map(|result| Arc::clone(result));
                    sendable.push(result.unwrap_or_else(|| {
                        Arc::new(Message::ToolResult {
                            call_id: call.call_id.clone(),
                            tool_id: call.tool_id.clone(),
                            content: NO_RESULT.to_owned(),
                            is_error: true,
                        })
                    }));
                }
            }
            // Its call is not here.
            Message::ToolResult { .. } => {}
            Message::System { content } if content.is_empty() => {}
            Message::User { content, images } if content.is_empty() && images.is_empty() => {}
            Message::Assistant { content, .. } if content.is_empty() => {}
            Message::User { content, images } if images.iter().any(|image| !kept.contains_key(&image.content_hash)) => {
                sendable.push(Arc::new(without_lost_images(content, images, kept)));
            }
            _ => sendable.push(Arc::clone(message)),
        }
        // Of the last one more may come.
        if rest.peek().is_some() {
            ends.push(End { given: messages.len() - rest.len(), sent: sendable.len() });
        }
    }
    Sendable { messages: sendable, ends }
}

/// The messages as they may be sent.
pub(crate) struct Sendable {
    pub(crate) messages: Vec<Arc<Message>>,
    /// The points at which nothing that comes later changes the form of the messages before.
    pub(crate) ends: Vec<End>,
}

/// The number of messages that were given, and of those that they became.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) given: usize,
    pub(crate) sent: usize,
}

/// `PROVIDER_BAD_REQUEST`.
pub(crate) fn nothing_to_answer() -> Error {
    Error::new(Code::PROVIDER_BAD_REQUEST, "The message is empty.", "Write what you want done.")
}

fn without_lost_images(content: &str, images: &[Image], kept: &Images) -> Message {
    let (images, lost): (Vec<_>, Vec<_>) =
        images.iter().cloned().partition(|image| kept.contains_key(&image.content_hash));
    let content = std::iter::once(content).chain(lost.iter().map(|_| NO_IMAGE)).collect::<Vec<_>>().join("\n");
    Message::User { content, images }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{CallId, ToolRequest};

    fn request(calls: &[&str]) -> Arc<Message> {
        let call = |id: &&str| ToolRequest {
            call_id: CallId::from((*id).to_owned()),
            tool_id: "read_file".to_owned(),
            arguments: "{}".to_owned(),
        };
        let calls = calls.iter().map(call).collect();
        Arc::new(Message::ToolRequest { content: String::new(), thoughts: None, reasoning: None, calls })
    }

    fn result(id: &str) -> Arc<Message> {
        Arc::new(Message::ToolResult {
            call_id: CallId::from(id.to_owned()),
            tool_id: "read_file".to_owned(),
            content: id.to_uppercase(),
            is_error: false,
        })
    }

    fn user(text: &str) -> Arc<Message> {
        Arc::new(Message::user(text))
    }

    fn results(messages: &[Arc<Message>]) -> Vec<&str> {
        let content = |message: &'_ Arc<Message>| matches!(**message, Message::ToolResult { .. });
        messages
            .iter()
            .filter(|message| content(message))
            .map(|message| match &**message {
                Message::ToolResult { content, .. } => content.as_str(),
                _ => "",
            })
            .collect()
    }

    #[test]
    fn a_conversation_that_is_right_is_passed_on_as_it_is() {
        let messages = [user("go"), request(&["a", "b"]), result("a"), result("b"), user("on")];
        let sent = sendable(&messages, &Images::new()).messages;
        assert!(sent.iter().zip(&messages).all(|(sent, given)| Arc::ptr_eq(sent, given)));
        assert_eq!(sent.len(), messages.len());
    }

    #[test]
    fn a_call_without_a_result_gets_one_before_anything_else_is_said() {
        let sent = sendable(&[user("go"), request(&["a", "b"]), result("b"), user("on")], &Images::new()).messages;
        assert_eq!(results(&sent), [NO_RESULT, "B"]);
        assert_eq!(sent.last(), Some(&user("on")));
    }

    #[test]
    fn a_result_without_its_call_is_left_out() {
        let sent =
            sendable(&[user("go"), result("x"), request(&["a"]), result("a"), result("y")], &Images::new()).messages;
        assert_eq!(results(&sent), ["A"]);
    }

    #[test]
    fn results_come_in_the_order_of_their_calls() {
        let sent = sendable(&[user("go"), request(&["a", "b"]), result("b"), result("a")], &Images::new()).messages;
        assert_eq!(results(&sent), ["A", "B"]);
    }

    #[test]
    fn what_is_empty_is_left_out() {
        let said = Arc::new(Message::Assistant { content: String::new(), thoughts: None, reasoning: None });
        assert_eq!(sendable(&[user(""), said.clone(), user("go")], &Images::new()).messages, [user("go")]);
        assert!(sendable(&[user(""), said], &Images::new()).messages.is_empty());
    }

    #[test]
    fn an_image_that_is_no_longer_kept_is_spoken_of_instead() {
        let image = |hash: &str| Image::new("image/png", hash);
        let shown = Message::User { content: "look".to_owned(), images: vec![image("a"), image("b")] };
        let kept = Images::from([("b".to_owned(), bytes::Bytes::from_static(b"png"))]);
        let sent = sendable(&[Arc::new(shown)], &kept).messages;
        let expected = Message::User { content: format!("look\n{NO_IMAGE}"), images: vec![image("b")] };
        assert_eq!(sent, [Arc::new(expected)]);
    }
}

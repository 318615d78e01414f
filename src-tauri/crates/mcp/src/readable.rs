//! Makes of a server's answer what the protocol's types can hold, so that one strange part does not discard the rest.

use crate::fault::quoted;
use crate::handler::Heard;
use crate::stdout_lines::MAX_MESSAGE_BYTES;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolResult, ContentBlock, CustomResult, ErrorData, JsonRpcError, JsonRpcMessage, RequestId, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A transport whose answers can be read, and are no larger than a message may be. An error that doesn't say which
/// request it answers is that of the last one still unanswered.
pub(crate) struct Readable<T> {
    transport: T,
    /// Told that the session is no longer in order; of a connection that has sessions.
    session: Option<Arc<Heard>>,
    unanswered: Vec<RequestId>,
}

impl<T> Readable<T> {
    pub(crate) fn new(transport: T, session: Option<Arc<Heard>>) -> Self {
        Self { transport, session, unanswered: Vec::new() }
    }

    fn attributed(&mut self, mut message: RxJsonRpcMessage<RoleClient>) -> RxJsonRpcMessage<RoleClient> {
        if let JsonRpcMessage::Error(error) = &mut message
            && !error.id.as_ref().is_some_and(|id| self.unanswered.contains(id))
        {
            error.id = self.unanswered.last().cloned().or(error.id.take());
            self.session.iter().for_each(|session| session.is_spent.store(true, Ordering::Relaxed));
        }
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        self.unanswered.retain(|id| Some(id) != answered);
        message
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Readable<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            self.unanswered.push(request.id.clone());
        }
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let received = self.transport.receive().await?;
        Some(readable(self.attributed(received)))
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport.close()
    }
}

fn readable(message: RxJsonRpcMessage<RoleClient>) -> RxJsonRpcMessage<RoleClient> {
    let JsonRpcMessage::Response(mut response) = message else { return message };
    if is_too_large(&response.result) {
        let words = format!("left out an answer larger than {} MiB", MAX_MESSAGE_BYTES >> 20);
        return JsonRpcMessage::Error(JsonRpcError::new(Some(response.id), ErrorData::internal_error(words, None)));
    }
    if let ServerResult::CustomResult(CustomResult(result)) = &response.result
        && let Some(result) = with_known_content(result.clone())
    {
        response.result = ServerResult::CallToolResult(result);
    }
    JsonRpcMessage::Response(response)
}

/// A tool's answer with words in the place of content that nobody here knows.
fn with_known_content(mut result: Value) -> Option<CallToolResult> {
    for block in result.get_mut("content")?.as_array_mut()? {
        if serde_json::from_value::<ContentBlock>(block.clone()).is_err() {
            let kind = block.get("type").and_then(Value::as_str).unwrap_or("unknown");
            *block = json!({"type": "text", "text": format!("[content of type {} left out]", quoted(kind))});
        }
    }
    serde_json::from_value(result).ok()
}

/// Returns whether the message is too large in its written form: over HTTP nobody counts what comes.
fn is_too_large(result: &impl Serialize) -> bool {
    serde_json::to_writer(ByteRoom(MAX_MESSAGE_BYTES), result).is_err()
}

/// Takes so many bytes, and no more.
struct ByteRoom(usize);

impl Write for ByteRoom {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_text::Answer;

    /// Returns what is made of an answer that comes as such.
    fn received(result: &Value) -> RxJsonRpcMessage<RoleClient> {
        readable(serde_json::from_value(json!({"jsonrpc": "2.0", "id": 1, "result": result})).unwrap())
    }

    #[test]
    fn content_that_nobody_knows_is_named_and_the_rest_is_told() {
        let content = json!([{"type": "text", "text": "a"}, {"type": "weird", "x": 1}, {"type": "text"}, 7]);
        let JsonRpcMessage::Response(response) = received(&json!({"content": content})) else { panic!("no answer") };
        let ServerResult::CallToolResult(result) = response.result else { panic!("{:?}", response.result) };
        let expected = "a\n[content of type weird left out]\n[content of type text left out]\n\
            [content of type unknown left out]";
        assert_eq!(Answer::of_call(&result).text, expected);
    }

    #[test]
    fn an_answer_that_is_too_large_is_an_error_of_its_own() {
        let of = |bytes: usize| received(&json!({"content": [{"type": "text", "text": "x".repeat(bytes)}]}));
        assert!(matches!(of(MAX_MESSAGE_BYTES - 100), JsonRpcMessage::Response(_)));
        let JsonRpcMessage::Error(error) = of(MAX_MESSAGE_BYTES) else { panic!("taken") };
        assert!(error.error.message.contains("8 MiB"), "{error:?}");
    }
}

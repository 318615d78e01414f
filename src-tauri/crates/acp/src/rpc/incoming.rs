//! Reads the client's messages, from lines of bounded length.

use crate::rpc::refusal::RpcRefusal;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest message: pictures come in Base64.
const MAX_LINE_BYTES: usize = 16 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    Whole(Vec<u8>),
    /// Read to its end, and not kept.
    TooLong,
}

pub(crate) struct InputLines<R> {
    input: BufReader<R>,
    limit: usize,
}

impl<R: AsyncRead + Unpin> InputLines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), limit: MAX_LINE_BYTES }
    }

    /// Returns the next line; `None` at the end, before which half a line is none.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<InputLine>> {
        let (mut line, mut is_too_long) = (Vec::new(), false);
        loop {
            let ready = self.input.fill_buf().await?;
            if ready.is_empty() {
                return Ok(None);
            }
            let end = ready.iter().position(|byte| *byte == b'\n');
            let piece = &ready[..end.unwrap_or(ready.len())];
            is_too_long |= line.len() + piece.len() > self.limit;
            if is_too_long {
                line = Vec::new();
            } else {
                line.extend_from_slice(piece);
            }
            let read = piece.len() + usize::from(end.is_some());
            self.input.consume(read);
            if end.is_some() {
                return Ok(Some(if is_too_long { InputLine::TooLong } else { InputLine::Whole(line) }));
            }
        }
    }
}

/// A request's id, which its answer repeats: text, a whole number, or null.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct RequestId(Value);

impl RequestId {
    pub(crate) const NULL: Self = Self(Value::Null);

    pub(crate) fn new(value: Value) -> Option<Self> {
        let is_id = value.is_null() || value.is_string() || value.is_i64() || value.is_u64();
        is_id.then_some(Self(value))
    }
}

#[derive(Debug, PartialEq)]
pub(crate) enum ClientMessage {
    Request {
        id: RequestId,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of ours; `None`: to none that we made.
    Response {
        id: Option<u64>,
        outcome: Result<Value, RpcRefusal>,
    },
    Unreadable(RpcRefusal),
}

impl ClientMessage {
    pub(crate) fn parse(line: &[u8]) -> Self {
        match serde_json::from_slice(line) {
            Ok(Value::Object(message)) => Self::of(message),
            Ok(_) => Self::Unreadable(RpcRefusal::invalid_request("A message is a JSON object on a line of its own.")),
            Err(error) => Self::Unreadable(RpcRefusal::unreadable(format!("This line isn't JSON: {error}."))),
        }
    }

    fn of(mut message: Map<String, Value>) -> Self {
        let id = message.remove("id");
        let params = message.remove("params").unwrap_or_default();
        match (message.remove("method"), id) {
            (Some(Value::String(method)), None) => Self::Notification { method, params },
            (Some(Value::String(method)), Some(id)) => match RequestId::new(id) {
                Some(id) => Self::Request { id, method, params },
                None => Self::Unreadable(RpcRefusal::invalid_request("A request's id is text or a whole number.")),
            },
            (None, Some(id)) if message.contains_key("result") || message.contains_key("error") => {
                let outcome = match message.remove("error").filter(|error| !error.is_null()) {
                    Some(error) => Err(serde_json::from_value(error)
                        .unwrap_or_else(|_| RpcRefusal::invalid_request("The error isn't one."))),
                    None => Ok(message.remove("result").unwrap_or_default()),
                };
                Self::Response { id: id.as_u64(), outcome }
            }
            _ => Self::Unreadable(RpcRefusal::invalid_request("A message has a method, or answers a request.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code(line: &str) -> i64 {
        match ClientMessage::parse(line.as_bytes()) {
            ClientMessage::Unreadable(refusal) => refusal.code,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn messages_are_told_apart() {
        let request = ClientMessage::parse(br#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}"#);
        let id = RequestId::new(json!("a")).unwrap();
        assert_eq!(request, ClientMessage::Request { id, method: "m".into(), params: json!({"x": 1}) });
        let notification = ClientMessage::parse(br#"{"method":"m"}"#);
        assert_eq!(notification, ClientMessage::Notification { method: "m".into(), params: Value::Null });
        let answer = ClientMessage::parse(br#"{"id":7,"result":null}"#);
        assert_eq!(answer, ClientMessage::Response { id: Some(7), outcome: Ok(Value::Null) });
        let foreign = ClientMessage::parse(br#"{"id":"x","error":{"code":1,"message":"no"}}"#);
        assert!(matches!(foreign, ClientMessage::Response { id: None, outcome: Err(refusal) } if refusal.code == 1));
    }

    #[test]
    fn anything_else_is_refused() {
        let deep = "[".repeat(1000);
        for line in ["", "{", "nonsense", "\u{0}", deep.as_str()] {
            assert_eq!(code(line), -32_700, "{line}");
        }
        for line in ["[]", "1", "{}", r#"{"id":1}"#, r#"{"id":1.5,"method":"m"}"#, r#"{"id":[],"method":"m"}"#] {
            assert_eq!(code(line), -32_600, "{line}");
        }
        assert!(matches!(ClientMessage::parse(b"\xff\xfe"), ClientMessage::Unreadable(_)));
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_half_a_line_is_none() {
        let mut lines =
            InputLines { input: BufReader::with_capacity(3, &b"one\ntoo long by far\ntwo\n\nhal"[..]), limit: 5 };
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(line);
        }
        let whole = |text: &str| InputLine::Whole(text.into());
        assert_eq!(read, [whole("one"), InputLine::TooLong, whole("two"), whole("")]);
    }
}

//! Writes requests: everything else first, `"messages"` last, so that a run's requests are each a continuation of the one
//! before, byte for byte, and the provider's prompt cache hits.
//!
//! The bytes and the hash of the conversation so far are kept, so that a turn costs what it adds, not what went before.

use super::wire;
use arki_domain::{ChatRequest, Fault, Message, ModelOptions, PreparedRequest, ToolDefinition};
use bytes::{Bytes, BytesMut};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

const END: &[u8] = b"]}";

/// Where Chat Completions differ from server to server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    OpenAi,
    /// llama.cpp, vLLM, LM Studio and the like.
    Compatible,
}

pub(super) struct RequestWriter {
    model: String,
    dialect: Dialect,
    written: Mutex<Option<Written>>,
}

/// The last request, and what it was made of.
struct Written {
    system: Arc<str>,
    tools: Arc<[ToolDefinition]>,
    options: ModelOptions,
    messages: Vec<Arc<Message>>,
    body: Bytes,
    /// Over the body without its `END`.
    hash: Sha256,
}

impl RequestWriter {
    pub(super) fn new(model: &str, dialect: Dialect) -> Self {
        Self { model: model.to_owned(), dialect, written: Mutex::new(None) }
    }

    pub(super) fn prepare(&self, request: &ChatRequest) -> Result<PreparedRequest, Fault> {
        let mut slot = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let mut written = match slot.take().filter(|written| written.is_beginning_of(request)) {
            Some(written) => written,
            None => self.begin(request)?,
        };
        written.grow(&request.messages)?;
        let prepared = PreparedRequest {
            request_hash: hex::encode(written.hash.clone().chain_update(END).finalize()),
            message_count: request.messages.len(),
            body: written.body.clone(),
        };
        *slot = Some(written);
        Ok(prepared)
    }

    fn begin(&self, request: &ChatRequest) -> Result<Written, Fault> {
        let limit = request.options.max_completion_tokens;
        let head = wire::Head {
            model: &self.model,
            stream: true,
            stream_options: wire::StreamOptions { include_usage: true },
            reasoning_effort: request.options.reasoning_effort.as_deref(),
            max_completion_tokens: limit.filter(|_| self.dialect == Dialect::OpenAi),
            max_tokens: limit.filter(|_| self.dialect == Dialect::Compatible),
            service_tier: request.options.flex.then_some("flex"),
            tools: request.tools.iter().map(wire::Tool::from).collect(),
        };
        let mut body = to_json(&head)?;
        body.truncate(body.len() - 1);
        body.extend_from_slice(b",\"messages\":[");
        if !request.system.is_empty() {
            body.extend_from_slice(&to_json(&wire::Message::system(&request.system))?);
        }
        let hash = Sha256::new_with_prefix(&body);
        body.extend_from_slice(END);
        Ok(Written {
            system: Arc::clone(&request.system),
            tools: Arc::clone(&request.tools),
            options: request.options.clone(),
            messages: Vec::new(),
            body: body.into(),
            hash,
        })
    }
}

impl Written {
    /// Messages are compared by address first, so that this is cheap for a conversation that is passed on and on.
    fn is_beginning_of(&self, request: &ChatRequest) -> bool {
        self.system == request.system
            && (Arc::ptr_eq(&self.tools, &request.tools) || self.tools == request.tools)
            && self.options == request.options
            && request.messages.starts_with(&self.messages)
    }

    fn grow(&mut self, messages: &[Arc<Message>]) -> Result<(), Fault> {
        let added = &messages[self.messages.len()..];
        if added.is_empty() {
            return Ok(());
        }
        let mut body = writable(std::mem::take(&mut self.body));
        body.truncate(body.len() - END.len());
        let start = body.len();
        for message in added {
            if !body.ends_with(b"[") {
                body.extend_from_slice(b",");
            }
            body.extend_from_slice(&to_json(&wire::Message::from(&**message))?);
        }
        self.hash.update(&body[start..]);
        body.extend_from_slice(END);
        self.body = body.freeze();
        self.messages.extend_from_slice(added);
        Ok(())
    }
}

/// In place where the last request has been sent and let go of, else a copy with room to grow.
fn writable(body: Bytes) -> BytesMut {
    body.try_into_mut().unwrap_or_else(|shared| {
        let mut copy = BytesMut::with_capacity(shared.len() * 2);
        copy.extend_from_slice(&shared);
        copy
    })
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(Fault::internal)
}

//! Writes the requests of one conversation: everything else first, the messages last, so that a run's requests are each
//! a continuation of the one before, byte for byte, and the provider's prompt cache hits.
//!
//! The bytes and the hash of the conversation so far are kept, so that a turn costs what it adds, not what went before.

use crate::image_data::Images;
use crate::prompt;
use crate::wire_format::WireFormat;
use arki_domain::{ChatRequest, Fault, Message, ModelOptions, PreparedRequest, ToolDefinition};
use bytes::{Bytes, BytesMut};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

/// Remembers the last request.
#[derive(Default)]
pub(crate) struct GrowingRequest(Mutex<Option<Written>>);

/// The last request, and what it was made of.
struct Written {
    system: Arc<str>,
    tools: Arc<[ToolDefinition]>,
    options: ModelOptions,
    /// Those that nothing can be joined to any more.
    settled: Vec<Arc<Message>>,
    body: Bytes,
    /// How much of the body they and what stands before them take.
    settled_bytes: usize,
    /// Over those bytes.
    settled_hash: Sha256,
}

impl GrowingRequest {
    pub(crate) fn prepare(&self, format: &dyn WireFormat, request: &ChatRequest) -> Result<PreparedRequest, Fault> {
        let messages = prompt::sendable(&request.messages, &request.images)?;
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut written = match slot.take().filter(|written| written.is_beginning_of(request, &messages)) {
            Some(written) => written,
            None => Written::begin(format, request)?,
        };
        let request_hash = written.grow(format, &messages, &request.images)?;
        let message_count = usize::from(!request.system.is_empty()) + request.messages.len();
        let prepared = PreparedRequest { request_hash, message_count, body: written.body.clone() };
        *slot = Some(written);
        Ok(prepared)
    }
}

impl Written {
    fn begin(format: &dyn WireFormat, request: &ChatRequest) -> Result<Self, Fault> {
        let head = format.head(request)?;
        Ok(Self {
            system: Arc::clone(&request.system),
            tools: Arc::clone(&request.tools),
            options: request.options.clone(),
            settled: Vec::new(),
            settled_bytes: head.len(),
            settled_hash: Sha256::new_with_prefix(&head),
            body: head.into(),
        })
    }

    /// Messages are compared by address first, so that this is cheap for a conversation that is passed on and on.
    fn is_beginning_of(&self, request: &ChatRequest, messages: &[Arc<Message>]) -> bool {
        self.system == request.system
            && (Arc::ptr_eq(&self.tools, &request.tools) || self.tools == request.tools)
            && self.options == request.options
            && messages.starts_with(&self.settled)
    }

    /// Returns the hash of the whole, in hex.
    fn grow(&mut self, format: &dyn WireFormat, messages: &[Arc<Message>], images: &Images) -> Result<String, Fault> {
        let mut body = writable(std::mem::take(&mut self.body));
        body.truncate(self.settled_bytes);
        let mut entry = Vec::new();
        let added = &messages[self.settled.len()..];
        let mut groups = added.chunk_by(|message, next| format.joins(message, next)).peekable();
        while let Some(group) = groups.next() {
            entry.clear();
            format.write(group, images, &mut entry)?;
            if !entry.is_empty() {
                body.extend_from_slice(if body.ends_with(b"[") { format.before_first(&group[0]) } else { b"," });
            }
            body.extend_from_slice(&entry);
            if groups.peek().is_some() {
                self.settled_hash.update(&body[self.settled_bytes..]);
                self.settled_bytes = body.len();
                self.settled.extend_from_slice(group);
            }
        }
        body.extend_from_slice(format.tail());
        let hash = self.settled_hash.clone().chain_update(&body[self.settled_bytes..]);
        self.body = body.freeze();
        Ok(hex::encode(hash.finalize()))
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

/// The head of a request: `value` without its closing brace, and the beginning of the list that `list` names.
pub(crate) fn open_list(value: &impl Serialize, list: &str) -> Result<Vec<u8>, Fault> {
    let mut head = to_json(value)?;
    head.truncate(head.len() - 1);
    if !head.ends_with(b"{") {
        head.push(b',');
    }
    head.extend_from_slice(format!("\"{list}\":[").as_bytes());
    Ok(head)
}

pub(crate) fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(Fault::internal)
}

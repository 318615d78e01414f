//! Writes the requests of one conversation: everything else first, the messages last, so that a run's requests are each
//! a continuation of the one before, byte for byte, and the provider's prompt cache hits.
//!
//! The bytes and the hash of the conversation so far are kept, so that a turn costs what it adds, not what went before.

use crate::prompt::{self, End, Sendable};
use crate::refused_parameters::RefusedParameters;
use crate::request_parts::{Images, schema_in_words, to_json};
use crate::wire_format::WireFormat;
use arki_domain::{ChatRequest, Error, Message, ModelOptions, PreparedRequest, ToolDefinition, portable_schema};
use bytes::{Bytes, BytesMut};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// Follows the last message.
const TAIL: &[u8] = b"]}";

/// Remembers the last request.
#[derive(Default)]
pub(crate) struct GrowingRequest(Mutex<Option<Written>>);

/// The last request, and what it was made of.
struct Written {
    system: Arc<str>,
    tools: Arc<[ToolDefinition]>,
    options: ModelOptions,
    images: Arc<Images>,
    /// The messages that were given, as far as what came of them is settled.
    given: Vec<Arc<Message>>,
    /// The number of settled ones that came of these.
    of_given: usize,
    /// The messages that nothing can be joined to any more.
    settled: Vec<Arc<Message>>,
    body: Bytes,
    /// The bytes of the body before the first message.
    head_bytes: usize,
    /// The bytes of the body that they and the text before them take.
    settled_bytes: usize,
    /// Over those bytes.
    settled_hash: Sha256,
    /// The parts that it goes without.
    refused: RefusedParameters,
}

impl GrowingRequest {
    pub(crate) fn prepare(
        &self,
        format: &dyn WireFormat,
        request: &ChatRequest,
        refused: &RefusedParameters,
    ) -> Result<PreparedRequest, Error> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = slot.take().filter(|written| written.refused == *refused && written.is_of(request));
        let known = known.map(|written| (written.added(request), written));
        let known = known.filter(|(added, written)| added.messages.starts_with(written.settled_of_added()));
        let (added, mut written) = match known {
            Some(known) => known,
            None => {
                let written = Written::begin(format, request, refused)?;
                (written.added(request), written)
            }
        };
        if written.settled.is_empty() && added.messages.is_empty() {
            return Err(prompt::nothing_to_answer());
        }
        let request_hash = written.grow(format, &added.messages)?;
        written.note_given(request, &added);
        let message_count = usize::from(!request.system.is_empty()) + request.messages.len();
        let (head_bytes, body) = (written.head_bytes, written.body.clone());
        *slot = Some(written);
        Ok(PreparedRequest { request_hash, message_count, head_bytes, body })
    }
}

/// A past request, written once more.
#[derive(Debug, Clone)]
pub struct WrittenAgain {
    /// The messages in a form that may be sent: every call has its result, and none is empty.
    pub messages: Vec<Arc<Message>>,
    /// The bytes that were sent; `None` where none were found that have the hash.
    pub body: Option<Bytes>,
}

impl WrittenAgain {
    pub(crate) fn unproven(request: &ChatRequest) -> Self {
        Self { messages: prompt::sendable(&request.messages, &request.images).messages, body: None }
    }
}

/// Writes a past request behind the `head` that it had, behind its own where none is known; `None` where that has not
/// the hash `wanted`.
pub(crate) fn rewrite(
    format: &dyn WireFormat,
    head: Option<&str>,
    request: &ChatRequest,
    wanted: &str,
) -> Option<WrittenAgain> {
    let plain = with_plain_schemas(format, request);
    let head = head.map_or_else(|| format.head(&plain).ok(), |head| Some(head.as_bytes().to_vec()))?;
    let mut written = Written::behind(head, request);
    let messages = written.added(request).messages;
    let request_hash = written.grow(format, &messages).ok()?;
    (request_hash == wanted).then_some(WrittenAgain { messages, body: Some(written.body) })
}

impl Written {
    fn begin(format: &dyn WireFormat, request: &ChatRequest, refused: &RefusedParameters) -> Result<Self, Error> {
        let request = &*with_plain_schemas(format, request);
        let whole = format.head(request)?;
        let mut head = refused.without(whole.clone())?;
        // A form of the answer that can't be told the API is told the model.
        if let Some(schema) = request.options.output_schema.as_ref().filter(|_| head != whole) {
            let written = to_json(schema)?;
            let has_schema = |head: &[u8]| head.windows(written.len()).any(|part| part == written);
            if has_schema(&whole) && !has_schema(&head) {
                let options = ModelOptions { output_schema: None, ..request.options.clone() };
                let system = schema_in_words(&request.system, schema).into();
                head = refused.without(format.head(&ChatRequest { system, options, ..request.clone() })?)?;
            }
        }
        Ok(Self { refused: refused.clone(), ..Self::behind(head, request) })
    }

    fn behind(head: Vec<u8>, request: &ChatRequest) -> Self {
        Self {
            system: Arc::clone(&request.system),
            tools: Arc::clone(&request.tools),
            options: request.options.clone(),
            images: Arc::clone(&request.images),
            given: Vec::new(),
            of_given: 0,
            settled: Vec::new(),
            head_bytes: head.len(),
            settled_bytes: head.len(),
            settled_hash: Sha256::new_with_prefix(&head),
            body: head.into(),
            refused: RefusedParameters::default(),
        }
    }

    /// Messages are compared by address first, so that this is cheap for a conversation that is passed on and on.
    fn is_of(&self, request: &ChatRequest) -> bool {
        self.system == request.system
            && (Arc::ptr_eq(&self.tools, &request.tools) || self.tools == request.tools)
            && (Arc::ptr_eq(&self.images, &request.images) || self.images == request.images)
            && self.options == request.options
            && request.messages.starts_with(&self.given)
            // Which could belong to a call among them.
            && !matches!(request.messages.get(self.given.len()).map(|next| &**next), Some(Message::ToolResult { .. }))
    }

    /// Returns the messages to send for those that are not looked at any more.
    fn added(&self, request: &ChatRequest) -> Sendable {
        prompt::sendable(&request.messages[self.given.len()..], &request.images)
    }

    /// Returns the settled part of the added messages.
    fn settled_of_added(&self) -> &[Arc<Message>] {
        &self.settled[self.of_given..]
    }

    fn note_given(&mut self, request: &ChatRequest, added: &Sendable) {
        let settled = self.settled_of_added().len();
        if let Some(End { given, sent }) = added.ends.iter().rev().find(|end| end.sent <= settled).copied() {
            let first = self.given.len();
            self.given.extend_from_slice(&request.messages[first..first + given]);
            self.of_given += sent;
        }
    }

    /// Returns the hash of the whole, in hex.
    fn grow(&mut self, format: &dyn WireFormat, added: &[Arc<Message>]) -> Result<String, Error> {
        let images = Arc::clone(&self.images);
        let mut body = writable(std::mem::take(&mut self.body));
        body.truncate(self.settled_bytes);
        let mut entry = Vec::new();
        let added = &added[self.settled_of_added().len()..];
        let mut groups = added.chunk_by(|message, next| format.joins(message, next)).peekable();
        while let Some(group) = groups.next() {
            entry.clear();
            format.write(group, &images, &mut entry)?;
            entry = self.refused.without_in_messages(entry)?;
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
        body.extend_from_slice(TAIL);
        let hash = self.settled_hash.clone().chain_update(&body[self.settled_bytes..]);
        self.body = body.freeze();
        Ok(hex::encode(hash.finalize()))
    }
}

/// The request with its tools' schemas as the vendor takes them; a tool that has no such schema is left out.
fn with_plain_schemas<'r>(format: &dyn WireFormat, request: &'r ChatRequest) -> Cow<'r, ChatRequest> {
    let plain = |tool: &ToolDefinition| {
        let parameters = portable_schema(&tool.parameters).and_then(|schema| format.narrowed(schema));
        if parameters.is_none() {
            tracing::warn!(tool = %tool.name, "no vendor takes the tool's schema, so it is left out");
        }
        Some(ToolDefinition { parameters: parameters?, ..tool.clone() })
    };
    let tools: Arc<[ToolDefinition]> = request.tools.iter().filter_map(plain).collect();
    if tools == request.tools { Cow::Borrowed(request) } else { Cow::Owned(ChatRequest { tools, ..request.clone() }) }
}

/// Returns the buffer itself if the last request has been sent and dropped, otherwise a copy with room to grow.
fn writable(body: Bytes) -> BytesMut {
    body.try_into_mut().unwrap_or_else(|shared| {
        let mut copy = BytesMut::with_capacity(shared.len() * 2);
        copy.extend_from_slice(&shared);
        copy
    })
}

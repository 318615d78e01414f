//! A past request, written once more, as far as it can be proven.

use crate::prompt::sendable;
use arki_domain::{ChatRequest, Message};
use bytes::Bytes;
use std::sync::Arc;

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
        Self { messages: sendable(&request.messages, &request.images).messages, body: None }
    }
}

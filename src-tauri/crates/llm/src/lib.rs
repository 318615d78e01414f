//! Providers: one stream form over every vendor's wire format.
//!
//! This crate turns a [`arki_domain::ChatRequest`] into a vendor's bytes, sends them, and turns what streams back into
//! [`arki_domain::StreamEvent`]s. It implements the port [`arki_domain::ChatModel`] and owns everything between it and
//! the socket: connections, time-outs, keys in flight, server-sent events and the words for what went wrong.
//!
//! It does not know tools, files or the log, reads no configuration and no environment but the proxies', and does not
//! retry: whoever asked decides that, with [`retryable`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod answer;
mod catalogue;
mod demo;
mod drain;
mod fault;
mod http;
mod key_source;
mod openai_chat;
mod provider;
mod provider_connection;
mod providers;
mod secret;
mod sse;
mod think_split;
mod vendor_error;

pub use catalogue::{DEFAULT_CONTEXT_WINDOW, DEFAULT_LOCAL_CONTEXT_WINDOW, ModelInfo};
pub use fault::retryable;
pub use http::Timeouts;
pub use key_source::{KeyNeed, KeySource};
pub use provider::{Capability, ModelSettings, ProviderKind, ProviderSettings};
pub use providers::Providers;
pub use secret::Secret;

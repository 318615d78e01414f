//! Providers: one stream form over every vendor's wire format.
//!
//! This crate turns a [`arki_domain::ChatRequest`] into a vendor's bytes, sends them, and turns what streams back into
//! [`arki_domain::StreamEvent`]s. It implements the port [`arki_domain::ChatModel`] and owns everything between it and
//! the socket: connections, time-outs, keys in flight, server-sent events and the words for what went wrong.
//!
//! It does not know tools, files or the log, reads no configuration, of the environment only what names proxies and
//! certificates, and does not retry: whoever asked decides that, with [`retryable`] and how long the provider asks to
//! wait.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod admission;
mod answer;
mod answer_decoder;
mod anthropic;
mod catalogue;
mod connection_test;
mod demo;
mod drain;
mod fault;
mod figures;
mod gemini;
mod growing_request;
mod http;
mod kept_client;
mod key;
mod live_models;
mod local_models;
mod lone_surrogates;
mod model_list;
mod ollama;
mod openai_chat;
mod openai_responses;
mod price;
mod prompt;
mod provider;
mod provider_connection;
mod providers;
mod proxy;
mod refused_parameters;
mod repetition;
#[cfg(test)]
mod replay;
mod request_parts;
mod retry_after;
mod sse;
mod strict_schema;
mod think_split;
mod token_estimate;
mod vendor_error;
mod wire_format;
mod wire_model;

pub use catalogue::{DEFAULT_CONTEXT_WINDOW, DEFAULT_LOCAL_CONTEXT_WINDOW, ModelInfo, ModelSource};
pub use connection_test::{TestOutcome, TestStep, TestStepName};
pub use fault::retryable;
pub use growing_request::WrittenAgain;
pub use key::{KeySource, Secret};
pub use live_models::LiveModels;
pub use price::{Price, PriceTier, Rates};
pub use provider::{Capability, KeyNeed, ModelSettings, ProviderKind, ProviderSettings, Timeouts};
pub use provider_connection::ModelMemory;
pub use providers::Providers;
pub use token_estimate::{Estimator, image_tokens, message_tokens, request_tokens, text_tokens, tool_tokens};

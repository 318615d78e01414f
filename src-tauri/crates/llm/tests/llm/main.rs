//! The crate from the outside, against a scripted server: what is sent, what is understood, what goes wrong.

#![allow(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value)]

mod answers;
mod anthropic;
mod connections;
mod demo;
mod dialects;
mod fault_matrix;
mod faults;
mod gemini;
mod harness;
mod keys;
mod live;
mod oddities;
mod ollama;
mod past_requests;
mod refused;
mod requests;
mod responses;

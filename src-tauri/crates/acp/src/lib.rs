//! Arki as an agent for editors: the Agent Client Protocol, version 1, over two streams.
//!
//! A client of the engine like the window. What it tells comes from the one fold of a conversation
//! (`domain/src/projection/conversation.rs`), by one follower a session (`follower`); what it asks are the approvals
//! that the engine holds (`asking`). The protocol is spoken by `rpc`, which bounds whatever a client may send, and
//! `messages` has its forms. Which tools may do what is not decided here.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod agent;
mod asking;
mod editor_files;
mod follower;
mod live_session;
mod messages;
mod opening;
mod prompt;
mod replay;
mod rpc;
mod serve;
mod servers;
mod session_options;
mod telling;
mod turn;

pub use serve::serve;

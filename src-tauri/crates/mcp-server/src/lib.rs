//! Arki's sessions, pipelines and questions for other agents, over MCP: to be read, and nothing else.
//!
//! `tools` is the table of what can be asked, `scope` the folder whose sessions are told, `server` the protocol.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod scope;
mod server;
mod tools;

pub use scope::Scope;
pub use server::serve_standard_streams;

//! Helpers for tests of other crates: a scripted provider server, temporary homes, event-log assertions, labelled shell
//! lines.
//!
//! Everything here works from a plain `#[test]`: the server has threads of its own and needs no async runtime. It talks
//! to loopback only, and everything on disk lives in a temporary folder.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod connection;
mod default_signals;
mod event_assertions;
mod labelled_commands;
mod required;
mod scripted_server;
mod sse_encoding;
mod test_home;
mod turn;

pub use default_signals::with_default_signals;
pub use event_assertions::{json_lines, kinds, stored, verify_chain};
pub use labelled_commands::{LabelledCommand, labelled_commands, unseen_commands};
pub use required::required;
pub use scripted_server::{Recorded, Script, ScriptedServer, ServerJournal};
pub use test_home::{Finished, MOCK_KEY, TestHome};
pub use turn::Turn;

//! Sessions of other agents, read from the files that they keep, as events of Arki's own.
//!
//! Each agent has a reader that tells a [`ForeignSession`]; [`past_events`] makes events of any. The files are others':
//! nothing is written there, their formats change, and what can't be read is left out and counted.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod claude_code;
mod codex;
mod events;
mod fields;
mod foreign_session;
mod homes;
mod lines;
mod opencode;

pub use events::past_events;
pub use foreign_session::{ForeignSession, Moment, Told};
pub use homes::{FoundHistory, HistoryHomes, HistoryPlace};

//! The commands, frames and types of every client of the engine, without I/O.
//!
//! The desktop window, the command line and whatever else shows Arki speak in these. `cargo xtask codegen` writes them
//! into `ui/src/protocol/generated`; the lint fails when they are stale. How they come about from what the engine, the
//! store, the models and the servers know is the engine's business: nothing here reaches further than `arki-domain`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

#[macro_use]
mod kinds;

mod acknowledged;
mod approvals;
mod commands;
mod configured;
mod context;
mod desktop;
mod elicitations;
mod error;
mod event;
mod frame;
mod histories;
mod history;
mod mcp;
mod memory;
mod message_box;
mod models;
#[cfg(test)]
mod openapi_tests;
mod pipelines;
mod printed;
mod processes;
mod project;
mod rules;
mod runs;
#[cfg(test)]
mod schema_tests;
mod sent_requests;
mod serving;
mod sessions;
mod settings;
mod usage;
mod worktrees;

pub use acknowledged::*;
pub use approvals::*;
pub use commands::*;
pub use configured::*;
pub use context::*;
pub use desktop::*;
pub use elicitations::*;
pub use error::*;
pub use event::*;
pub use frame::*;
pub use histories::*;
pub use history::*;
pub use mcp::*;
pub use memory::*;
pub use message_box::*;
pub use models::*;
pub use pipelines::*;
pub use printed::*;
pub use processes::*;
pub use project::*;
pub use rules::*;
pub use runs::*;
pub use sent_requests::*;
pub use serving::*;
pub use sessions::*;
pub use settings::*;
pub use usage::*;
pub use worktrees::*;

//! The planner: a core decides what comes next in a run, the run's host does it and says so in the log.
//!
//! The agent only proposes. It reaches the log, the model and the executor through the ports of `arki-domain` and
//! keeps no state of its own: what comes next is always read off the projection of the log, so that going on after an
//! approval, a budget or a crash is the same code as going on after the previous turn. What others append meanwhile, such
//! as a message of the user, is read from the log between two turns.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod answer;
mod answer_events;
mod background;
mod bounds;
mod call_arguments;
mod call_runner;
mod call_text;
mod compacting;
mod core;
mod cores;
mod ending;
mod hooks;
mod late_context;
mod pes;
mod planning;
mod reflection;
mod refusals;
mod retry;
mod run_host;
mod run_log;
mod run_parts;
mod stop_signals;
mod summary;
mod tally;
mod text_only;
mod tool_loop;
mod turn;

pub use call_arguments::understood as understood_arguments;
pub use compacting::{Compacted, CompactionParts, SessionLog, SessionToCompact, compact_session};
pub use core::Core;
pub use cores::{core, core_names};
pub use late_context::max_late_text_bytes;
pub use reflection::reflect;
pub use run_host::{RunEnd, RunHost};
pub use run_log::{RunLog, RunSnapshot};
pub use run_parts::RunParts;
pub use stop_signals::RunControl;
pub use text_only::messages as messages_as_text;

#[cfg(test)]
mod tests;

//! Projections: plain folds over events. Everything anyone sees or continues from is one of these.

mod run_state;
mod session_summary;
mod transcript;

pub use run_state::{CallProgress, NextStep, PendingCall, ResolvedApproval, RunPhase, RunState};
pub use session_summary::{SessionState, SessionSummary};
pub use transcript::Transcript;

#[cfg(test)]
mod tests;

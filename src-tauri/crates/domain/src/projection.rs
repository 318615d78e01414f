//! Projections: plain folds over events. Everything anyone sees or continues from is one of these.

mod changed_files;
mod files_at;
mod queue;
mod run_state;
mod session_summary;
mod transcript;

pub use changed_files::{ChangedFile, ChangedFiles, MAX_CHANGED_FILES};
pub use files_at::{FilesAt, WantedFile};
pub use queue::{MAX_QUEUED_MESSAGES, Queue, QueuedMessage};
pub use run_state::{CallProgress, NextStep, PendingCall, ResolvedApproval, RunPhase, RunState};
pub use session_summary::{SessionState, SessionSummary};
pub use transcript::Transcript;

#[cfg(test)]
mod tests;

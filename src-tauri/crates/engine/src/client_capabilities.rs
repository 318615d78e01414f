//! The people and programs that are there while a run works.

/// The people and programs present while a run works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// True if somebody sees the model's questions and can answer. Otherwise the model is told that nobody can.
    pub answers: bool,
    /// The client stays: a run of its own that has completed is followed by the next message that waits in the session,
    /// and what nobody answers in time is rejected.
    pub stays: bool,
}

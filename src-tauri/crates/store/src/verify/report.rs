//! The result of checking a log.

use arki_domain::SessionId;
use serde::Serialize;

/// The result for one session, in the contract's form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyReport {
    pub session_id: SessionId,
    /// The rows there are.
    pub events: u64,
    pub ok: bool,
    /// The first number whose event is changed, missing or there twice.
    pub first_broken_seq: Option<u64>,
    /// True if a key outside the database vouches for the log, as far as it went when it was signed.
    pub anchored: bool,
    /// Why it is or is not.
    #[serde(skip)]
    pub anchor: AnchorFinding,
}

impl VerifyReport {
    pub(crate) fn sound(session_id: SessionId, events: u64) -> Self {
        let anchor = AnchorFinding::Absent;
        Self { session_id, events, ok: true, first_broken_seq: None, anchored: false, anchor }
    }

    /// Numbers start at 1, and an earlier break is never made later.
    pub(crate) fn break_at(&mut self, seq: u64) {
        let seq = seq.max(1);
        self.first_broken_seq = Some(self.first_broken_seq.map_or(seq, |earlier| earlier.min(seq)));
        self.ok = false;
    }
}

/// The finding of an anchor for a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorFinding {
    /// There is none, or no key to check it with.
    Absent,
    /// It was made with another key, which is no proof for or against the log.
    OtherKey,
    /// The event that it was made for is there, unchanged.
    Holds,
    /// The event that it was made for is missing.
    CutOff,
    /// The event that it was made for is another one now.
    Rewritten,
    /// It was not made with the key whose name it bears.
    Forged,
}

//! The sandbox's guard while a command runs, and its notes when it has ended; nothing without a sandbox.

use std::fmt::Write as _;

use crate::background_changes::Meanwhile;
use crate::confinement::{Confined, Confinement, ExitOutcome, Explanation, Findings};
use crate::error::Result;

#[derive(Default)]
pub(super) struct Guarding {
    confined: Option<Box<dyn Confined>>,
}

impl Guarding {
    pub(super) async fn begin(sandbox: Option<&dyn Confinement>, meanwhile: Option<&Meanwhile>) -> Result<Self> {
        let Some(sandbox) = sandbox else { return Ok(Self::default()) };
        Ok(Self { confined: Some(sandbox.begin(meanwhile.cloned()).await?) })
    }

    pub(super) fn confined(&self) -> Option<&dyn Confined> {
        self.confined.as_deref()
    }

    pub(super) async fn end(self) -> GuardResult {
        let Some(confined) = self.confined else { return GuardResult::default() };
        let (findings, explanation) = confined.end().await;
        GuardResult { findings, explanation: Some(explanation) }
    }
}

/// The guard's results when the command has ended.
#[derive(Default)]
pub(super) struct GuardResult {
    pub(super) findings: Findings,
    explanation: Option<Explanation>,
}

impl GuardResult {
    /// Returns what to say where something failed because of what was looked after; nothing where that is not the
    /// reason.
    pub(super) fn explanation(&self, output: &str, outcome: ExitOutcome) -> String {
        self.explanation.as_ref().map(|explanation| explanation.of(output, outcome)).unwrap_or_default()
    }
}

/// Formats the notes for the end of a command's output.
pub(super) fn as_output(notes: &[String]) -> String {
    let mut output = String::new();
    for note in notes {
        // Writing to a string does not fail.
        let _ = write!(output, "\n[{note}]\n");
    }
    output
}

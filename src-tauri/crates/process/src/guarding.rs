//! The sandbox's guard while a command runs, and its notes when it has ended; nothing without a sandbox.

use crate::background_changes::Meanwhile;
use crate::confinement::{Confined, Confinement, Explanation, Findings};
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

    /// Returns the guard's results when the command has ended.
    pub(super) async fn end(self) -> (Findings, Explanation) {
        match self.confined {
            Some(confined) => confined.end().await,
            None => (Findings::default(), Explanation::new(|_, _| None)),
        }
    }
}

/// Formats the notes for the end of a command's output.
pub(super) fn as_output(notes: &[String]) -> String {
    notes.iter().map(|note| format!("\n[{note}]\n")).collect()
}

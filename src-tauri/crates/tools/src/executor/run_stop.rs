//! The reason why a run does no more before the user has looked.

use arki_domain::{CallOutcome, Code, Error, Executed};
use arki_process::CommandOutcome;
use std::sync::OnceLock;

/// Stops a run from within a call. The first reason says it all.
#[derive(Default)]
pub(super) struct RunStop(OnceLock<Error>);

impl RunStop {
    pub(super) fn reason(&self) -> Option<&Error> {
        self.0.get()
    }

    pub(super) fn stop(&self, why: Error) {
        let _ = self.0.set(why);
    }

    /// Stops the run after an unfinished look: what the command left may have git run a program, so no more is done
    /// until the user has looked.
    pub(super) fn after_unfinished_look(&self, outcome: &CommandOutcome) {
        if let Some(why) = &outcome.unfinished_look {
            self.stop(unfinished_look(why));
        }
    }

    /// Returns the outcome of any call once the run is stopped.
    pub(super) fn executed(&self) -> Option<Executed> {
        let outcome = CallOutcome::Stopped(self.reason()?.clone());
        Some(Executed { outcome, events: Vec::new() })
    }
}

pub(super) fn unfinished_look(why: &str) -> Error {
    Error::new(
        Code::GUARD_UNFINISHED,
        format!("Arki couldn't check everything the command left behind: {why}. Git might run a program from it."),
        "Look for new repositories (`.git`) in the project before you use git there, then run `arki resume`.",
    )
}

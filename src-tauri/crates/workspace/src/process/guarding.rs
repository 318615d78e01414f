//! What the sandbox looks after while a command runs, and says of it when it has ended; nothing without a sandbox.

use crate::error::Result;
#[cfg(unix)]
pub(super) use crate::sandbox::as_output;
#[cfg(unix)]
use crate::sandbox::{Guard, Sensitive, Settled};
use crate::sandbox::{Meanwhile, Sandbox, unfinished_words};

#[derive(Default)]
pub(super) struct Guarding {
    #[cfg(unix)]
    guard: Option<Guard>,
    #[cfg(unix)]
    none: Sensitive,
}

#[cfg(unix)]
impl Guarding {
    pub(super) async fn begin(sandbox: Option<&Sandbox>, meanwhile: Option<&Meanwhile>) -> Result<Self> {
        let Some(sandbox) = sandbox else { return Ok(Self::default()) };
        Ok(Self { guard: Some(sandbox.guard(meanwhile.cloned()).await?), none: Sensitive::default() })
    }

    pub(super) fn git(&self) -> &Sensitive {
        self.guard.as_ref().map_or(&self.none, Guard::git)
    }

    pub(super) async fn end(self) -> Guarded {
        let Some(guard) = self.guard else { return Guarded::default() };
        let found = guard.git().clone();
        // It does not panic, and would look again then.
        let Settled { notes, unfinished } = tokio::task::spawn_blocking(move || guard.finish())
            .await
            .unwrap_or_else(|_| Settled { notes: Vec::new(), unfinished: Some("the look at it failed".to_owned()) });
        Guarded { notes, unfinished, found }
    }
}

/// What is left of it when the command has ended.
#[derive(Default)]
pub(super) struct Guarded {
    /// What is to be told, a sentence each.
    pub(super) notes: Vec<String>,
    /// Why not all that it left was looked at.
    pub(super) unfinished: Option<String>,
    #[cfg(unix)]
    found: Sensitive,
}

impl Guarded {
    /// Where nobody can stop for what was not looked at.
    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes.into_iter().chain(self.unfinished.as_deref().map(unfinished_words)).collect()
    }
}

#[cfg(unix)]
impl Guarded {
    /// What to say where a command failed because of what was looked after; nothing where that is not the reason.
    pub(super) fn explanation(&self, sandbox: Option<&Sandbox>, output: &str) -> &'static str {
        sandbox.and_then(|sandbox| sandbox.explanation(output, &self.found)).unwrap_or_default()
    }
}

#[cfg(not(unix))]
impl Guarding {
    #[expect(clippy::unused_async, reason = "the same on every platform")]
    pub(super) async fn begin(_: Option<&Sandbox>, _: Option<&Meanwhile>) -> Result<Self> {
        Ok(Self::default())
    }

    #[expect(clippy::unused_async, reason = "the same on every platform")]
    pub(super) async fn end(self) -> Guarded {
        Guarded::default()
    }
}

#[cfg(not(unix))]
impl Guarded {
    #[expect(clippy::unused_self, reason = "the same on every platform")]
    pub(super) fn explanation(&self, _: Option<&Sandbox>, _: &str) -> &'static str {
        ""
    }
}

#[cfg(not(unix))]
pub(super) fn as_output(_: &[String]) -> String {
    String::new()
}

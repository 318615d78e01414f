//! What the sandbox looks after while a command runs, and says of it when it has ended; nothing without a sandbox.

use crate::error::Result;
use crate::sandbox::Sandbox;
#[cfg(unix)]
use crate::sandbox::{Guard, Sensitive};

#[derive(Default)]
pub(super) struct Guarding {
    #[cfg(unix)]
    guard: Option<Guard>,
    #[cfg(unix)]
    none: Sensitive,
}

#[cfg(unix)]
impl Guarding {
    pub(super) async fn begin(sandbox: Option<&Sandbox>) -> Result<Self> {
        let Some(sandbox) = sandbox else { return Ok(Self::default()) };
        Ok(Self { guard: Some(sandbox.guard().await?), none: Sensitive::default() })
    }

    pub(super) fn git(&self) -> &Sensitive {
        self.guard.as_ref().map_or(&self.none, Guard::git)
    }

    /// To be told after what the command printed.
    pub(super) async fn end(self) -> String {
        let Some(guard) = self.guard else { return String::new() };
        // It does not panic, and would look again then.
        tokio::task::spawn_blocking(move || guard.finish()).await.unwrap_or_default()
    }
}

#[cfg(not(unix))]
impl Guarding {
    #[expect(clippy::unused_async, reason = "the same on every platform")]
    pub(super) async fn begin(_: Option<&Sandbox>) -> Result<Self> {
        Ok(Self::default())
    }

    #[expect(clippy::unused_async, reason = "the same on every platform")]
    pub(super) async fn end(self) -> String {
        String::new()
    }
}

/// What to say where a command failed because of it; nothing where that is not the reason.
#[cfg(unix)]
pub(super) fn explanation(sandbox: Option<&Sandbox>, output: &str) -> &'static str {
    sandbox.and_then(|sandbox| sandbox.explanation(output)).unwrap_or_default()
}

#[cfg(not(unix))]
pub(super) fn explanation(_: Option<&Sandbox>, _: &str) -> &'static str {
    ""
}

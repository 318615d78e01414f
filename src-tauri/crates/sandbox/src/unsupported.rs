//! No sandbox on this platform yet: commands are asked about instead of silently run without one.

use super::{SandboxSpec, SandboxStatus};
use arki_process::{ProcessError, Result};

const REASON: &str = if cfg!(windows) {
    "Windows has no sandbox yet. Commands run with your own rights, without an administrator's, and aren't confined."
} else {
    "There is no sandbox for this operating system yet."
};

/// Can't exist.
#[derive(Debug, Clone)]
pub(super) enum Restricted {}

impl Restricted {
    #[expect(clippy::unused_async, reason = "the same on every platform")]
    pub(super) async fn perform<T>(&self, _: impl FnOnce() -> T) -> Result<T> {
        match *self {}
    }

    pub(super) fn has_own_network(&self) -> bool {
        match *self {}
    }
}

pub(super) fn layers() -> Vec<SandboxStatus> {
    vec![probe()]
}

pub(super) fn probe() -> SandboxStatus {
    SandboxStatus::missing("none", REASON)
}

pub(super) fn prepare(_: &SandboxSpec) -> Result<(Restricted, String, Vec<String>)> {
    Err(ProcessError::SandboxUnavailable { reason: REASON.to_owned() })
}

pub(super) fn prepare_each(_: &SandboxSpec) -> Result<Vec<(Restricted, String, Vec<String>)>> {
    Ok(Vec::new())
}

pub(super) fn has_views() -> bool {
    false
}

pub(super) fn can_hide_secrets() -> bool {
    false
}

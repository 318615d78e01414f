//! Runs commands where nobody looks after what they take: the output alone is bounded.

use super::limits::{CommandLimits, Overrun};
use super::platform::Running;

/// Returns what `ulimit -u` is set to, where it is not known how many there are.
#[cfg(unix)]
pub(super) fn thread_limit(_: &CommandLimits) -> usize {
    10_000
}

/// There are none to be told of.
#[derive(Debug, Clone, Default)]
pub(super) struct Members;

pub(super) struct Watch;

impl Watch {
    pub(super) fn of(_: &Running, _: CommandLimits) -> Self {
        Self
    }

    pub(super) fn members(&self) -> Members {
        Members
    }

    pub(super) fn exceeded(&self) -> Option<Overrun> {
        None
    }

    /// Never.
    pub(super) async fn overran(&self) -> Overrun {
        std::future::pending().await
    }

    #[expect(clippy::unused_async, reason = "the same on every platform")]
    pub(super) async fn end_rest(self) {}
}

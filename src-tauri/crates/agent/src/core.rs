//! A core, a way in which an agent can work, and how a run's host lets it.

use crate::run_host::{RunEnd, RunHost, is_of_one_event};
use arki_domain::Error;
use async_trait::async_trait;

/// Decides a run's next step, again and again. It keeps nothing of its own: whatever it goes by is in the log and folded
/// by the host, so that a run goes on after a crash as after an approval.
#[async_trait]
pub trait Core: Send + Sync {
    fn name(&self) -> &'static str;

    /// Returns the text of its runs' system prompts that says how to work; it stands behind the base prompt.
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    /// Goes on until the run ends or has to wait. Fails only where the log does.
    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error>;
}

impl RunHost {
    /// Lets the core work until the run ends or has to wait.
    ///
    /// # Errors
    /// Only those of the log: without it nothing can be said to have happened.
    pub async fn run(mut self, core: &dyn Core) -> Result<RunEnd, Error> {
        self.calls.settle_hooks(&mut self.record).await?;
        self.subagents().take_up();
        let ended = match self.begin().await {
            Ok(None) => core.run(&mut self).await,
            Ok(Some(end)) => Ok(end),
            Err(fault) => Err(fault),
        };
        // However it stopped: nobody goes on with them but the run.
        self.parts.executor.rest_subagents().await;
        self.parts.executor.end_helpers().await;
        let ended = match ended {
            // Stopped by the user while it came to wait for something.
            Ok(_) if self.stops.cancel.is_cancelled() && !self.record.state.is_ended() => self.cancelled().await,
            ended => ended,
        };
        match ended {
            Err(fault) if is_of_one_event(&fault) => self.refused(fault).await,
            ended => ended,
        }
    }
}

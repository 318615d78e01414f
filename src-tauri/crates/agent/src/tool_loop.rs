//! The core `tool-loop`: ask the model, carry out its calls, until it has answered.

use crate::core::Core;
use crate::run_host::{RunEnd, RunHost};
use arki_domain::Error;
use arki_domain::projection::NextStep;
use async_trait::async_trait;

pub(crate) struct ToolLoop;

#[async_trait]
impl Core for ToolLoop {
    fn name(&self) -> &'static str {
        "tool-loop"
    }

    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error> {
        loop {
            if host.stops.cancel.is_cancelled() {
                host.stop_subagents().await?;
                return host.cancelled().await;
            }
            match host.record.state.next_step() {
                NextStep::Complete => {
                    host.hooks().deliver_steering().await?;
                    if host.record.state.next_step() == NextStep::Complete
                        && let Some(end) = host.completed_unless_held().await?
                    {
                        return Ok(end);
                    }
                }
                NextStep::Ended => return Ok(host.ended()),
                NextStep::Execute(_) | NextStep::AskModel if host.stops.pause.is_cancelled() => {
                    return host.paused().await;
                }
                NextStep::Execute(pending) => {
                    if let Some(end) = host.execute(&pending).await? {
                        return Ok(end);
                    }
                }
                NextStep::AwaitSubagents => {
                    if let Some(end) = host.await_subagents().await? {
                        return Ok(end);
                    }
                }
                NextStep::AskModel if host.is_out_of_budget() => {
                    if let Some(end) = host.out_of_budget().await? {
                        return Ok(end);
                    }
                }
                NextStep::AskModel => {
                    host.hooks().deliver_steering().await?;
                    if let Some(end) = host.ask_model().await? {
                        return Ok(end);
                    }
                }
            }
        }
    }
}

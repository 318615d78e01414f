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
            let end = match host.record.state.next_step() {
                NextStep::Complete => {
                    host.hooks().deliver_steering().await?;
                    match host.record.state.next_step() {
                        NextStep::Complete => host.completed_unless_held().await?,
                        _ => None,
                    }
                }
                NextStep::Ended => return Ok(host.ended()),
                NextStep::Execute(_) | NextStep::AskModel if host.stops.pause.is_cancelled() => {
                    return host.paused().await;
                }
                NextStep::Execute(pending) => host.execute(&pending).await?,
                NextStep::AwaitSubagents => host.await_subagents().await?,
                NextStep::AskModel if host.is_out_of_budget() => host.out_of_budget().await?,
                NextStep::AskModel => {
                    host.hooks().deliver_steering().await?;
                    host.ask_model().await?
                }
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }
}

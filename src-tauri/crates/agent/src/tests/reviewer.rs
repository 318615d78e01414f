//! The core `reviewer`: works like `tool-loop`, then has the model criticise its own answer before it answers the user.

use crate::answer::ask::Ask;
use crate::core::Core;
use crate::run_host::{RunEnd, RunHost};
use arki_domain::projection::NextStep;
use arki_domain::{ContextAdded, Error, STAGE_PART, Stage, TokenType};
use async_trait::async_trait;

const CRITICISE: &str = "[Before the user sees your answer: what in it is wrong, missing or not shown by what you have \
    read? Check that with your tools. Then write the answer as it should be.]";

/// An answer that is only a draft, and its calls.
const DRAFT: Ask = Ask { stage: Some(Stage::Execute), said_as: TokenType::AgentThoughtLlmResponse, ..Ask::TURN };
/// The answer for the user.
const ANSWER: Ask = Ask { stage: Some(Stage::Synthesize), said_as: TokenType::FinalSynthesisLlmResponse, ..Ask::TURN };

pub(crate) struct Reviewer;

#[async_trait]
impl Core for Reviewer {
    fn name(&self) -> &'static str {
        "reviewer"
    }

    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error> {
        loop {
            if host.stops.cancel.is_cancelled() {
                return host.cancelled().await;
            }
            // The log says which request was the last one, so that a crash changes nothing.
            let is_reviewed = host.record.state.stages.stage == Some(Stage::Synthesize);
            match host.record.state.next_step() {
                NextStep::Ended => return Ok(host.ended()),
                NextStep::Complete if is_reviewed => {
                    host.hooks().deliver_steering().await?;
                    if host.record.state.next_step() == NextStep::Complete
                        && let Some(end) = host.completed_unless_held().await?
                    {
                        return Ok(end);
                    }
                }
                _ if host.stops.pause.is_cancelled() => return host.paused().await,
                NextStep::Execute(call) => {
                    if let Some(end) = host.execute(&call).await? {
                        return Ok(end);
                    }
                }
                NextStep::AwaitSubagents => {
                    if let Some(end) = host.await_subagents().await? {
                        return Ok(end);
                    }
                }
                NextStep::Complete | NextStep::AskModel if host.is_out_of_budget() => {
                    if let Some(end) = host.out_of_budget().await? {
                        return Ok(end);
                    }
                }
                NextStep::Complete => {
                    if !host.record.state.stages.is_told {
                        host.record.append(vec![ContextAdded::new(STAGE_PART, "criticise", CRITICISE).into()]).await?;
                    }
                    if let Some(end) = host.ask_for(ANSWER).await? {
                        return Ok(end);
                    }
                }
                NextStep::AskModel => {
                    host.hooks().deliver_steering().await?;
                    if let Some(end) = host.ask_for(if is_reviewed { ANSWER } else { DRAFT }).await? {
                        return Ok(end);
                    }
                }
            }
        }
    }
}

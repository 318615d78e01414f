//! The core `pes`, for plan, execute, synthesize (seed 004): the model plans, its calls are carried out, and it answers
//! from their results.
//!
//! The stage a run is in is on the log: each request says it, and a plan is an event of its own. So a run that was cut
//! off goes on with the stage it was in. The stages are explained in the system prompt, and the model is told more only
//! where it could not know: messages are never changed, and results stay the last ones where nothing else is due.

mod approving;
mod next;
mod reading;
mod telling;
mod ticking;

use crate::answer::ask::Ask;
use crate::core::Core;
use crate::run_host::{RunEnd, RunHost};
use crate::run_log::RunLog;
use arki_domain::projection::PLANNING_CORE;
use arki_domain::{Code, ContextAdded, Error, PlanUpdated, STAGE_PART, Stage, TokenType};
use async_trait::async_trait;
use next::{Next, next};
pub(crate) use reading::calls;
use ticking::{TickMoment, ticked};

pub(crate) struct PlanExecuteSynthesize;

#[async_trait]
impl Core for PlanExecuteSynthesize {
    fn name(&self) -> &'static str {
        PLANNING_CORE
    }

    fn instructions(&self) -> Option<&'static str> {
        Some(include_str!("pes/instructions.md"))
    }

    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error> {
        loop {
            if host.stops.cancel.is_cancelled() {
                host.stop_subagents().await?;
                return host.cancelled().await;
            }
            let end = match next(&host.record.state) {
                Next::Complete => {
                    host.hooks().deliver_steering().await?;
                    match next(&host.record.state) {
                        Next::Complete => {
                            tick(&mut host.record, TickMoment::End).await?;
                            host.completed_unless_held().await?
                        }
                        _ => None,
                    }
                }
                Next::Ended => return Ok(host.ended()),
                Next::AskUser => approving::ask_user(&mut host.record).await?,
                Next::AwaitUser(approval_id) => {
                    host.subagents().rest().await?;
                    return approving::await_decision(&mut host.record, approval_id).await;
                }
                Next::DropCalls(why) => approving::drop_calls(&mut host.record, why).await.map(|()| None)?,
                Next::Unreadable(why) => return host.failed(unreadable(&why), None).await,
                Next::Execute(_) | Next::Ask(_) if host.stops.pause.is_cancelled() => return host.paused().await,
                Next::Execute(pending) => {
                    let end = host.execute(&pending).await?;
                    tick(&mut host.record, TickMoment::Between).await?;
                    end
                }
                Next::AwaitSubagents => host.await_subagents().await?,
                Next::Ask(_) if host.is_out_of_budget() => host.out_of_budget().await?,
                Next::Ask(stage) => {
                    host.hooks().deliver_steering().await?;
                    tell(&mut host.record, stage).await?;
                    host.ask_for(asking(stage)).await?
                }
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }
}

fn asking(stage: Stage) -> Ask {
    let said_as = match stage {
        Stage::Synthesize => TokenType::FinalSynthesisLlmResponse,
        Stage::Plan | Stage::Repair | Stage::Execute | Stage::Replan => TokenType::AgentThoughtLlmResponse,
    };
    let read = match stage {
        Stage::Plan | Stage::Repair | Stage::Replan => reading::plan,
        Stage::Execute => reading::calls,
        Stage::Synthesize => reading::synthesis,
    };
    Ask { stage: Some(stage), said_as, read }
}

fn unreadable(why: &str) -> Error {
    let message = format!("The model's plan can't be read. {why} Arki asked for it {} more times.", next::MAX_REPAIRS);
    let hint = "Try again, choose another model, or use --core tool-loop. The log has the model's words.";
    Error::new(Code::OUTPUT_PARSING_FAILED, message, hint)
}

/// Tells the model what it could not know of the next stage, once.
async fn tell(log: &mut RunLog, stage: Stage) -> Result<(), Error> {
    let is_again = !log.state.stages.is_answered || log.state.stages.is_told;
    match telling::words(stage, &log.state, log.progress.plan.current()) {
        Some(words) if !is_again => {
            log.append(vec![ContextAdded::new(STAGE_PART, telling::name(stage), words).into()]).await
        }
        _ => Ok(()),
    }
}

/// Says which steps of the plan are done, if that is news.
async fn tick(log: &mut RunLog, moment: TickMoment) -> Result<(), Error> {
    match log.progress.plan.current().and_then(|plan| ticked(plan, &log.state.stages, moment)) {
        Some(steps) => log.append(vec![PlanUpdated { intent: String::new(), steps }.into()]).await,
        None => Ok(()),
    }
}

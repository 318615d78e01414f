//! Hooks on trial: those that are for something run as in a run, in the same sandbox, but nothing is recorded, nothing
//! follows, and the project is read-only for all of them.

use super::hook_runner::{HookRunner, HookTask, told_of};
use super::judging::call_of;
use crate::hooks::answer::HookAnswer;
use crate::hooks::input::sent_args;
use crate::hooks::occasion::{HookOccasion, HookedCall};
use crate::hooks::{Hook, foreign};
use arki_domain::{CallContext, HookEvent, HookMoment, HookRan, RunId, RunOptions, SessionId, ToolCall, ToolResult};
use serde_json::Value;

/// The session, the run and the call that hooks on trial are told.
const TRIAL: &str = "trial";

/// A made-up event in a run.
#[derive(Debug, Clone)]
pub enum HookTrial {
    Call {
        event: HookEvent,
        tool: String,
        args: Value,
        /// The result, for an event after the call.
        result: String,
    },
    Moment(HookMoment),
}

/// A hook that ran on trial.
#[derive(Debug, Clone)]
pub struct TriedHook {
    pub ran: HookRan,
    /// The words for the model.
    pub context: Option<String>,
}

impl HookRunner {
    /// Runs the hooks that are for it one after another, until one blocks it; none in a folder that isn't trusted.
    pub(super) async fn try_hooks(&self, trial: &HookTrial) -> Vec<TriedHook> {
        let mut tried: Vec<TriedHook> = Vec::new();
        if !self.runs_hooks() {
            return tried;
        }
        let (event, occasion) = match trial {
            HookTrial::Moment(moment) => (moment.event(), HookOccasion::Moment(moment.clone())),
            HookTrial::Call { event, tool, args, result } => (*event, self.call_on_trial(*event, (tool, args), result)),
        };
        let command = occasion.call().and_then(|call| call.command.as_deref());
        if event == HookEvent::PreCommit && !command.is_some_and(arki_policy::may_commit) {
            return tried;
        }
        for hook in self.settings.hooks.iter().filter(|hook| hook.event == event) {
            if tried.last().is_some_and(|tried| tried.ran.blocks()) {
                break;
            }
            tried.extend(self.try_hook(hook, trial, &occasion).await);
        }
        tried
    }

    async fn try_hook(&self, hook: &Hook, trial: &HookTrial, occasion: &HookOccasion) -> Option<TriedHook> {
        let spoken = hook.condition.matched(occasion)?;
        let context = context();
        let mut ran = self.carry_out_hook(HookTask::reading(hook, (occasion, &spoken), &context)).await;
        if let HookTrial::Moment(moment) = trial {
            ran.answer = ran.answer.at(moment);
        }
        let mut event = told_of(hook, &ran, None);
        let HookAnswer { args: wanted, context, .. } = ran.answer;
        event.args = wanted.zip(occasion.call()).map(|(wanted, call)| {
            let root = self.settings.project.root();
            foreign::updated(call, &sent_args(call, &spoken, root), &wanted, root)
        });
        Some(TriedHook { ran: event, context })
    }

    fn call_on_trial(&self, event: HookEvent, (tool, args): (&str, &Value), result: &str) -> HookOccasion {
        let call = ToolCall { turn: 1, ..call_of(TRIAL, tool, args.clone()) };
        let hooked: HookedCall = self.hooked_call(&call);
        match event {
            HookEvent::PostToolUse => {
                HookOccasion::After(hooked, Box::new(ToolResult::new(call.call_id, call.tool_id, result.to_owned())))
            }
            _ => HookOccasion::Before(hooked),
        }
    }
}

fn context() -> CallContext {
    CallContext {
        session_id: SessionId::from(TRIAL),
        run_id: RunId::from(TRIAL),
        options: RunOptions::default(),
        time_left: None,
        cost_left_usd: None,
        previous: None,
        sees_pictures: false,
        agent_state: Default::default(),
        last_seq: 0,
        cancel: Default::default(),
        pause: Default::default(),
    }
}

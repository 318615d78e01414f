//! Hooks around a call: those that are meant run one after another, and what they say goes into the log before anything
//! follows from it.
//!
//! Before a call is decided on, a hook may object, change the arguments or add context; after it was carried out, it may
//! object or add context. An objection becomes part of the policy's question, where it only tightens. Hooks run in
//! trusted folders only: their commands may load what lies there.

use super::call_log::CallLog;
use super::formatting::{Formatted, Formatter, Formatting};
use super::hook_runner::{HookRunner, HookTask, context, told_of};
use super::judging::Judge;
use super::record::Record;
use super::run_stop::RunStop;
use super::subject::judged_as;
use crate::hooks::answer::HookAnswer;
use crate::hooks::input::sent_args;
use crate::hooks::occasion::HookOccasion;
use crate::hooks::{Hook, HookAction, foreign};
use arki_domain::projection::{FinishedCall, PendingCall};
use arki_domain::{Code, Error, Event, EventBody, HookEvent, HookOutcome, HookRan, ToolCall, ToolResult};
use arki_policy::Objection;
use arki_sandbox::ProjectAccess;
use serde_json::Value;
use std::sync::Arc;

const UNANSWERED: &str = "It was interrupted: Arki ended before it had answered. It was not run again.";

/// The effect of hooks on a call before it is decided on.
#[derive(Default)]
pub(super) struct BeforeCall {
    /// The call with the arguments that hooks want.
    pub(super) changed: Option<PendingCall>,
    /// The user stopped the run meanwhile.
    pub(super) is_cancelled: bool,
}

/// Runs the hooks around calls.
pub(super) struct CallHooks {
    pub(super) runner: Arc<HookRunner>,
    pub(super) formatter: Formatter,
    pub(super) judge: Arc<Judge>,
    pub(super) call_log: CallLog,
    pub(super) stop: Arc<RunStop>,
}

impl CallHooks {
    /// Runs the hooks that come before a call. A call that is denied anyway, or can't be made, needs none.
    pub(super) async fn before_call(
        &self,
        pending: &PendingCall,
        record: &mut Record<'_>,
    ) -> Result<BeforeCall, Error> {
        let mut before = BeforeCall::default();
        if !self.runner.has_hooks_for(&pending.call) || self.judge.is_denied_anyway(&pending.call, record.approve()) {
            return Ok(before);
        }
        let mut call = self.runner.hooked_call(&pending.call);
        let commits = call.command.as_deref().is_some_and(arki_policy::may_commit);
        for hook in &self.runner.settings.hooks {
            let is_of_event = hook.event == HookEvent::PreToolUse || (commits && hook.event == HookEvent::PreCommit);
            let occasion = HookOccasion::Before(call.clone());
            let Some(spoken) = is_of_event.then(|| self.runner.spoken_to(hook, &occasion)).flatten() else { continue };
            let task = HookTask::reading(hook, (&occasion, &spoken), record.context);
            let ran = self.runner.carry_out_hook(task).await;
            let wanted = ran.answer.args.as_ref().map(|wanted| {
                let root = self.runner.settings.project.root();
                foreign::updated(&call, &sent_args(&call, &spoken, root), wanted, root)
            });
            let wanted = wanted.filter(|wanted| *wanted != call.args && ran.answer.outcome != HookOutcome::Blocked);
            let mut event = told_of(hook, &ran, Some(&pending.call));
            event.args.clone_from(&wanted);
            let context = ran.answer.context.as_deref().map(|text| context(hook, text));
            record.note(std::iter::once(event.into()).chain(context).collect()).await?;
            if let Some(args) = wanted {
                let changed = before.changed.get_or_insert_with(|| pending.clone());
                self.set_args(&mut changed.call, args);
                call = self.runner.hooked_call(&changed.call);
            }
            before.is_cancelled = ran.answer.outcome == HookOutcome::Cancelled;
            if self.object(hook, &ran.answer, record) || before.is_cancelled {
                break;
            }
        }
        Ok(before)
    }

    /// Takes a hook's objection to the policy; returns whether no other hook need be asked.
    fn object(&self, hook: &Hook, answer: &HookAnswer, record: &mut Record<'_>) -> bool {
        let denies = match answer.outcome {
            HookOutcome::Blocked | HookOutcome::Stopped => true,
            HookOutcome::Asked => false,
            _ => return false,
        };
        let reason = answer.reason.clone().unwrap_or_default();
        if answer.outcome == HookOutcome::Stopped {
            self.stop.stop(stopped_by(hook, &reason));
        }
        record.object(Objection { hook: hook.name.clone(), denies, reason });
        denies
    }

    /// Runs the hooks that come after a call, if it was carried out in this record.
    pub(super) async fn after_call(&self, pending: &PendingCall, record: &mut Record<'_>) -> Result<(), Error> {
        if !self.runner.has_hooks_for(&pending.call) {
            return Ok(());
        }
        let Some(result) = carried_out(&pending.call, record.events()) else { return Ok(()) };
        let occasion = HookOccasion::After(self.runner.hooked_call(&pending.call), Box::new(result));
        let tool = self.judge.toolbox.tool(&pending.call.tool_id);
        for hook in self.runner.settings.hooks.iter().filter(|hook| hook.event == HookEvent::PostToolUse) {
            let Some(spoken) = self.runner.spoken_to(hook, &occasion) else { continue };
            let formatting = self.formatter.begin_formatting(hook, (tool, &pending.call), record).await?;
            let access = if formatting.is_some() { ProjectAccess::Writable } else { ProjectAccess::ReadOnly };
            let view = formatting.as_ref().and_then(Formatting::view);
            let task = HookTask { access, view, ..HookTask::reading(hook, (&occasion, &spoken), record.context) };
            let ran = self.runner.carry_out_hook(task).await;
            let formatted = match formatting {
                Some(formatting) => self.formatter.end_formatting(formatting, record.context).await?,
                None => Formatted::default(),
            };
            let answer = &ran.answer;
            let effect = formatted.words();
            let texts = [effect.as_deref(), answer.reason.as_deref(), answer.context.as_deref()];
            let contexts: Vec<EventBody> = texts.into_iter().flatten().map(|text| context(hook, text)).collect();
            let ended = formatted.told_in(told_of(hook, &ran, Some(&pending.call)));
            record.note(ended.into_iter().chain(contexts).collect()).await?;
            if answer.outcome == HookOutcome::Stopped {
                self.stop.stop(stopped_by(hook, answer.reason.as_deref().unwrap_or_default()));
            }
            if matches!(answer.outcome, HookOutcome::Stopped | HookOutcome::Cancelled) {
                break;
            }
        }
        Ok(())
    }

    /// Tells of the hooks after a call that had not answered when Arki ended. They may have begun, so they are not run.
    pub(super) async fn tell_unanswered(&self, finished: &FinishedCall, record: &mut Record<'_>) -> Result<(), Error> {
        let call = &finished.call;
        if !self.runner.has_hooks_for(call) {
            return Ok(());
        }
        let events = self.call_log.log.read_after(&record.context.session_id, 0).await?;
        let Some(result) = carried_out(call, &events) else { return Ok(()) };
        let occasion = HookOccasion::After(self.runner.hooked_call(call), Box::new(result));
        let mut answered = finished.answered.clone();
        let is_on = |hook: &&Hook| !matches!(hook.action, HookAction::Off { .. });
        for hook in self.runner.settings.hooks.iter().filter(|hook| hook.event == HookEvent::PostToolUse).filter(is_on)
        {
            let is_it = |known: &(String, String)| known.0 == hook.name && known.1 == hook.action.command();
            if let Some(place) = answered.iter().position(is_it) {
                answered.remove(place);
            } else if hook.condition.matched(&occasion).is_some() {
                let ran = HookRan::new(hook.event, &hook.name, hook.action.command());
                let (outcome, call_id) = (Some(HookOutcome::Interrupted), Some(call.call_id.clone()));
                record.note(vec![HookRan { outcome, call_id, ..ran }.into(), context(hook, UNANSWERED)]).await?;
            }
        }
        Ok(())
    }

    /// The arguments of a call that is only handed on stand within its own.
    fn set_args(&self, call: &mut ToolCall, args: Value) {
        match self.judge.toolbox.tool(&call.tool_id).and_then(|tool| judged_as(tool, &call.args)) {
            Some(_) => call.args["arguments"] = args,
            None => call.args = args,
        }
    }
}

/// The result of a call that was carried out, not refused or impossible.
fn carried_out(call: &ToolCall, events: &[Arc<Event>]) -> Option<ToolResult> {
    let bodies: Vec<EventBody> = events.iter().map(|event| event.body()).collect();
    let is_begun = bodies.iter().any(|body| match body {
        EventBody::PolicyDecided(decided) => decided.call_id == call.call_id && decided.decision.is_unasked(),
        EventBody::FileChanged(changed) => changed.call_id == call.call_id,
        _ => false,
    });
    let result = bodies.into_iter().find_map(|body| match body {
        EventBody::ToolResult(result) if result.call_id == call.call_id => Some(result),
        _ => None,
    })?;
    (is_begun && !(result.is_error && result.code.is_some())).then_some(result)
}

fn stopped_by(hook: &Hook, reason: &str) -> Error {
    let hint = "Resume the run with `arki resume` once the cause is gone, or change the hook.";
    Error::new(Code::HOOK_STOPPED, format!("The hook {:?} stopped the run: {reason}", hook.name), hint)
}

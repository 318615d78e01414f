//! Hooks around a call: those that are meant run one after another, and what they say goes into the log before anything
//! follows from it.
//!
//! Before a call is decided on, a hook may object, change the arguments or add context; after it was carried out, it may
//! object or add context. An objection becomes part of the policy's question, where it only tightens. Hooks run in
//! trusted folders only: their commands may load what lies there.

use super::Kernel;
use super::formatting::Formatted;
use super::record::Record;
use crate::hooks::answer::{self, HookAnswer};
use crate::hooks::condition::ToolNaming;
use crate::hooks::input::{HookedRun, input, sent_args};
use crate::hooks::occasion::{HookedCall, Occasion};
use crate::hooks::{Hook, HookAction, HookCommand, HookOrigin, MAX_HOOK_OUTPUT_BYTES, MAX_HOOK_WRITTEN_BYTES, foreign};
use arki_domain::projection::{FinishedCall, PendingCall};
use arki_domain::{
    CallContext, Code, ContextAdded, Decision, Event, EventBody, Fault, HOOK_PART, HookEvent, HookOutcome, HookRan,
    ToolCall, ToolResult,
};
use arki_policy::{Impact, Objection};
use arki_process::{AnsweringSpec, CancellationToken, CommandLimits, Meanwhile, run_answering};
use arki_sandbox::{ProjectAccess, Sandbox};
use serde_json::Value;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

pub(super) const CHANGED: &str =
    "It did not run: the hook or a script of it changed since you approved it. `arki trust` shows the change.";
const UNANSWERED: &str = "It was interrupted: Arki ended before it had answered. It was not run again.";

/// The effect of hooks on a call before it is decided on.
#[derive(Default)]
pub(super) struct BeforeCall {
    /// The call with the arguments that hooks want.
    pub(super) changed: Option<PendingCall>,
    /// The user stopped the run meanwhile.
    pub(super) is_cancelled: bool,
}

/// A hook that is to run.
#[derive(Clone, Copy)]
pub(super) struct HookTask<'a> {
    pub(super) hook: &'a Hook,
    pub(super) occasion: &'a Occasion,
    /// The JSON on its standard input.
    pub(super) told: &'a Value,
    pub(super) access: ProjectAccess,
}

/// A hook that ran.
pub(super) struct Ran {
    pub(super) answer: HookAnswer,
    pub(super) exit_code: Option<i32>,
    pub(super) duration: Duration,
}

impl Kernel {
    /// Returns whether a hook is for this call, before or after it.
    pub(super) fn has_hooks_for(&self, call: &ToolCall) -> bool {
        self.has_hooks_of(call, HookEvent::is_of_call)
    }

    /// Returns whether a hook comes before this call, where it could object.
    pub(super) fn has_hooks_before(&self, call: &ToolCall) -> bool {
        self.has_hooks_of(call, |event| event == HookEvent::PreToolUse)
    }

    fn has_hooks_of(&self, call: &ToolCall, is_of_event: fn(HookEvent) -> bool) -> bool {
        if !self.runs_hooks() {
            return false;
        }
        let occasion = Occasion::Before(self.hooked_call(call));
        let is_meant = |hook: &Hook| is_of_event(hook.event) && hook.condition.matched(&occasion).is_some();
        self.settings.hooks.iter().any(is_meant)
    }

    /// How a hook that is for this is spoken to; one that is off has its say once a run.
    pub(super) fn spoken_to(&self, hook: &Hook, occasion: &Occasion) -> Option<ToolNaming> {
        let spoken = hook.condition.matched(occasion)?;
        let HookAction::Off { line, .. } = &hook.action else { return Some(spoken) };
        let mut told = self.told_off.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert((hook.event.name(), line.clone())).then_some(spoken)
    }

    pub(super) fn runs_hooks(&self) -> bool {
        self.settings.trusted && !self.settings.hooks.is_empty()
    }

    /// Runs the hooks that come before a call. A call that is denied anyway, or can't be made, needs none.
    pub(super) async fn before_call(
        &self,
        pending: &PendingCall,
        record: &mut Record<'_>,
    ) -> Result<BeforeCall, Fault> {
        let mut before = BeforeCall::default();
        if !self.has_hooks_for(&pending.call) || self.is_denied_anyway(&pending.call, record) {
            return Ok(before);
        }
        let mut call = self.hooked_call(&pending.call);
        let commits = call.command.as_deref().is_some_and(arki_policy::may_commit);
        for hook in &self.settings.hooks {
            let is_of_event = hook.event == HookEvent::PreToolUse || (commits && hook.event == HookEvent::PreCommit);
            let occasion = Occasion::Before(call.clone());
            let Some(spoken) = is_of_event.then(|| self.spoken_to(hook, &occasion)).flatten() else { continue };
            let told = input(hook.event, &occasion, &spoken, self.hooked_run(record.context()));
            let task = HookTask { hook, occasion: &occasion, told: &told, access: ProjectAccess::ReadOnly };
            let ran = self.carry_out_hook(task, record.cancel().clone()).await;
            let wanted = ran.answer.args.as_ref().map(|wanted| {
                let root = self.settings.project.root();
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
                call = self.hooked_call(&changed.call);
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
            let _ = self.stopped.set(stopped_by(hook, &reason));
        }
        record.object(Objection { hook: hook.name.clone(), denies, reason });
        denies
    }

    fn is_denied_anyway(&self, call: &ToolCall, record: &Record<'_>) -> bool {
        let Some(tool) = self.tool(&call.tool_id) else { return true };
        let subject = self.subject_of(Some(tool), &call.args);
        let verdict = self.decide(&call.tool_id, &subject, record.approve(), Impact::default());
        verdict.decision == Decision::Deny || super::usable(tool, call, &subject).is_err()
    }

    /// Runs the hooks that come after a call, if it was carried out in this record.
    pub(super) async fn after_call(&self, pending: &PendingCall, record: &mut Record<'_>) -> Result<(), Fault> {
        if !self.has_hooks_for(&pending.call) {
            return Ok(());
        }
        let Some(result) = carried_out(&pending.call, record.events()) else { return Ok(()) };
        let occasion = Occasion::After(self.hooked_call(&pending.call), Box::new(result));
        for hook in self.settings.hooks.iter().filter(|hook| hook.event == HookEvent::PostToolUse) {
            let Some(spoken) = self.spoken_to(hook, &occasion) else { continue };
            let told = input(hook.event, &occasion, &spoken, self.hooked_run(record.context()));
            let formatting = self.begin_formatting(hook, &pending.call, record).await?;
            let access = if formatting.is_some() { ProjectAccess::Writable } else { ProjectAccess::ReadOnly };
            let task = HookTask { hook, occasion: &occasion, told: &told, access };
            let ran = self.carry_out_hook(task, record.cancel().clone()).await;
            let formatted = match &formatting {
                Some(formatting) => self.end_formatting(formatting, record.context()).await?,
                None => Formatted::default(),
            };
            let answer = &ran.answer;
            let effect = formatted.words();
            let texts = [effect.as_deref(), answer.reason.as_deref(), answer.context.as_deref()];
            let contexts: Vec<EventBody> = texts.into_iter().flatten().map(|text| context(hook, text)).collect();
            let ended = formatted.told_in(told_of(hook, &ran, Some(&pending.call)));
            record.note(ended.into_iter().chain(contexts).collect()).await?;
            if answer.outcome == HookOutcome::Stopped {
                let _ = self.stopped.set(stopped_by(hook, answer.reason.as_deref().unwrap_or_default()));
            }
            if matches!(answer.outcome, HookOutcome::Stopped | HookOutcome::Cancelled) {
                break;
            }
        }
        Ok(())
    }

    /// Tells of the hooks after a call that had not answered when Arki ended. They may have begun, so they are not run.
    pub(super) async fn tell_unanswered(&self, finished: &FinishedCall, record: &mut Record<'_>) -> Result<(), Fault> {
        let call = &finished.call;
        if !self.has_hooks_for(call) {
            return Ok(());
        }
        let events = self.log.read_after(&record.context().session_id, 0).await?;
        let Some(result) = carried_out(call, &events) else { return Ok(()) };
        let occasion = Occasion::After(self.hooked_call(call), Box::new(result));
        let mut answered = finished.answered.clone();
        let is_on = |hook: &&Hook| !matches!(hook.action, HookAction::Off { .. });
        for hook in self.settings.hooks.iter().filter(|hook| hook.event == HookEvent::PostToolUse).filter(is_on) {
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

    pub(super) fn hooked_run<'a>(&'a self, context: &'a CallContext) -> HookedRun<'a> {
        HookedRun {
            session_id: &context.session_id,
            run_id: &context.run_id,
            approve: context.options.approve,
            root: self.settings.project.root(),
        }
    }

    /// A call as hooks see it: secrets are placeholders, and links are followed too.
    pub(super) fn hooked_call(&self, call: &ToolCall) -> HookedCall {
        let judged_as = self.judged_as(&call.tool_id, &call.args);
        let touched = self.tool(&call.tool_id).map(|tool| tool.touches(&call.args)).unwrap_or_default();
        let words = touched.command.iter().chain(&touched.mentions).flat_map(|line| arki_policy::file_words(line));
        let words: Vec<String> = touched.paths.iter().cloned().chain(words).collect();
        let mut paths: Vec<String> = Vec::new();
        for word in words {
            let named = self.settings.project.resolve(&word).ok().map(|path| path.to_string());
            for path in named.into_iter().chain(self.real(&word)) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        let (tool, args) = match judged_as {
            Some(judged_as) => (judged_as.tool, judged_as.args),
            None => (call.tool_id.clone(), call.args.clone()),
        };
        HookedCall {
            call_id: call.call_id.to_string(),
            tool,
            args: self.redactor.redact_json(args),
            paths,
            command: touched.command,
        }
    }

    /// The arguments of a call that is only handed on stand within its own.
    fn set_args(&self, call: &mut ToolCall, args: Value) {
        match self.judged_as(&call.tool_id, &call.args) {
            Some(_) => call.args["arguments"] = args,
            None => call.args = args,
        }
    }

    pub(super) async fn carry_out_hook(&self, task: HookTask<'_>, cancel: CancellationToken) -> Ran {
        let started = Instant::now();
        if let HookOrigin::Project(file) = task.hook.origin
            && !self.settings.standing.is_agreed(file, task.hook.action.line())
        {
            return Ran { answer: not_as_agreed(task.hook.event), exit_code: None, duration: started.elapsed() };
        }
        let text = |text: &str| crate::hooks::bounded(&task.occasion.fill(text));
        let passed = HookAnswer::of(HookOutcome::Passed);
        let answer = match &task.hook.action {
            HookAction::Inject(words) => HookAnswer { context: Some(text(words)), ..passed },
            HookAction::Log(words) => HookAnswer { said: Some(text(words)), ..passed },
            HookAction::Remind(words) => HookAnswer { context: Some(text(words)), said: Some(text(words)), ..passed },
            HookAction::Off { why, .. } => HookAnswer {
                said: Some(format!("Arki can't pin what it runs ({why}). `arki trust --with-unpinned` turns it on.")),
                ..HookAnswer::of(HookOutcome::Off)
            },
            HookAction::Command(command) => return self.run_hook_command(task, command, cancel).await,
        };
        Ran { answer, exit_code: None, duration: started.elapsed() }
    }

    async fn run_hook_command(&self, task: HookTask<'_>, command: &HookCommand, cancel: CancellationToken) -> Ran {
        let hook = task.hook;
        let started = Instant::now();
        let failed = |why: String| Ran {
            answer: HookAnswer::trouble(HookOutcome::Failed, &why),
            exit_code: None,
            duration: started.elapsed(),
        };
        let room = match self.hook_room() {
            Ok(room) => room,
            Err(error) => return failed(error.to_string()),
        };
        let sandbox = match room.sandbox(task.access, command.network) {
            Ok(sandbox) => sandbox,
            Err(error) => return failed(error.to_string()),
        };
        let standing = self.settings.standing.clone();
        let limits = self.settings.limits.command;
        let spec = AnsweringSpec {
            name: format!("hook {}", hook.name),
            command_line: command.line.clone(),
            directory: self.settings.project.root().to_owned(),
            environment: room.environment.clone(),
            sandbox: sandbox.as_ref().map(Sandbox::as_confinement),
            time_limit: command.time_limit,
            limits: CommandLimits { max_written_bytes: limits.max_written_bytes.min(MAX_HOOK_WRITTEN_BYTES), ..limits },
            max_kept_bytes: MAX_HOOK_OUTPUT_BYTES,
            meanwhile: Meanwhile::new(move |notes| notes.into_iter().for_each(|note| standing.tell(note))),
        };
        match run_answering(spec, task.told.to_string().into_bytes(), cancel).await {
            Ok(answered) => Ran {
                answer: answer::read(hook.event, &answered, command.time_limit),
                exit_code: answered.exit_code,
                duration: answered.duration,
            },
            Err(error) => failed(error.to_string()),
        }
    }
}

/// The result of a call that was carried out, not refused or impossible.
fn carried_out(call: &ToolCall, events: &[Arc<Event>]) -> Option<ToolResult> {
    let bodies: Vec<EventBody> = events.iter().map(|event| event.body()).collect();
    let is_begun = bodies.iter().any(|body| match body {
        EventBody::PolicyDecided(decided) => decided.call_id == call.call_id && decided.decision == Decision::Allow,
        EventBody::FileChanged(changed) => changed.call_id == call.call_id,
        _ => false,
    });
    let result = bodies.into_iter().find_map(|body| match body {
        EventBody::ToolResult(result) if result.call_id == call.call_id => Some(result),
        _ => None,
    })?;
    (is_begun && !(result.is_error && result.code.is_some())).then_some(result)
}

/// A guard that changed may have forbidden what it is asked about, so that the user is asked; any other hook is left out.
fn not_as_agreed(event: HookEvent) -> HookAnswer {
    match event {
        HookEvent::PreToolUse | HookEvent::PreCommit => {
            HookAnswer { reason: Some(CHANGED.to_owned()), ..HookAnswer::trouble(HookOutcome::Asked, CHANGED) }
        }
        HookEvent::SessionStart
        | HookEvent::UserPromptSubmit
        | HookEvent::PostToolUse
        | HookEvent::Stop
        | HookEvent::Notification => HookAnswer::trouble(HookOutcome::Failed, CHANGED),
    }
}

pub(super) fn told_of(hook: &Hook, ran: &Ran, call: Option<&ToolCall>) -> HookRan {
    let answer = &ran.answer;
    HookRan {
        exit_code: ran.exit_code,
        duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
        outcome: Some(answer.outcome),
        call_id: call.map(|call| call.call_id.clone()),
        said: answer.said.clone().or_else(|| answer.reason.clone()),
        ..HookRan::new(hook.event, &hook.name, hook.action.command())
    }
}

/// Returns a hook's words for the model, with its name: the model must not take them for the user's.
pub(super) fn context(hook: &Hook, text: &str) -> EventBody {
    context_of(&hook.name, hook.event, text)
}

pub(super) fn context_of(hook: &str, event: HookEvent, text: &str) -> EventBody {
    let text = format!("[From the hook {hook:?}, at {event}]\n{text}");
    ContextAdded::new(HOOK_PART, hook, text).into()
}

fn stopped_by(hook: &Hook, reason: &str) -> Fault {
    Fault::new(
        Code::HOOK_STOPPED,
        format!("The hook {:?} stopped the run: {reason}", hook.name),
        "Resume the run with `arki resume` once the cause is gone, or change the hook.",
    )
}

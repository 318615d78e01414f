//! Runs a hook: which ones are meant, what they are told of a call, and what their answer is.

use super::ExecutorSettings;
use super::command_sandbox::{CommandRooms, in_view};
use super::subject::{judged_as, real};
use crate::hooks::answer::{self, HookAnswer};
use crate::hooks::condition::ToolNaming;
use crate::hooks::input::{HookedRun, input};
use crate::hooks::occasion::{HookOccasion, HookedCall};
use crate::hooks::{Hook, HookAction, HookCommand, HookOrigin, MAX_HOOK_OUTPUT_BYTES, MAX_HOOK_WRITTEN_BYTES};
use crate::tool::Tool;
use arki_domain::{CallContext, ContextAdded, EventBody, HOOK_PART, HookEvent, HookOutcome, HookRan, ToolCall};
use arki_process::{AnsweringSpec, CommandLimits, Meanwhile, run_answering};
use arki_redaction::Redactor;
use arki_sandbox::{OverlayView, ProjectAccess, Sandbox};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) const CHANGED: &str =
    "It did not run: the hook or a script of it changed since you approved it. `arki trust` shows the change.";

/// A hook that is to run.
#[derive(Clone, Copy)]
pub(super) struct HookTask<'a> {
    pub(super) hook: &'a Hook,
    pub(super) occasion: &'a HookOccasion,
    /// The names by which it is told of it.
    pub(super) spoken: &'a ToolNaming,
    pub(super) context: &'a CallContext,
    pub(super) access: ProjectAccess,
    /// The view in which it writes, in place of the project.
    pub(super) view: Option<&'a Arc<OverlayView>>,
}

impl<'a> HookTask<'a> {
    /// One that may not write.
    pub(super) fn reading(
        hook: &'a Hook,
        (occasion, spoken): (&'a HookOccasion, &'a ToolNaming),
        context: &'a CallContext,
    ) -> Self {
        Self { hook, occasion, spoken, context, access: ProjectAccess::ReadOnly, view: None }
    }
}

/// A hook that ran.
pub(super) struct RanHook {
    pub(super) answer: HookAnswer,
    pub(super) exit_code: Option<i32>,
    pub(super) duration: Duration,
}

/// The hooks of a run.
pub(super) struct HookRunner {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) tools: Arc<[Tool]>,
    pub(super) redactor: Redactor,
    pub(super) rooms: Arc<CommandRooms>,
    /// The hooks that said that they are off, by event and line.
    pub(super) told_off: Mutex<BTreeSet<(&'static str, String)>>,
}

impl HookRunner {
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
        let occasion = HookOccasion::Before(self.hooked_call(call));
        let is_meant = |hook: &Hook| is_of_event(hook.event) && hook.condition.matched(&occasion).is_some();
        self.settings.hooks.iter().any(is_meant)
    }

    /// How a hook that is for this is spoken to; one that is off has its say once a run.
    pub(super) fn spoken_to(&self, hook: &Hook, occasion: &HookOccasion) -> Option<ToolNaming> {
        let spoken = hook.condition.matched(occasion)?;
        let HookAction::Off { line, .. } = &hook.action else { return Some(spoken) };
        let mut told = self.told_off.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert((hook.event.name(), line.clone())).then_some(spoken)
    }

    pub(super) fn runs_hooks(&self) -> bool {
        self.settings.trusted && !self.settings.hooks.is_empty()
    }

    fn hooked_run<'a>(&'a self, context: &'a CallContext) -> HookedRun<'a> {
        HookedRun {
            session_id: &context.session_id,
            run_id: &context.run_id,
            approve: context.options.approve,
            root: self.settings.project.root(),
        }
    }

    /// A call as hooks see it: secrets are placeholders, and links are followed too.
    pub(super) fn hooked_call(&self, call: &ToolCall) -> HookedCall {
        let tool = self.tools.iter().find(|tool| tool.name() == call.tool_id);
        let judged_as = tool.and_then(|tool| judged_as(tool, &call.args));
        let touched = tool.map(|tool| tool.touches(&call.args)).unwrap_or_default();
        let words = touched.command.iter().chain(&touched.mentions).flat_map(|line| arki_policy::file_words(line));
        let words: Vec<String> = touched.paths.iter().cloned().chain(words).collect();
        let mut paths: Vec<String> = Vec::new();
        for word in words {
            let named = self.settings.project.resolve(&word).ok().map(|path| path.to_string());
            for path in named.into_iter().chain(real(&self.settings.project, &word)) {
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

    pub(super) async fn carry_out_hook(&self, task: HookTask<'_>) -> RanHook {
        let started = Instant::now();
        if let HookOrigin::Project(file) = task.hook.origin
            && !self.settings.standing.is_agreed(file, task.hook.action.line())
        {
            return RanHook { answer: not_as_agreed(task.hook.event), exit_code: None, duration: started.elapsed() };
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
            HookAction::Command(command) => return self.run_hook_command(task, command).await,
        };
        RanHook { answer, exit_code: None, duration: started.elapsed() }
    }

    async fn run_hook_command(&self, task: HookTask<'_>, command: &HookCommand) -> RanHook {
        let hook = task.hook;
        let started = Instant::now();
        let failed = |why: String| RanHook {
            answer: HookAnswer::trouble(HookOutcome::Failed, &why),
            exit_code: None,
            duration: started.elapsed(),
        };
        let room = match self.rooms.hook_room() {
            Ok(room) => room,
            Err(error) => return failed(error.to_string()),
        };
        let sandbox = match room.sandbox(task.access, command.network) {
            Ok(sandbox) => sandbox,
            Err(error) => return failed(error.to_string()),
        };
        let sandbox = in_view(sandbox, task.view);
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
        let told = input(hook.event, task.occasion, task.spoken, self.hooked_run(task.context));
        match run_answering(spec, told.to_string().into_bytes(), task.context.cancel.clone()).await {
            Ok(answered) => RanHook {
                answer: answer::read(hook.event, &answered, command.time_limit),
                exit_code: answered.exit_code,
                duration: answered.duration,
            },
            Err(error) => failed(error.to_string()),
        }
    }
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

pub(super) fn told_of(hook: &Hook, ran: &RanHook, call: Option<&ToolCall>) -> HookRan {
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

//! One line about what changed of a conversation, for following a run and for showing a session.

use crate::output::visible;
use arki_domain::projection::{CallItem, ConversationItem, ItemBody, ItemPart, Notice, RewoundItem};
use arki_domain::{
    EngineResponse, EngineRetry, EventBody, FinishReason, HookRan, PlanProposed, SkipReason, StepFailed, plural,
};
use arki_engine::one_line;

/// The line people see about the new part of an item.
pub(crate) fn activity(item: &ConversationItem, part: ItemPart) -> Option<String> {
    let line = match &item.body {
        ItemBody::Call(call) => of_call(call, part),
        _ if part != ItemPart::Whole => None,
        ItemBody::Approval(asked) => Some(format!("  ! {}", asked.request.reason)),
        ItemBody::Notice(notice) => noticed(&notice.notice),
        ItemBody::Hook(hook) => hook_ran(&hook.ran),
        ItemBody::Rewound(rewound) => Some(format!("↶ {}", went_back(rewound))),
        ItemBody::Other(other) => beside(&other.event),
        _ => None,
    };
    line.map(|line| visible(&line).replace('\n', "\\n"))
}

fn of_call(call: &CallItem, part: ItemPart) -> Option<String> {
    let question = call.question.as_ref();
    let result = call.result.as_deref().unwrap_or_default();
    match part {
        ItemPart::Whole => Some(format!("▸ {} {}", call.tool_id, main_argument(&call.args))),
        ItemPart::Result if call.is_error => Some(format!("  ✕ {}", first_line(result))),
        ItemPart::Result => Some(format!("  ✓ {} ms", call.duration_ms.unwrap_or_default())),
        ItemPart::Placeholder => call.placeholder.as_ref().map(|result| format!("  ✓ {} ms", result.duration_ms)),
        ItemPart::LateResult => Some(background_ended(&call.tool_id, result, call.is_error)),
        ItemPart::File => call.files.last().map(|path| format!("  ± {path}")),
        ItemPart::Hook => call.hooks.last().and_then(hook_ran),
        ItemPart::Approval => call.approval.as_ref().map(|asked| format!("  ! {}", asked.request.reason)),
        ItemPart::Question => question.map(|question| format!("  ? {}", first_line(&question.text))),
        ItemPart::QuestionAnswer => question?.answer.as_ref().map(|answer| format!("  > {}", first_line(answer))),
        _ => None,
    }
}

fn noticed(notice: &Notice) -> Option<String> {
    match notice {
        Notice::Planned(plan) => Some(planned(plan)),
        Notice::Retried(retry) => Some(retrying(retry)),
        Notice::LeftOut(dropped) => Some(format!("! {}", dropped.words())),
        Notice::CleanedUp(cleaned) => Some(format!("! {}", cleaned.notes.join(" "))),
        Notice::Reverted(reverted) => Some(format!("↶ undid the change of event {}", reverted.taken_back.seq)),
        Notice::Stopped | Notice::UnknownWords => None,
    }
}

fn beside(event: &EventBody) -> Option<String> {
    match event {
        EventBody::ToolAsyncResult(result) => Some(background_ended(&result.tool_id, &result.result, result.is_error)),
        EventBody::StepStarted(step) => Some(match (step.items, step.attempt) {
            (Some(items), _) => format!("▸ {} ({})", step.step, plural(items.into(), "item")),
            (None, 1) => format!("▸ {}", step.step),
            (None, attempt) => format!("▸ {} (attempt {attempt})", step.step),
        }),
        EventBody::StepCompleted(step) => Some(format!("  ✓ {} {} ms", step.step, step.duration_ms)),
        EventBody::StepFailed(step) => Some(step_failed(step)),
        EventBody::StepSkipped(step) => Some(match step.reason {
            SkipReason::Done => format!("  ✓ {} was done before", step.step),
            SkipReason::Condition => format!("  - {} was skipped", step.step),
        }),
        EventBody::ArtifactEmitted(artifact) => Some(format!("  ⎙ {}", artifact.name)),
        EventBody::FileChanged(change) => Some(format!("  ± {}", change.path)),
        EventBody::HookRan(hook) => hook_ran(hook),
        EventBody::QuestionAnswered(answer) => Some(format!("  > {}", first_line(&answer.text))),
        EventBody::EngineResponse(EngineResponse { finish_reason: FinishReason::Length, .. }) => {
            Some("! the answer was cut off at the model's output limit".to_owned())
        }
        EventBody::EngineResponse(EngineResponse { finish_reason: FinishReason::ContentFilter, .. }) => {
            Some("! the provider's content filter cut the answer off".to_owned())
        }
        _ => None,
    }
}

/// A hook that has nothing to say and changed nothing is no news.
fn hook_ran(hook: &HookRan) -> Option<String> {
    let sign = if hook.has_worked() { '⚙' } else { '✕' };
    hook.is_news().then(|| format!("  {sign} {}", one_line(&hook.words())))
}

fn step_failed(step: &StepFailed) -> String {
    let again = step.retry_in_ms.map(|pause| format!(" (again in {pause} ms)")).unwrap_or_default();
    format!("  ✕ {}: {}{again}", step.step, first_line(&step.message))
}

fn planned(plan: &PlanProposed) -> String {
    let steps: Vec<String> =
        plan.steps.iter().zip(1..).map(|(step, number)| format!("{number}. {}", first_line(&step.title))).collect();
    first_line(&format!("≡ {}: {}", one_line(&plan.intent), steps.join(" ")))
}

fn background_ended(tool_id: &str, result: &str, is_error: bool) -> String {
    let sign = if is_error { '✕' } else { '✓' };
    format!("{sign} {tool_id} in the background: {}", first_line(result))
}

fn retrying(retry: &EngineRetry) -> String {
    let seconds = retry.delay_ms.div_ceil(1000);
    format!("↻ {}: retrying in {seconds} s (attempt {})", retry.code, retry.attempt)
}

fn went_back(rewound: &RewoundItem) -> String {
    let what = match (rewound.files, rewound.conversation) {
        (true, false) => "files",
        (false, true) => "conversation",
        _ => "files and conversation",
    };
    format!("{what} back to event {}", rewound.to_seq)
}

fn main_argument(args: &serde_json::Value) -> String {
    let named = ["path", "command", "pattern", "glob", "url", "agent"].iter().find_map(|name| args.get(name)?.as_str());
    first_line(named.unwrap_or_default())
}

fn first_line(text: &str) -> String {
    const WIDTH: usize = 100;
    let line = one_line(text.lines().next().unwrap_or_default());
    if line.chars().count() <= WIDTH { line } else { line.chars().take(WIDTH).chain(['…']).collect() }
}

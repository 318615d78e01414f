//! One line about an event, for following a run and for showing a session.

use crate::output::visible;
use arki_domain::{
    EngineResponse, EngineRetry, EventBody, FinishReason, HookRan, PlanProposed, SessionRewound, SkipReason,
    StepFailed, ToolAsyncResult, plural,
};
use arki_engine::one_line;

/// The line people see about an event of a tool.
pub(crate) fn activity(body: &EventBody) -> Option<String> {
    doing(body).map(|line| visible(&line).replace('\n', "\\n"))
}

fn doing(body: &EventBody) -> Option<String> {
    match body {
        EventBody::ToolCall(call) => Some(format!("▸ {} {}", call.tool_id, main_argument(&call.args))),
        EventBody::ToolResult(result) if result.is_error => Some(format!("  ✕ {}", first_line(&result.result))),
        EventBody::ToolResult(result) => Some(format!("  ✓ {} ms", result.duration_ms)),
        EventBody::ToolAsyncResult(result) => Some(background_ended(result)),
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
        EventBody::ApprovalRequested(requested) => Some(format!("  ! {}", requested.reason)),
        EventBody::QuestionAsked(question) => Some(format!("  ? {}", first_line(&question.text))),
        EventBody::QuestionAnswered(answer) => Some(format!("  > {}", first_line(&answer.text))),
        EventBody::PlanProposed(plan) => Some(planned(plan)),
        EventBody::EngineRetry(retry) => Some(retrying(retry)),
        EventBody::ContextDropped(dropped) => Some(format!("! {}", dropped.words())),
        EventBody::EngineResponse(EngineResponse { finish_reason: FinishReason::Length, .. }) => {
            Some("! the answer was cut off at the model's output limit".to_owned())
        }
        EventBody::EngineResponse(EngineResponse { finish_reason: FinishReason::ContentFilter, .. }) => {
            Some("! the provider's content filter cut the answer off".to_owned())
        }
        EventBody::SessionRewound(rewound) => Some(format!("↶ {}", went_back(rewound))),
        EventBody::SandboxCleanedUp(cleaned) => Some(format!("! {}", cleaned.notes.join(" "))),
        EventBody::ChangeTakenBack(taken) => Some(format!("↶ undid the change of event {}", taken.seq)),
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

fn background_ended(result: &ToolAsyncResult) -> String {
    let sign = if result.is_error { '✕' } else { '✓' };
    format!("{sign} {} in the background: {}", result.tool_id, first_line(&result.result))
}

fn retrying(retry: &EngineRetry) -> String {
    let seconds = retry.delay_ms.div_ceil(1000);
    format!("↻ {}: retrying in {seconds} s (attempt {})", retry.code, retry.attempt)
}

fn went_back(rewound: &SessionRewound) -> String {
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

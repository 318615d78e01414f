//! A tool call's updates.

use crate::messages::{SessionUpdate, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolKind};
use crate::telling::diffs::{fenced, proposed_change, shown_change};
use crate::telling::tools::{location, tool_facts};
use arki_domain::projection::{AskedApproval, CallItem, CallState, ItemPart};
use arki_domain::{Decision, PolicyDecided};
use arki_engine::new_diff;
use serde_json::{Value, json};
use std::path::Path;

/// The beginning of a longer result is shown.
const MAX_RESULT_BYTES: usize = 32 << 10;
/// Longer arguments aren't sent: the change or the command shows them.
const MAX_INPUT_BYTES: usize = 4 << 10;

/// The client's way of showing commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandOutputForm {
    Text,
    /// A terminal, whose output comes beside the call.
    Terminal,
}

/// The part of a command's output that the client has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentOutput {
    Nothing,
    Streamed,
}

/// Says what an event changed of a call.
pub(super) fn call_update(
    folder: &Path,
    call: &CallItem,
    part: ItemPart,
    form: CommandOutputForm,
    sent: SentOutput,
) -> Option<SessionUpdate> {
    if matches!(part, ItemPart::Whole | ItemPart::Cut) {
        return Some(SessionUpdate::ToolCall(begun(folder, call, form)));
    }
    let mut update = ToolCallUpdate { status: status(call, part), ..ToolCallUpdate::of(call.call_id.as_str()) };
    if let Some(diff) = new_diff(call, part) {
        update.content = Some(proposed_change(folder, &diff));
    }
    match part {
        ItemPart::Decision if call.state == CallState::Denied => update.content = Some(words(&call.reason)),
        ItemPart::Approval => show_change(folder, call.approval.as_ref()?, &mut update),
        ItemPart::Answer => show_accepted(folder, call.approval.as_ref()?, &mut update),
        ItemPart::File => {
            update.locations = Some(call.files.iter().map(|path| location(folder, path, None)).collect());
        }
        ItemPart::Question => update.content = Some(words(&question(call))),
        ItemPart::Placeholder | ItemPart::Result | ItemPart::LateResult => show_result(call, form, sent, &mut update),
        _ => {}
    }
    update.is_news().then_some(SessionUpdate::ToolCallUpdate(update))
}

fn begun(folder: &Path, call: &CallItem, form: CommandOutputForm) -> ToolCallUpdate {
    let facts = tool_facts(folder, &call.tool_id, &call.args);
    let is_terminal = facts.kind == ToolKind::Execute && form == CommandOutputForm::Terminal;
    let terminal_id = call.call_id.to_string();
    ToolCallUpdate {
        title: Some(facts.title),
        name: Some(call.tool_id.clone()),
        kind: Some(facts.kind),
        status: Some(ToolCallStatus::Pending),
        locations: Some(facts.locations),
        raw_input: Some(call.args.clone()).filter(|args| args.to_string().len() <= MAX_INPUT_BYTES),
        meta: is_terminal.then(|| json!({"terminal_info": {"terminal_id": terminal_id, "cwd": folder}})),
        content: is_terminal.then(|| vec![ToolCallContent::Terminal { terminal_id }]),
        ..ToolCallUpdate::of(call.call_id.as_str())
    }
}

fn status(call: &CallItem, part: ItemPart) -> Option<ToolCallStatus> {
    let is_allowed = |decided: &PolicyDecided| decided.decision == Decision::Allow;
    match part {
        ItemPart::Unanswered => Some(ToolCallStatus::Failed),
        ItemPart::Decision if call.decisions.last().is_some_and(is_allowed) => Some(ToolCallStatus::InProgress),
        ItemPart::Decision if call.state != CallState::Denied => None,
        ItemPart::File | ItemPart::Hook | ItemPart::Subagent | ItemPart::TakenBack | ItemPart::Placeholder => None,
        _ => Some(match call.state {
            CallState::Queued | CallState::Waiting => ToolCallStatus::Pending,
            CallState::Running => ToolCallStatus::InProgress,
            CallState::Done => ToolCallStatus::Completed,
            CallState::Failed | CallState::Rejected | CallState::Denied | CallState::Interrupted => {
                ToolCallStatus::Failed
            }
        }),
    }
}

fn show_change(folder: &Path, asked: &AskedApproval, update: &mut ToolCallUpdate) {
    let Some(preview) = &asked.request.preview else { return };
    let shown = shown_change(folder, preview, &preview.diff, |_| true);
    (update.content, update.locations) = (Some(shown.content), Some(shown.locations));
}

/// Leaves only the part that the user took, where that is one.
fn show_accepted(folder: &Path, asked: &AskedApproval, update: &mut ToolCallUpdate) {
    let accepted = asked.answer.as_ref().and_then(|answer| answer.hunks.as_ref());
    let (Some(accepted), Some(preview)) = (accepted, &asked.request.preview) else { return };
    if !preview.diff.is_empty() {
        update.content = Some(shown_change(folder, preview, &preview.diff, |index| accepted.contains(&index)).content);
    }
}

fn show_result(call: &CallItem, form: CommandOutputForm, sent: SentOutput, update: &mut ToolCallUpdate) {
    let result = call.result.as_deref().unwrap_or_default();
    let kind = tool_facts(Path::new(""), &call.tool_id, &Value::Null).kind;
    let shows_change = matches!(kind, ToolKind::Edit | ToolKind::Delete) && !call.is_error;
    if kind == ToolKind::Execute && form == CommandOutputForm::Terminal {
        update.meta = Some(terminal_end(call, result, sent));
    } else if !shows_change && !result.is_empty() {
        let end = result.floor_char_boundary(MAX_RESULT_BYTES);
        update.content = Some(words(&fenced("", &result[..end])));
    }
}

fn terminal_end(call: &CallItem, result: &str, sent: SentOutput) -> Value {
    let terminal_id = call.call_id.as_str();
    let mut meta =
        json!({"terminal_exit": {"terminal_id": terminal_id, "exit_code": i32::from(call.is_error), "signal": null}});
    if sent == SentOutput::Nothing {
        meta["terminal_output"] = json!({"terminal_id": terminal_id, "data": result});
    }
    meta
}

fn question(call: &CallItem) -> String {
    let Some(question) = &call.question else { return String::new() };
    let options = question.options.iter().map(|option| format!("\n- {option}"));
    std::iter::once(question.text.clone()).chain(options).collect()
}

fn words(text: &str) -> Vec<ToolCallContent> {
    vec![ToolCallContent::text(text)]
}

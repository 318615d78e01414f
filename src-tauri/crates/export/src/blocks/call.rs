//! A call of a tool, from what the model wants to what came of it, with the request for an approval and the decision.

use super::{Block, Speaker, Tone, note, quoted, statement, text, words};
use crate::proposed_change::{arguments_without_text, new_diff};
use arki_domain::projection::{AskedApproval, CallItem, CallQuestion, ItemPart};
use arki_domain::visible::one_line;
use arki_domain::{
    ApprovalDecision, ApprovalRequested, ApprovalResolved, Category, CommandPreview, Decision, FileChanged,
    PolicyDecided, Risk,
};

/// The tool whose result is the user's answer.
const ASKING_TOOL: &str = "ask_user";

pub(super) fn part(call: &CallItem, part: ItemPart) -> Vec<Block> {
    let diff = new_diff(call, part).map(Block::Diff);
    match part {
        ItemPart::Whole => {
            let tool = one_line(&call.tool_id);
            vec![Block::Call { tool, arguments: arguments_without_text(call) }]
        }
        ItemPart::Decision => {
            call.decisions.last().and_then(|decided| decision(call, decided)).into_iter().chain(diff).collect()
        }
        ItemPart::Approval | ItemPart::Answer => call.approval.iter().flat_map(|asked| approval(asked, part)).collect(),
        ItemPart::Question => {
            let text = call.question.as_ref().map(note::question);
            text.map(|text| Block::Said { by: Speaker::Model, text }).into_iter().collect()
        }
        ItemPart::QuestionAnswer => {
            let answer = call.question.as_ref().and_then(|CallQuestion { answer, .. }| answer.clone());
            answer.map(|text| Block::Said { by: Speaker::User, text }).into_iter().collect()
        }
        ItemPart::Subagent => call.subagent.iter().map(note::handed_over).collect(),
        ItemPart::File => call.changes.last().map(change).into_iter().collect(),
        ItemPart::Hook => call.hooks.last().map(note::hook).into_iter().collect(),
        ItemPart::Result | ItemPart::Placeholder => diff.into_iter().chain(result(call)).collect(),
        ItemPart::LateResult => vec![late_result(&call.tool_id, call.result.as_deref(), call.is_error)],
        ItemPart::Unanswered => unanswered(call),
        ItemPart::Cut | ItemPart::Text | ItemPart::State | ItemPart::TakenBack => Vec::new(),
    }
}

/// A call without a result, with what it would have written.
pub(super) fn unanswered(call: &CallItem) -> Vec<Block> {
    let none = statement(Tone::Attention, [quoted(&call.tool_id), words(" has no result.")]);
    new_diff(call, ItemPart::Unanswered).map(Block::Diff).into_iter().chain([none]).collect()
}

/// A result that came long after its call.
pub(super) fn late_result(tool_id: &str, result: Option<&str>, is_error: bool) -> Block {
    let end = if is_error { " failed at last" } else { " answered at last" };
    Block::Result { line: vec![quoted(tool_id), words(end)], text: result.unwrap_or_default().to_owned(), is_error }
}

pub(super) fn change(changed: &FileChanged) -> Block {
    let what = match (&changed.before_hash, &changed.after_hash) {
        (None, _) => " was created.",
        (_, None) => " was deleted.",
        (Some(_), Some(_)) => " was changed.",
    };
    statement(Tone::Good, [quoted(&changed.path), words(what)])
}

/// Reading needs no permission: nothing where it is allowed. What an approval permitted is told where it was given.
fn decision(call: &CallItem, decided: &PolicyDecided) -> Option<Block> {
    let line = |verb| vec![quoted(&call.tool_id), words(verb), quoted(&decided.rule)];
    match decided.decision {
        Decision::Deny => {
            let line = [line(" was denied by the rule "), vec![words(": "), text(&decided.reason)]].concat();
            Some(statement(Tone::Bad, line))
        }
        Decision::Allow if call.category != Some(Category::Read) && !decided.rule.starts_with("approval:") => {
            Some(statement(Tone::Plain, [line(" was allowed by the rule "), vec![words(".")]].concat()))
        }
        Decision::Review => {
            Some(statement(Tone::Plain, vec![quoted(&call.tool_id), words(" ran; its changes are reviewed.")]))
        }
        Decision::Allow | Decision::Approval | Decision::Preview => None,
    }
}

/// The user's answer to a question was told when it was given.
fn result(call: &CallItem) -> Option<Block> {
    if call.tool_id == ASKING_TOOL && !call.is_error {
        return None;
    }
    let placeholder = call.placeholder.as_ref();
    let text = call.result.as_ref().or(placeholder.map(|result| &result.result)).cloned().unwrap_or_default();
    let duration = call.duration_ms.or(placeholder.map(|result| result.duration_ms)).unwrap_or_default();
    let mut line = vec![quoted(&call.tool_id), words(if call.is_error { " failed" } else { " answered" })];
    if let Some(code) = &call.code {
        line.extend([words(" with "), quoted(code)]);
    }
    let cut = if call.truncated { ", cut to its limit when it was made" } else { "" };
    line.push(words(format!(" after {duration} ms{cut}")));
    Some(Block::Result { line, text, is_error: call.is_error })
}

pub(super) fn approval(asked: &AskedApproval, part: ItemPart) -> Vec<Block> {
    match (&asked.answer, part) {
        (Some(answer), ItemPart::Answer) => decided(answer),
        (_, ItemPart::Whole | ItemPart::Approval) => requested(&asked.request),
        _ => Vec::new(),
    }
}

fn requested(requested: &ApprovalRequested) -> Vec<Block> {
    let risk = match requested.risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    };
    let line = vec![
        quoted(&requested.tool_id),
        words(format!(" needs an approval (risk: {risk}). ")),
        text(&requested.reason),
    ];
    let mut blocks = vec![Block::Statement { tone: Tone::Attention, line }];
    if let Some(CommandPreview { command, directory, sandbox, .. }) = &requested.command {
        blocks.push(Block::Command(command.clone()));
        let line = vec![words("In "), quoted(directory), words(", sandbox: "), quoted(sandbox)];
        blocks.push(Block::Statement { tone: Tone::Plain, line });
    }
    blocks.extend(requested.preview.iter().map(|preview| Block::Diff(preview.diff.clone())));
    blocks
}

pub(super) fn decided(resolved: &ApprovalResolved) -> Vec<Block> {
    let (tone, verb) = match resolved.decision {
        ApprovalDecision::Approve => (Tone::Good, "Approved"),
        ApprovalDecision::Reject => (Tone::Bad, "Rejected"),
    };
    let mut line = vec![words(format!("{verb} by ")), quoted(&resolved.resolved_by)];
    if let Some(hunks) = &resolved.hunks {
        let numbers: Vec<String> = hunks.iter().map(usize::to_string).collect();
        line.push(words(match numbers.as_slice() {
            [] => ", no hunk".to_owned(),
            [only] => format!(", hunk {only}"),
            several => format!(", hunks {}", several.join(", ")),
        }));
    }
    line.push(words("."));
    let mut blocks = vec![Block::Statement { tone, line }];
    for (hunk, edited) in &resolved.edited {
        let line = vec![words(format!("Hunk {hunk} was edited. Its new side:"))];
        blocks.extend([Block::Statement { tone: Tone::Plain, line }, Block::Replacement(edited.clone())]);
    }
    blocks.extend(resolved.reason.clone().map(|text| Block::Said { by: Speaker::Note, text }));
    blocks
}

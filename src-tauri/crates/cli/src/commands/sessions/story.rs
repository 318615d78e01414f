//! The lines `arki sessions show` prints for each change of the conversation: messages, requests, previews and decisions.

use crate::activity::activity;
use crate::command_output::of_result;
use crate::output::{Printer, ShowOutput, dim, visible};
use crate::review;
use arki_domain::projection::{AskedApproval, CallItem, ConversationItem, HunkFate, ItemBody, ItemPart, Notice};
use arki_domain::{ApprovalDecision, ApprovalId, ApprovalRequested, ApprovalResolved, CallId, EventBody, Hunk};
use arki_engine::{EventChanges, RewindState, new_diff};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;

/// The limit for the arguments of a call.
const MAX_ARGUMENT_CHARS: usize = 4_000;

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum StoryItem<'a> {
    User(StoryText<'a>),
    Assistant(StoryText<'a>),
    Error(StoryText<'a>),
    ToolRequest {
        call_id: &'a CallId,
        tool_id: &'a str,
        args: &'a Value,
    },
    ToolResult {
        call_id: &'a CallId,
        tool_id: &'a str,
        content: &'a str,
        is_error: bool,
    },
    Approval {
        approval_id: &'a ApprovalId,
        tool_id: &'a str,
        reason: &'a str,
        diff: Option<&'a str>,
        command: Option<&'a str>,
    },
    Decision {
        approval_id: &'a ApprovalId,
        decision: ApprovalDecision,
        hunks: &'a [HunkFate],
        note: Option<&'a str>,
    },
}

#[derive(Serialize)]
struct StoryText<'a> {
    content: Cow<'a, str>,
    interrupted: bool,
}

#[derive(Serialize)]
struct StoryLine<'a> {
    #[serde(flatten)]
    said: StoryItem<'a>,
    /// A later rewind went back behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rewound: bool,
}

/// An event's addition to what is shown.
pub(crate) enum StoryEntry {
    Objects(Vec<Box<RawValue>>),
    Lines(Vec<String>),
}

impl StoryEntry {
    pub(crate) fn of(told: &EventChanges<'_>, output: &Printer) -> Self {
        if output.json {
            let line = |(item, part)| {
                let rewound = told.fate(item, part) != RewindState::Stands;
                to_raw_value(&StoryLine { said: said(item, part)?, rewound }).ok()
            };
            return Self::Objects(told.items().filter_map(line).collect());
        }
        let lines = |(item, part)| {
            let mark = match told.fate(item, part) {
                RewindState::Stands => String::new(),
                RewindState::Rewound => dim("(rewound) "),
                RewindState::FilesRewound => dim("(file restored) "),
            };
            let lines = lines(item, part, output.show_output);
            lines.iter().flat_map(|text| text.split('\n')).map(|line| format!("{mark}{line}")).collect::<Vec<_>>()
        };
        Self::Lines(told.items().flat_map(lines).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Objects(objects) => objects.is_empty(),
            Self::Lines(lines) => lines.is_empty(),
        }
    }

    pub(crate) fn print(&self, output: &Printer) {
        match self {
            Self::Objects(objects) => objects.iter().for_each(|object| output.object(object)),
            Self::Lines(lines) => lines.iter().for_each(|line| output.line(line)),
        }
    }
}

fn said(item: &ConversationItem, part: ItemPart) -> Option<StoryItem<'_>> {
    match &item.body {
        ItemBody::Call(call) => said_of_call(call, part),
        ItemBody::Approval(asked) if part == ItemPart::Answer => answer(asked),
        _ if part != ItemPart::Whole => None,
        ItemBody::Approval(asked) => Some(request(&asked.request)),
        ItemBody::User(said) => Some(StoryItem::User(text(&said.text, false))),
        ItemBody::Assistant(said) => Some(StoryItem::Assistant(text(&said.text, said.interrupted))),
        ItemBody::Failure(failed) => {
            Some(StoryItem::Error(text(format!("{}: {}", failed.code, failed.message), false)))
        }
        ItemBody::Other(other) => match &other.event {
            EventBody::ToolAsyncResult(result) => Some(StoryItem::ToolResult {
                call_id: &result.async_call_id,
                tool_id: &result.tool_id,
                content: &result.result,
                is_error: result.is_error,
            }),
            EventBody::ApprovalResolved(resolved) => Some(decision(resolved, &[])),
            _ => None,
        },
        _ => None,
    }
}

fn said_of_call(call: &CallItem, part: ItemPart) -> Option<StoryItem<'_>> {
    let CallItem { call_id, tool_id, args, is_error, .. } = call;
    let result = |content| StoryItem::ToolResult { call_id, tool_id, content, is_error: *is_error };
    match part {
        ItemPart::Whole => Some(StoryItem::ToolRequest { call_id, tool_id, args }),
        ItemPart::Result | ItemPart::LateResult => call.result.as_deref().map(result),
        ItemPart::Placeholder => call.placeholder.as_ref().map(|placeholder| result(placeholder.result.as_str())),
        ItemPart::Approval => call.approval.as_ref().map(|asked| request(&asked.request)),
        ItemPart::Answer => call.approval.as_ref().and_then(answer),
        _ => None,
    }
}

fn request(requested: &ApprovalRequested) -> StoryItem<'_> {
    StoryItem::Approval {
        approval_id: &requested.approval_id,
        tool_id: &requested.tool_id,
        reason: &requested.reason,
        diff: requested.preview.as_ref().map(|preview| preview.diff.as_str()).filter(|diff| !diff.is_empty()),
        command: requested.command.as_ref().map(|command| command.command.as_str()),
    }
}

fn answer(asked: &AskedApproval) -> Option<StoryItem<'_>> {
    asked.answer.as_ref().map(|resolved| decision(resolved, &asked.hunks))
}

fn decision<'a>(resolved: &'a ApprovalResolved, hunks: &'a [HunkFate]) -> StoryItem<'a> {
    StoryItem::Decision {
        approval_id: &resolved.approval_id,
        decision: resolved.decision,
        hunks,
        note: resolved.reason.as_deref(),
    }
}

fn text<'a>(content: impl Into<Cow<'a, str>>, interrupted: bool) -> StoryText<'a> {
    StoryText { content: content.into(), interrupted }
}

fn lines(item: &ConversationItem, part: ItemPart, show_output: ShowOutput) -> Vec<String> {
    let doing = activity(item, part).map(|line| dim(&line)).into_iter();
    let asked = item.approval();
    match (&item.body, part) {
        (ItemBody::Call(call), ItemPart::Whole) => doing.chain(outside_arguments(call)).collect(),
        (ItemBody::Call(call), ItemPart::Decision) => {
            new_diff(call, part).iter().flat_map(|diff| bounded(diff, &[])).collect()
        }
        (ItemBody::Call(call), ItemPart::Result) => {
            doing.chain(of_result(call, show_output).iter().map(|line| dim(line))).collect()
        }
        (ItemBody::Call(_), ItemPart::Approval) | (ItemBody::Approval(_), ItemPart::Whole) => {
            doing.chain(asked.into_iter().flat_map(|asked| preview(&asked.request))).collect()
        }
        (_, ItemPart::Answer) => match asked {
            Some(AskedApproval { answer: Some(resolved), hunks, .. }) => decided(resolved, hunks),
            _ => Vec::new(),
        },
        (ItemBody::Other(other), _) if let EventBody::ApprovalResolved(resolved) = &other.event => {
            decided(resolved, &[])
        }
        (ItemBody::Notice(notice), ItemPart::Whole) if notice.notice == Notice::Stopped => {
            vec![dim("Stopped by the user.")]
        }
        _ => said(item, part).as_ref().and_then(words).into_iter().chain(doing).collect(),
    }
}

fn preview(requested: &ApprovalRequested) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(command) = &requested.command {
        lines.push(format!("  $ {}", visible(&command.command)));
    }
    if let Some(preview) = &requested.preview {
        match &preview.diff_hash {
            None => lines.extend(bounded(&preview.diff, &preview.hunks)),
            Some(_) => lines.push(dim(&format!(
                "  {} files and {} hunks: run `arki approvals show {}` to list them",
                preview.file_count(),
                preview.hunks.len(),
                requested.approval_id
            ))),
        }
    }
    lines
}

fn words(said: &StoryItem<'_>) -> Option<String> {
    match said {
        StoryItem::User(text) => Some(format!("\n› {}\n", visible(&text.content))),
        StoryItem::Assistant(text) if text.interrupted => {
            Some(format!("{}\n{}", visible(&text.content), dim("The answer was cut off here.")))
        }
        StoryItem::Assistant(text) | StoryItem::Error(text) => Some(visible(&text.content)),
        _ => None,
    }
}

/// The arguments of a tool from outside: only they say what it does.
fn outside_arguments(call: &CallItem) -> Option<String> {
    if !call.tool_id.starts_with("mcp__") && call.tool_id != "call_tool" {
        return None;
    }
    let args = visible(&call.args.to_string());
    let shown: String = args.chars().take(MAX_ARGUMENT_CHARS).collect();
    let more = if shown.len() < args.len() { "…" } else { "" };
    Some(dim(&format!("    {shown}{more}")))
}

fn bounded(diff: &str, hunks: &[Hunk]) -> Vec<String> {
    let mut lines = Vec::new();
    review::bounded(diff, hunks, |line| lines.push(line));
    lines
}

fn decided(resolved: &ApprovalResolved, fates: &[HunkFate]) -> Vec<String> {
    let (sign, verb) = match resolved.decision {
        ApprovalDecision::Approve => ('✓', "approved"),
        ApprovalDecision::Reject => ('✕', "rejected"),
    };
    let mut lines = vec![dim(&format!("  {sign} {verb} ({})", visible(&resolved.resolved_by)))];
    // Where all of it has one fate, the line above says it.
    let is_mixed = resolved.hunks.is_some() || !resolved.edited.is_empty();
    for HunkFate { index, path, fate, edited } in fates.iter().filter(|_| is_mixed) {
        lines.push(dim(&format!("    hunk {index} ({}): {}", visible(path), fate.word())));
        lines.extend(
            edited.iter().flat_map(|text| text.split_terminator('\n')).map(|line| format!("      {}", visible(line))),
        );
    }
    lines.extend(resolved.command.iter().map(|command| format!("    ran instead: {}", visible(command))));
    lines.extend(resolved.reason.iter().map(|note| format!("    note: {}", visible(note))));
    lines
}

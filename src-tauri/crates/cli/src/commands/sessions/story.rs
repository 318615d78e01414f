//! The lines `arki sessions show` prints for each event: messages, requests, previews and decisions.

use crate::activity::activity;
use crate::command_output::of_result;
use crate::output::{Printer, ShowOutput, dim, visible};
use crate::review;
use arki_domain::{
    ApprovalDecision, ApprovalId, ApprovalRequested, ApprovalResolved, CallId, EventBody, Hunk, ToolCall,
};
use arki_engine::{Fate, HunkFate, Told};
use serde::Serialize;
use serde_json::Value;
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

pub(crate) fn says_something(told: &Told, output: &Printer) -> bool {
    if output.json { !said(told).is_empty() } else { !lines(told, output.show_output).is_empty() }
}

pub(crate) fn tell(told: &Told, output: &Printer) {
    if output.json {
        let rewound = told.fate != Fate::Stands;
        return said(told).into_iter().for_each(|said| output.object(&StoryLine { said, rewound }));
    }
    let mark = match told.fate {
        Fate::Stands => String::new(),
        Fate::Rewound => dim("(rewound) "),
        Fate::FilesRewound => dim("(file restored) "),
    };
    for line in lines(told, output.show_output).iter().flat_map(|text| text.split('\n')) {
        output.line(format!("{mark}{line}"));
    }
}

fn said(told: &Told) -> Vec<StoryItem<'_>> {
    match &told.body {
        EventBody::RunStarted(run) => vec![StoryItem::User(text(&run.prompt, false))],
        EventBody::QueueChanged(_) => {
            told.delivered.iter().map(|content| StoryItem::User(text(content, false))).collect()
        }
        EventBody::OutputMessage(message) if message.retried => Vec::new(),
        EventBody::OutputMessage(message) => vec![StoryItem::Assistant(text(&message.content, message.interrupted))],
        EventBody::RunFailed(failed) => {
            vec![StoryItem::Error(text(format!("{}: {}", failed.code, failed.message), false))]
        }
        EventBody::ToolCall(call) => {
            vec![StoryItem::ToolRequest { call_id: &call.call_id, tool_id: &call.tool_id, args: &call.args }]
        }
        EventBody::ToolResult(result) => vec![StoryItem::ToolResult {
            call_id: &result.call_id,
            tool_id: &result.tool_id,
            content: &result.result,
            is_error: result.is_error,
        }],
        EventBody::ToolAsyncResult(result) => vec![StoryItem::ToolResult {
            call_id: &result.async_call_id,
            tool_id: &result.tool_id,
            content: &result.result,
            is_error: result.is_error,
        }],
        EventBody::ApprovalRequested(requested) => vec![StoryItem::Approval {
            approval_id: &requested.approval_id,
            tool_id: &requested.tool_id,
            reason: &requested.reason,
            diff: requested.preview.as_ref().map(|preview| preview.diff.as_str()).filter(|diff| !diff.is_empty()),
            command: requested.command.as_ref().map(|command| command.command.as_str()),
        }],
        EventBody::ApprovalResolved(resolved) => vec![StoryItem::Decision {
            approval_id: &resolved.approval_id,
            decision: resolved.decision,
            hunks: &told.hunks,
            note: resolved.reason.as_deref(),
        }],
        _ => Vec::new(),
    }
}

fn text<'a>(content: impl Into<Cow<'a, str>>, interrupted: bool) -> StoryText<'a> {
    StoryText { content: content.into(), interrupted }
}

fn lines(told: &Told, show_output: ShowOutput) -> Vec<String> {
    match &told.body {
        EventBody::ToolCall(call) => called(&told.body, call),
        EventBody::PolicyDecided(_) => told.diff.iter().flat_map(|diff| bounded(diff, &[])).collect(),
        EventBody::ApprovalRequested(requested) => asked(&told.body, requested),
        EventBody::ApprovalResolved(resolved) => decided(resolved, &told.hunks),
        EventBody::ToolResult(result) => {
            let output = of_result(result, show_output);
            doing(&told.body).into_iter().chain(output.iter().map(|line| dim(line))).collect()
        }
        EventBody::RunCancelled(_) => vec![dim("Stopped by the user.")],
        body => said(told).iter().filter_map(words).chain(doing(body)).collect(),
    }
}

fn doing(body: &EventBody) -> Vec<String> {
    activity(body).iter().map(|line| dim(line)).collect()
}

fn asked(body: &EventBody, requested: &ApprovalRequested) -> Vec<String> {
    let mut lines = doing(body);
    if let Some(command) = &requested.command {
        lines.push(format!("  $ {}", visible(&command.command)));
    }
    if let Some(preview) = &requested.preview {
        match &preview.diff_hash {
            None => lines.extend(bounded(&preview.diff, &preview.hunks)),
            Some(_) => lines.push(dim(&format!(
                "  {} files and {} hunks: run `arki approvals show {}` to list them",
                preview.files_affected.len(),
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

/// The lines for a tool call. For tools from outside, only the arguments say what they do.
fn called(body: &EventBody, call: &ToolCall) -> Vec<String> {
    let mut lines = doing(body);
    if call.tool_id.starts_with("mcp__") || call.tool_id == "call_tool" {
        let args = visible(&call.args.to_string());
        let shown: String = args.chars().take(MAX_ARGUMENT_CHARS).collect();
        let more = if shown.len() < args.len() { "…" } else { "" };
        lines.push(dim(&format!("    {shown}{more}")));
    }
    lines
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
        lines.push(dim(&format!("    hunk {index} ({}): {fate}", visible(path))));
        lines.extend(
            edited.iter().flat_map(|text| text.split_terminator('\n')).map(|line| format!("      {}", visible(line))),
        );
    }
    lines.extend(resolved.command.iter().map(|command| format!("    ran instead: {}", visible(command))));
    lines.extend(resolved.reason.iter().map(|note| format!("    note: {}", visible(note))));
    lines
}

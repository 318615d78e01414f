//! The lines `arki sessions show` prints for each event: messages, requests, previews and decisions.

use crate::follow::activity;
use crate::output::{Output, dim, visible};
use crate::review;
use arki_domain::projection::Queue;
use arki_domain::{
    ApprovalDecision, ApprovalId, ApprovalRequested, ApprovalResolved, CallId, Category, Decision, Event, EventBody,
    Hunk, ToolCall,
};
use arki_engine::proposed_diff;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Of a call's arguments, in characters.
const MAX_ARGUMENT_CHARS: usize = 4_000;

/// The events that a later rewind took back.
#[derive(Default)]
pub(crate) struct Rewound {
    conversation: Vec<RangeInclusive<u64>>,
    files: Vec<RangeInclusive<u64>>,
}

/// The part of an event that a rewind took back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stands,
    Rewound,
    FilesRewound,
}

impl Rewound {
    /// Of a session's rewinds, the oldest first, with their numbers. One that was itself gone back behind counts no
    /// more.
    pub(crate) fn of(rewinds: &[(u64, EventBody)]) -> Self {
        let ranges = |counts: fn(&arki_domain::SessionRewound) -> bool| {
            let (mut ranges, mut end) = (Vec::new(), u64::MAX);
            for (seq, body) in rewinds.iter().rev() {
                if let EventBody::SessionRewound(rewound) = body
                    && counts(rewound)
                    && *seq <= end
                {
                    ranges.push(rewound.to_seq + 1..=seq - 1);
                    end = rewound.to_seq;
                }
            }
            ranges
        };
        Self { conversation: ranges(|rewound| rewound.conversation), files: ranges(|rewound| rewound.files) }
    }

    fn fate(&self, seq: u64, body: &EventBody) -> Fate {
        let is_in = |ranges: &[RangeInclusive<u64>]| ranges.iter().any(|range| range.contains(&seq));
        let is_of_files = matches!(body, EventBody::FileChanged(_));
        match (is_in(&self.conversation), is_in(&self.files)) {
            (true, _) => Fate::Rewound,
            (false, true) if is_of_files => Fate::FilesRewound,
            _ => Fate::Stands,
        }
    }
}

/// Tells a session's events, oldest first.
#[derive(Default)]
pub(crate) struct Story {
    queue: Queue,
    rewound: Rewound,
    /// Calls whose change nobody has seen yet.
    unseen: HashMap<CallId, ToolCall>,
    /// The hunks of open approvals, for when they are decided.
    asked: HashMap<ApprovalId, Vec<Hunk>>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Told<'a> {
    User {
        content: &'a str,
        interrupted: bool,
    },
    Assistant {
        content: &'a str,
        interrupted: bool,
    },
    Error {
        content: String,
        interrupted: bool,
    },
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
        hunks: Vec<HunkFate>,
        note: Option<&'a str>,
    },
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    told: Told<'a>,
    /// A later rewind went back behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rewound: bool,
}

/// The decision on a hunk.
#[derive(Serialize)]
struct HunkFate {
    index: usize,
    path: String,
    fate: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited: Option<String>,
}

impl Story {
    pub(crate) fn new(rewound: Rewound) -> Self {
        Self { rewound, ..Self::default() }
    }

    pub(crate) fn tell(&mut self, event: &Event, output: &Output) {
        let body = event.body();
        let fate = self.rewound.fate(event.seq, &body);
        if output.json {
            let rewound = fate != Fate::Stands;
            self.said(&body).into_iter().for_each(|told| output.object(&Line { told, rewound }));
        } else {
            let mark = match fate {
                Fate::Stands => "",
                Fate::Rewound => "(rewound) ",
                Fate::FilesRewound => "(file restored) ",
            };
            for line in self.lines(event, &body).iter().flat_map(|text| text.split('\n')) {
                output.line(if mark.is_empty() { line.to_owned() } else { format!("{}{line}", dim(mark)) });
            }
        }
        self.note(body);
    }

    /// Remembers what later events refer to.
    fn note(&mut self, body: EventBody) {
        self.queue.apply(&body);
        match body {
            EventBody::ToolCall(call) if call.category != Some(Category::Read) => {
                self.unseen.insert(call.call_id.clone(), call);
            }
            EventBody::PolicyDecided(decided) if decided.decision == Decision::Allow => {
                self.unseen.remove(&decided.call_id);
            }
            EventBody::ApprovalRequested(requested) => {
                self.unseen.remove(&requested.call_id);
                let hunks = requested.preview.map(|preview| preview.hunks).unwrap_or_default();
                self.asked.insert(requested.approval_id, hunks);
            }
            EventBody::ApprovalResolved(resolved) => {
                self.asked.remove(&resolved.approval_id);
            }
            _ => {}
        }
    }

    fn said<'a>(&'a self, body: &'a EventBody) -> Vec<Told<'a>> {
        match body {
            EventBody::RunStarted(run) => vec![Told::User { content: &run.prompt, interrupted: false }],
            EventBody::QueueChanged(changed) => {
                let told = changed.delivered.iter().filter_map(|message_id| self.queue.get(message_id));
                told.map(|message| Told::User { content: &message.text, interrupted: false }).collect()
            }
            EventBody::OutputMessage(message) => {
                vec![Told::Assistant { content: &message.content, interrupted: message.interrupted }]
            }
            EventBody::RunFailed(failed) => {
                let content = format!("{}: {}", failed.code, failed.message);
                vec![Told::Error { content, interrupted: false }]
            }
            EventBody::ToolCall(call) => {
                vec![Told::ToolRequest { call_id: &call.call_id, tool_id: &call.tool_id, args: &call.args }]
            }
            EventBody::ToolResult(result) => vec![Told::ToolResult {
                call_id: &result.call_id,
                tool_id: &result.tool_id,
                content: &result.result,
                is_error: result.is_error,
            }],
            EventBody::ToolAsyncResult(result) => vec![Told::ToolResult {
                call_id: &result.async_call_id,
                tool_id: &result.tool_id,
                content: &result.result,
                is_error: result.is_error,
            }],
            EventBody::ApprovalRequested(requested) => vec![Told::Approval {
                approval_id: &requested.approval_id,
                tool_id: &requested.tool_id,
                reason: &requested.reason,
                diff: requested.preview.as_ref().map(|preview| preview.diff.as_str()).filter(|diff| !diff.is_empty()),
                command: requested.command.as_ref().map(|command| command.command.as_str()),
            }],
            EventBody::ApprovalResolved(resolved) => vec![Told::Decision {
                approval_id: &resolved.approval_id,
                decision: resolved.decision,
                hunks: self.fates(resolved),
                note: resolved.reason.as_deref(),
            }],
            _ => Vec::new(),
        }
    }

    fn fates(&self, resolved: &ApprovalResolved) -> Vec<HunkFate> {
        let hunks = self.asked.get(&resolved.approval_id).map(Vec::as_slice).unwrap_or_default();
        let fate = |hunk: &Hunk| {
            let is_accepted = resolved.hunks.as_ref().is_none_or(|accepted| accepted.contains(&hunk.index));
            match (resolved.decision, resolved.edited.contains_key(&hunk.index)) {
                (ApprovalDecision::Reject, _) => "rejected",
                (ApprovalDecision::Approve, true) => "edited",
                (ApprovalDecision::Approve, false) if is_accepted => "applied",
                (ApprovalDecision::Approve, false) => "rejected",
            }
        };
        let told = hunks.iter().map(|hunk| HunkFate {
            index: hunk.index,
            path: hunk.path.clone(),
            fate: fate(hunk),
            edited: resolved.edited.get(&hunk.index).cloned(),
        });
        told.collect()
    }

    fn lines(&self, event: &Event, body: &EventBody) -> Vec<String> {
        match body {
            EventBody::RunStarted(_)
            | EventBody::QueueChanged(_)
            | EventBody::OutputMessage(_)
            | EventBody::RunFailed(_) => self.said(body).iter().map(words).collect(),
            EventBody::ToolCall(call) => called(event, call),
            EventBody::PolicyDecided(decided) if decided.decision == Decision::Allow => {
                let diff = self.unseen.get(&decided.call_id).and_then(proposed_diff);
                diff.map(|diff| bounded(&diff, &[])).unwrap_or_default()
            }
            EventBody::ApprovalRequested(requested) => self.asked_lines(event, requested),
            EventBody::ApprovalResolved(resolved) => decided(resolved, &self.fates(resolved)),
            _ => activity(event).iter().map(|line| dim(line)).collect(),
        }
    }

    fn asked_lines(&self, event: &Event, requested: &ApprovalRequested) -> Vec<String> {
        let mut lines: Vec<String> = activity(event).iter().map(|line| dim(line)).collect();
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
}

fn words(told: &Told<'_>) -> String {
    match told {
        Told::User { content, .. } => format!("\n› {}\n", visible(content)),
        Told::Assistant { content, .. } => visible(content),
        Told::Error { content, .. } => visible(content),
        _ => String::new(),
    }
}

/// The lines for a tool call. For tools from outside, only the arguments say what they do.
fn called(event: &Event, call: &ToolCall) -> Vec<String> {
    let mut lines: Vec<String> = activity(event).iter().map(|line| dim(line)).collect();
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

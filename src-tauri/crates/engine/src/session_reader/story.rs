//! The conversation that a log tells: one fold, from events to what each of them adds. How it looks is up to whoever
//! writes it down, a document or a terminal.

mod change;
mod rewound;

pub(crate) use change::arguments_without_text;
pub use rewound::Fate;

use crate::session_reader::SessionReader;
use arki_domain::projection::Queue;
use arki_domain::{
    ApprovalDecision, ApprovalId, ApprovalResolved, CallId, Category, Decision, Error, Event, EventBody, Hunk,
    PolicyDecided, SessionId, ToolCall,
};
use change::proposed_diff;
use rewound::Rewound;
use serde::Serialize;
use std::collections::HashMap;

/// An event's addition to the conversation.
#[derive(Debug)]
pub struct Told {
    /// In milliseconds since 1970.
    pub at: i64,
    pub body: EventBody,
    pub fate: Fate,
    /// The user's messages that had waited and now reach the model.
    pub delivered: Vec<String>,
    /// The tool whose call a rule decided on. Reading needs no permission: none where it is allowed.
    pub(crate) decided_tool: Option<String>,
    /// The diff of what the call writes, unless it was shown before.
    pub diff: Option<String>,
    /// The calls that get no result any more.
    pub(crate) unanswered: Vec<UnansweredCall>,
    /// The decision of an approval on each hunk.
    pub hunks: Vec<HunkFate>,
}

/// A call without a result.
#[derive(Debug)]
pub(crate) struct UnansweredCall {
    pub(crate) tool: String,
    /// The diff of what it would have written, unless it was shown before.
    pub(crate) diff: Option<String>,
}

/// The decision on a hunk.
#[derive(Debug, Serialize)]
pub struct HunkFate {
    pub index: usize,
    pub path: String,
    pub fate: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
}

/// Folds a session's events, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Story {
    queue: Queue,
    rewound: Rewound,
    /// Calls without a result, in the model's order.
    calls: Vec<OpenCall>,
    /// The hunks of open approvals, for when they are decided.
    asked: HashMap<ApprovalId, Vec<Hunk>>,
}

#[derive(Debug)]
struct OpenCall {
    call: ToolCall,
    is_diff_shown: bool,
}

impl SessionReader {
    /// Tells a session's conversation, oldest first; a fork's begins with what it took over from its origin.
    ///
    /// # Errors
    /// When the database cannot be read, or forks lead in a circle.
    pub fn tell(&self, session: &SessionId, mut take: impl FnMut(Told)) -> Result<(), Error> {
        for stretch in self.lineage(session)? {
            let mut rewinds = Vec::new();
            self.each_event(&stretch, |event| {
                if event.kind == "session.rewound"
                    && let EventBody::SessionRewound(rewound) = event.body()
                {
                    rewinds.push((event.seq, rewound));
                }
            })?;
            let mut story = Story { rewound: Rewound::of(&rewinds), ..Story::default() };
            self.each_event(&stretch, |event| take(story.apply(event)))?;
        }
        Ok(())
    }
}

impl Story {
    pub(crate) fn apply(&mut self, event: &Event) -> Told {
        let body = event.body();
        let mut told = Told {
            at: event.ts,
            fate: self.rewound.fate(event.seq, &body),
            delivered: Vec::new(),
            decided_tool: None,
            diff: None,
            unanswered: Vec::new(),
            hunks: Vec::new(),
            body,
        };
        self.fold(&mut told);
        told
    }

    fn fold(&mut self, told: &mut Told) {
        match &told.body {
            EventBody::QueueChanged(changed) => {
                let delivered = changed.delivered.iter().filter_map(|id| self.queue.get(id));
                told.delivered = delivered.map(|message| message.text.clone()).collect();
            }
            EventBody::ToolCall(call) => self.calls.push(OpenCall { call: call.clone(), is_diff_shown: false }),
            EventBody::PolicyDecided(decided) => (told.decided_tool, told.diff) = self.decide(decided),
            EventBody::ApprovalRequested(requested) => {
                let open = requested.call_id.as_ref().and_then(|call_id| self.open(call_id));
                open.into_iter().for_each(|open| open.is_diff_shown = true);
                let hunks = requested.preview.as_ref().map(|preview| preview.hunks.clone()).unwrap_or_default();
                self.asked.insert(requested.approval_id.clone(), hunks);
            }
            EventBody::ApprovalResolved(resolved) => {
                let hunks = self.asked.remove(&resolved.approval_id).unwrap_or_default();
                told.hunks = hunks.into_iter().map(|hunk| fate(resolved, hunk)).collect();
            }
            EventBody::ToolResult(result) => {
                told.diff = self.open(&result.call_id).and_then(OpenCall::unseen_diff);
                self.calls.retain(|open| open.call.call_id != result.call_id);
            }
            EventBody::RunStarted(_)
            | EventBody::RunCompleted(_)
            | EventBody::RunFailed(_)
            | EventBody::RunCancelled(_) => told.unanswered = self.unanswered(),
            _ => {}
        }
        self.queue.apply(&told.body);
    }

    /// The calls that are open; none is after that.
    pub(crate) fn unanswered(&mut self) -> Vec<UnansweredCall> {
        let unanswered = |mut open: OpenCall| UnansweredCall { diff: open.unseen_diff(), tool: open.call.tool_id };
        std::mem::take(&mut self.calls).into_iter().map(unanswered).collect()
    }

    fn open(&mut self, call_id: &CallId) -> Option<&mut OpenCall> {
        self.calls.iter_mut().find(|open| open.call.call_id == *call_id)
    }

    /// The tool and what its call writes.
    fn decide(&mut self, decided: &PolicyDecided) -> (Option<String>, Option<String>) {
        let Some(open) = self.open(&decided.call_id) else { return (None, None) };
        match (decided.decision, open.call.category) {
            (Decision::Allow, Some(Category::Read)) => (None, None),
            (Decision::Allow, _) => (Some(open.call.tool_id.clone()), open.unseen_diff()),
            _ => (Some(open.call.tool_id.clone()), None),
        }
    }
}

impl OpenCall {
    /// Returns the diff of what the call would write, unless it was shown before. Marks it as shown.
    fn unseen_diff(&mut self) -> Option<String> {
        (!std::mem::replace(&mut self.is_diff_shown, true)).then(|| proposed_diff(&self.call)).flatten()
    }
}

fn fate(resolved: &ApprovalResolved, hunk: Hunk) -> HunkFate {
    let is_accepted = resolved.hunks.as_ref().is_none_or(|accepted| accepted.contains(&hunk.index));
    let edited = resolved.edited.get(&hunk.index).cloned();
    let fate = match resolved.decision {
        ApprovalDecision::Approve if edited.is_some() => "edited",
        ApprovalDecision::Approve if is_accepted => "applied",
        ApprovalDecision::Approve | ApprovalDecision::Reject => "rejected",
    };
    HunkFate { index: hunk.index, path: hunk.path, fate, edited }
}

//! The next step of a run, read off its state.

use crate::planning::{Unreadable, read_planning};
use arki_domain::projection::{NextStep, PendingCall, RunState};
use arki_domain::{ApprovalDecision, ApprovalId, Stage};

/// The times that the model is asked to say again what could not be read.
pub(super) const MAX_REPAIRS: u32 = 2;
/// The plans that may follow a plan whose calls failed.
pub(super) const MAX_REPLANS: u32 = 2;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Next {
    Execute(PendingCall),
    Ask(Stage),
    /// The user is to say whether the plan is carried out.
    AskUser,
    AwaitUser(ApprovalId),
    /// The calls made with the plan are not to be carried out.
    DropCalls(Why),
    /// Sub-agents work in the background.
    AwaitSubagents,
    /// The answer is there.
    Complete,
    /// The plan could not be read, as often as it was asked for. The words say why.
    Unreadable(String),
    Ended,
}

/// The reason for which a plan's calls come to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    Rejected,
    /// The user gave the plan other steps.
    Changed,
}

pub(super) fn next(state: &RunState) -> Next {
    if state.next_step() != NextStep::Ended
        && state.stages.is_planned
        && let Some(next) = after_plan(state)
    {
        return next;
    }
    let step = match state.next_step() {
        NextStep::Ended => return Next::Ended,
        NextStep::Execute(pending) => return Next::Execute(pending),
        step @ (NextStep::AskModel | NextStep::AwaitSubagents | NextStep::Complete) => step,
    };
    let has_subagents = !state.background().is_empty();
    let finish = || if step == NextStep::Complete { Next::Complete } else { Next::Ask(Stage::Synthesize) };
    let stages = &state.stages;
    match stages.stage {
        // The answer is made of what they come to.
        Some(_) if stages.is_answered && stages.is_planned && has_subagents => Next::AwaitSubagents,
        _ if step == NextStep::AwaitSubagents => Next::AwaitSubagents,
        None => Next::Ask(Stage::Plan),
        Some(stage) if !stages.is_answered => Next::Ask(stage),
        Some(Stage::Plan | Stage::Repair | Stage::Replan) if !stages.is_planned => match unread(state) {
            // Asked for another plan, the model may as well say why there is none.
            Unreadable::Prose if stages.replans > 0 => finish(),
            why if stages.repairs == MAX_REPAIRS => Next::Unreadable(words(why)),
            _ => Next::Ask(Stage::Repair),
        },
        Some(Stage::Plan | Stage::Repair | Stage::Replan | Stage::Execute) => {
            let replans = stages.has_failed() && stages.replans < MAX_REPLANS;
            Next::Ask(if replans { Stage::Replan } else { Stage::Synthesize })
        }
        Some(Stage::Synthesize) => finish(),
    }
}

/// Returns what the user's decision on the last plan asks for; `None` where it is to be carried out.
fn after_plan(state: &RunState) -> Option<Next> {
    let Some(approval) = &state.stages.approval else {
        let is_due = state.options.approve_plan || state.options.plan;
        return is_due.then_some(Next::AskUser);
    };
    let Some(resolved) = &approval.resolved else {
        return Some(Next::AwaitUser(approval.requested.approval_id.clone()));
    };
    let has_calls = !state.pending_calls().is_empty();
    match (resolved.decision, &resolved.plan) {
        (ApprovalDecision::Reject, _) if has_calls => Some(Next::DropCalls(Why::Rejected)),
        // Nobody will approve another one either.
        (ApprovalDecision::Reject, _) if resolved.is_by_mode() => Some(Next::Ask(Stage::Synthesize)),
        (ApprovalDecision::Reject, _) => Some(Next::Ask(Stage::Replan)),
        (ApprovalDecision::Approve, Some(_)) if has_calls || !approval.is_changed => {
            Some(Next::DropCalls(Why::Changed))
        }
        (ApprovalDecision::Approve, Some(_)) => Some(Next::Ask(Stage::Execute)),
        (ApprovalDecision::Approve, None) => None,
    }
}

/// Returns why the last answer is no plan.
pub(super) fn unread(state: &RunState) -> Unreadable {
    // Calls that stand alone are of known tools; they would have been taken.
    read_planning(&state.last_text, &|_| false).err().unwrap_or(Unreadable::Prose)
}

/// The reason in words for the model, and for the user.
pub(super) fn words(why: Unreadable) -> String {
    match why {
        Unreadable::Prose => "It has neither an intent, nor a plan, nor tool calls.".to_owned(),
        Unreadable::Broken(words) => words,
    }
}

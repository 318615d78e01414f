//! Lines for events that change a session's state and are not a part of an answer.

use super::ObservationType;
use super::draft::{Draft, duration, line};
use super::tool_phrase::Phrase;
use crate::SkipReason;
use crate::plural;
use crate::{
    ApprovalDecision, CallId, CheckpointCreated, Decision, EventBody, FileChanged, MemoryDecision, PauseReason,
    PolicyDecided, QueueMode, RunPaused, SessionConfigured, SessionRewound, StateChanged, WorktreeOf,
};

/// `None` for what other observations tell already, and for what this version does not know.
pub(super) fn draft<'a>(body: &EventBody, phrase: impl Fn(&CallId) -> Option<&'a Phrase>) -> Option<Draft> {
    let call = |call_id: &CallId| phrase(call_id).map_or_else(|| "A call".to_owned(), |phrase| phrase.to_do.clone());
    let title = match body {
        EventBody::PolicyDecided(decided) => denied(decided, call)?,
        EventBody::ApprovalRequested(requested) => match &requested.call_id {
            Some(call_id) => format!("Asks for approval: {}", call(call_id)),
            None => "Asks for approval of the plan".to_owned(),
        },
        EventBody::ApprovalResolved(resolved) => match resolved.decision {
            ApprovalDecision::Approve => "Approved".to_owned(),
            ApprovalDecision::Reject => "Rejected".to_owned(),
        },
        EventBody::SubagentStarted(started) => format!("Started the sub-agent {}", line(&started.agent)),
        EventBody::QuestionAsked(question) => format!("Asks: {}", line(&question.text)),
        EventBody::QuestionAnswered(answer) => format!("The user says: {}", line(&answer.text)),
        EventBody::FileChanged(changed) => file_changed(changed),
        EventBody::ChangeTakenBack(taken) => {
            format!("Undid a change to {}", plural(taken.changes.len() as u64, "file"))
        }
        EventBody::ChangesCommitted(told) => {
            format!("The user committed {}: {}", plural(told.files.len() as u64, "file"), line(&told.message))
        }
        EventBody::SandboxCleanedUp(cleaned) => {
            format!("Cleaned up after commands: {}", line(&cleaned.notes.join(" ")))
        }
        EventBody::RunPaused(paused) => format!("Paused: {}", because(paused)),
        EventBody::RunResumed(_) => "Resumed".to_owned(),
        EventBody::RunCancelled(_) => "Stopped".to_owned(),
        EventBody::HookRan(hook) if hook.outcome.is_some() && hook.is_news() => line(&hook.words()).to_string(),
        EventBody::HookRan(hook) => format!("Ran hook `{}` ({})", line(&hook.command), duration(hook.duration_ms)),
        EventBody::ArtifactEmitted(artifact) => {
            format!("Kept {} ({})", line(&artifact.name), plural(artifact.bytes, "byte"))
        }
        other => of_session(other)?,
    };
    let payload = body.payload().unwrap_or_default();
    Some(Draft::new(ObservationType::StateUpdate, title).content(payload))
}

fn of_session(body: &EventBody) -> Option<String> {
    Some(match body {
        EventBody::SessionCreated(created) => match &created.worktree {
            Some(WorktreeOf { project, branch }) => {
                format!("Started in a worktree of {}, on the branch {}", line(project), line(branch))
            }
            None => format!("Started in {}", line(&created.project)),
        },
        EventBody::SessionForked(forked) => format!("Forked at event {}", forked.from_seq),
        EventBody::SessionConfigured(configured) => settings(configured),
        EventBody::SessionGranted(granted) if granted.rules.is_empty() => "No calls are allowed for this \
            session"
            .to_owned(),
        EventBody::SessionGranted(granted) => {
            format!("Allowed for this session: {}", plural(granted.rules.len() as u64, "rule"))
        }
        EventBody::SessionRewound(rewound) => went_back(rewound),
        EventBody::TrustChanged(changed) if changed.trusted => "The folder is trusted".to_owned(),
        EventBody::TrustChanged(_) => "The folder is not trusted".to_owned(),
        EventBody::MessageQueued(queued) => match queued.mode {
            QueueMode::Steer => format!("Next turn: {}", line(&queued.text)),
            QueueMode::FollowUp => format!("Next run: {}", line(&queued.text)),
        },
        EventBody::QueueChanged(changed) if changed.delivered.is_empty() => {
            format!("Queue: {}", plural(changed.queued.len() as u64, "message"))
        }
        EventBody::QueueChanged(changed) => {
            format!("Sent the model {}", plural(changed.delivered.len() as u64, "message"))
        }
        EventBody::CheckpointCreated(CheckpointCreated { summary: Some(summary), .. }) => {
            format!("Checkpoint: {}", line(summary))
        }
        EventBody::CommandEnded(ended) => {
            let who = if ended.result.tool_id == "run_command" { "The command" } else { "The MCP server" };
            format!("{who} changed {} in its view", plural(ended.files, "file"))
        }
        EventBody::CheckpointCreated(checkpoint) => format!("Saved snapshots of {}", plural(checkpoint.files, "file")),
        EventBody::StateChanged(change) => format!("State: {}", keys(change)),
        EventBody::StateSnapshot(snapshot) => format!("Saved the state after event {}", snapshot.last_seq),
        EventBody::ContextAdded(added) => format!("Added {} to the context", line(&added.origin)),
        EventBody::ContextCompacted(compacted) => {
            format!("Shortened the context from {} to {} tokens", compacted.tokens_before, compacted.tokens_after)
        }
        EventBody::ContextDropped(dropped) => line(&dropped.words()),
        EventBody::WorkingMemorySnapshot(_) => "Saved the working memory".to_owned(),
        EventBody::MemoryObserved(memory) => format!("Remembers {}", plural(memory.observations.len() as u64, "fact")),
        EventBody::MemoryReviewed(reviewed) => match reviewed.decision {
            MemoryDecision::Accepted => "Accepted a memory".to_owned(),
            MemoryDecision::Rejected => "Rejected a memory".to_owned(),
        },
        EventBody::MemoryReflected(memory) => format!("Drew {}", plural(memory.reflections.len() as u64, "conclusion")),
        EventBody::StepStarted(step) => format!("Step {} started", line(&step.step)),
        EventBody::StepCompleted(step) => {
            format!("Step {} finished ({})", line(&step.step), duration(step.duration_ms))
        }
        EventBody::StepSkipped(step) => match step.reason {
            SkipReason::Done => format!("Step {} was already done", line(&step.step)),
            SkipReason::Condition => format!("Step {} was skipped", line(&step.step)),
        },
        _ => return None,
    })
}

/// Returns the line of a denial; permissions and questions show by the events that follow.
fn denied(decided: &PolicyDecided, call: impl Fn(&CallId) -> String) -> Option<String> {
    match decided.decision {
        Decision::Deny => Some(format!("Denied: {}", call(&decided.call_id))),
        Decision::Allow | Decision::Review | Decision::Preview | Decision::Approval => None,
    }
}

fn file_changed(changed: &FileChanged) -> String {
    let verb = match (&changed.before_hash, &changed.after_hash) {
        (None, _) => "Created",
        (Some(_), None) => "Removed",
        (Some(_), Some(_)) => "Changed",
    };
    format!("{verb} {}", line(&changed.path))
}

fn because(paused: &RunPaused) -> &'static str {
    match paused.reason {
        _ if paused.question_id.is_some() => "waits for an answer",
        PauseReason::Approval => "waits for approval",
        PauseReason::Budget => "the budget is used up",
        PauseReason::Plan => "the plan needs a review",
        PauseReason::User => "by the user",
        PauseReason::Interrupted => "the program ended",
        PauseReason::Failed => "the run failed",
    }
}

fn settings(configured: &SessionConfigured) -> String {
    match (&configured.model, configured.approve) {
        (Some(model), None) => format!("Model: {}", line(model)),
        (None, Some(_)) => "Approvals changed".to_owned(),
        (None, None) if configured.title.is_some() => "Renamed".to_owned(),
        (None, None) if configured.archived == Some(true) => "Archived".to_owned(),
        (None, None) if configured.archived == Some(false) => "Brought back from the archive".to_owned(),
        (None, None) if configured.pinned == Some(true) => "Pinned".to_owned(),
        (None, None) if configured.pinned == Some(false) => "Unpinned".to_owned(),
        (None, None) if configured.disabled_tools.is_some() => "Tools changed".to_owned(),
        (None, None) if configured.off.is_some() => "Context changed".to_owned(),
        _ => "Settings changed".to_owned(),
    }
}

fn keys(change: &StateChanged) -> String {
    let set = change.set.keys().map(|key| format!("set {}", line(key)));
    let removed = change.removed.iter().map(|key| format!("removed {}", line(key)));
    set.chain(removed).collect::<Vec<_>>().join(", ")
}

fn went_back(rewound: &SessionRewound) -> String {
    let what = match (rewound.files, rewound.conversation) {
        (true, false) => "the files",
        (false, true) => "the conversation",
        _ => "all",
    };
    format!("Rewound {what} to event {}", rewound.to_seq)
}

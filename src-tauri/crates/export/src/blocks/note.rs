//! The events around the conversation, in a sentence each.

use super::call::{change, decided, late_result};
use super::{Block, Speaker, Tone, quoted, statement, text, words};
use crate::fold::grouped;
use arki_domain::projection::{CallQuestion, CallSubagent, ItemBody, Notice, RewoundItem};
use arki_domain::visible::one_line;
use arki_domain::{EventBody, HookRan, PauseReason, PlanStep, PlanStepState, RestoreAction, RestoredFile, RunPaused};

/// Nothing for what says nothing to a reader.
pub(super) fn note(body: &ItemBody) -> Vec<Block> {
    use Tone::{Attention, Plain};
    let (tone, line) = match body {
        ItemBody::Notice(notice) => return noticed(&notice.notice),
        ItemBody::Other(other) => return beside(&other.event),
        ItemBody::Hook(hook) => return vec![self::hook(&hook.ran)],
        ItemBody::Rewound(rewound) => return rewind(rewound),
        ItemBody::Forked(forked) => {
            let from = words(format!("Forked here, from event {} of ", grouped(forked.from_seq)));
            (Attention, vec![from, quoted(forked.from_session.as_str())])
        }
        ItemBody::Compacted(compacted) => {
            let (before, after) = (grouped(compacted.tokens_before), grouped(compacted.tokens_after));
            (
                Plain,
                vec![words(format!("For the model the conversation was shortened from {before} to {after} tokens."))],
            )
        }
        _ => return Vec::new(),
    };
    vec![statement(tone, line)]
}

fn noticed(notice: &Notice) -> Vec<Block> {
    let line = match notice {
        Notice::Stopped => vec![words("Stopped by the user.")],
        Notice::Retried(retry) => vec![words("Asked the model again after "), quoted(&retry.code)],
        Notice::LeftOut(dropped) => vec![quoted(dropped.words())],
        Notice::CleanedUp(cleaned) => vec![quoted(cleaned.notes.join(" "))],
        Notice::Reverted(reverted) => return restored("A change was taken back.", &reverted.taken_back.changes),
        Notice::Planned(plan) => return planned("Plan: ", &plan.intent, &plan.steps),
        Notice::UnknownWords => return Vec::new(),
    };
    vec![statement(Tone::Attention, line)]
}

/// Draws an event of a run's course.
fn beside(event: &EventBody) -> Vec<Block> {
    use Tone::{Attention, Good, Plain};
    let (tone, line) = match event {
        EventBody::TrustChanged(trust) if trust.trusted => (Plain, vec![words("The folder is trusted.")]),
        EventBody::TrustChanged(_) => (Attention, vec![words("The folder is not trusted.")]),
        EventBody::RunPaused(paused) => match pause_words(paused) {
            Some(reason) => (Attention, vec![words(reason)]),
            None => return Vec::new(),
        },
        EventBody::RunResumed(resumed) if resumed.reason != PauseReason::Approval && resumed.question_id.is_none() => {
            (Plain, vec![words("Went on.")])
        }
        EventBody::PlanUpdated(plan) => return planned("Plan, updated: ", &plan.intent, &plan.steps),
        EventBody::ContextAdded(added) => {
            (Plain, vec![words("The model was also shown "), quoted(&added.origin), words(".")])
        }
        EventBody::ArtifactEmitted(artifact) => {
            let size = words(format!(", {} bytes", grouped(artifact.bytes)));
            (Good, vec![words("Artifact: "), quoted(&artifact.name), words(", "), quoted(&artifact.media_type), size])
        }
        EventBody::QuestionAnswered(answer) => {
            return vec![Block::Said { by: Speaker::User, text: answer.text.clone() }];
        }
        EventBody::ApprovalResolved(resolved) => return decided(resolved),
        EventBody::HookRan(ran) => return vec![hook(ran)],
        EventBody::FileChanged(changed) => return vec![change(changed)],
        EventBody::ToolAsyncResult(result) => {
            return vec![late_result(&result.tool_id, Some(&result.result), result.is_error)];
        }
        _ => return Vec::new(),
    };
    vec![statement(tone, line)]
}

pub(super) fn hook(hook: &HookRan) -> Block {
    let tone = if hook.has_worked() { Tone::Plain } else { Tone::Attention };
    if hook.outcome.is_some() {
        return statement(tone, [quoted(hook.words())]);
    }
    let end =
        hook.exit_code.map_or_else(|| " did not end by itself.".to_owned(), |code| format!(" ended with {code}."));
    statement(tone, [words("The hook "), quoted(&hook.command), words(end)])
}

pub(super) fn handed_over(subagent: &CallSubagent) -> Block {
    let CallSubagent { agent, session_id } = subagent;
    let line = [words("Handed to the agent "), quoted(agent), words(", in the session "), quoted(session_id.as_str())];
    statement(Tone::Plain, line)
}

/// The question, with the answers to choose from as a list.
pub(super) fn question(asked: &CallQuestion) -> String {
    let options = asked.options.iter().map(|option| format!("- {}", one_line(option)));
    let blank = (!asked.options.is_empty()).then(String::new);
    std::iter::once(asked.text.clone()).chain(blank).chain(options).collect::<Vec<_>>().join("\n")
}

/// `None` for a pause that is told of by its approval or question.
fn pause_words(paused: &RunPaused) -> Option<&'static str> {
    match paused.reason {
        PauseReason::Approval => None,
        _ if paused.question_id.is_some() => None,
        PauseReason::Budget => Some("Paused: a budget was used up."),
        PauseReason::Plan => Some("Paused: the plan waits for the user."),
        PauseReason::User => Some("Paused by the user."),
        PauseReason::Interrupted => Some("The program ended in the middle."),
        PauseReason::Failed => Some("Paused after a failure."),
    }
}

fn rewind(rewound: &RewoundItem) -> Vec<Block> {
    let what = match (rewound.files, rewound.conversation) {
        (true, true) => "Files and conversation were",
        (true, false) => "Files were",
        (false, _) => "The conversation was",
    };
    restored(&format!("{what} taken back to event {}.", grouped(rewound.to_seq)), &rewound.changes)
}

fn restored(sentence: &str, files: &[RestoredFile]) -> Vec<Block> {
    let mut blocks = vec![Block::Statement { tone: Tone::Attention, line: vec![words(sentence.to_owned())] }];
    for file in files {
        let what = match file.action {
            RestoreAction::Restore => " was put back.",
            RestoreAction::Delete => " was deleted.",
            RestoreAction::Keep => " was so already.",
            RestoreAction::Conflict => " was left alone: the user changed the same lines.",
        };
        blocks.push(Block::Statement { tone: Tone::Plain, line: vec![quoted(&file.path), words(what)] });
    }
    blocks
}

fn planned(name: &'static str, intent: &str, steps: &[PlanStep]) -> Vec<Block> {
    let step = |step: &PlanStep| {
        let state = match step.state {
            PlanStepState::Pending => "to do",
            PlanStepState::InProgress => "doing",
            PlanStepState::Done => "done",
            PlanStepState::Skipped => "skipped",
        };
        format!("[{state}] {}\n", step.title)
    };
    let head = Block::Statement { tone: Tone::Plain, line: vec![words(name), text(intent)] };
    vec![head, Block::Replacement(steps.iter().map(step).collect())]
}

//! The events around the conversation, in a sentence each.

use super::{Block, Speaker, Tone, quoted, text, words};
use crate::exports::fold::grouped;
use crate::visible::one_line;
use arki_domain::{
    EventBody, PauseReason, PlanStep, PlanStepState, QuestionAsked, RestoreAction, RestoredFile, RunPaused,
    SessionRewound,
};

/// Nothing for what says nothing to a reader.
pub(super) fn note(body: EventBody) -> Vec<Block> {
    use Tone::{Attention, Good, Plain};
    let (tone, line) = match body {
        EventBody::SessionForked(forked) => {
            let from = words(format!("Forked here, from event {} of ", grouped(forked.from_seq)));
            (Attention, vec![from, quoted(forked.from_session.as_str())])
        }
        EventBody::SessionRewound(rewound) => return rewind(rewound),
        EventBody::ChangeTakenBack(taken_back) => return restored("A change was taken back.", taken_back.changes),
        EventBody::SandboxCleanedUp(cleaned) => (Attention, vec![quoted(cleaned.notes.join(" "))]),
        EventBody::TrustChanged(trust) if trust.trusted => (Plain, vec![words("The folder is trusted.")]),
        EventBody::TrustChanged(_) => (Attention, vec![words("The folder is not trusted.")]),
        EventBody::RunPaused(paused) => match pause_words(&paused) {
            Some(reason) => (Attention, vec![words(reason)]),
            None => return Vec::new(),
        },
        EventBody::RunResumed(resumed) if resumed.reason != PauseReason::Approval && resumed.question_id.is_none() => {
            (Plain, vec![words("Went on.")])
        }
        EventBody::EngineRetry(retry) => (Attention, vec![words("Asked the model again after "), quoted(retry.code)]),
        EventBody::SubagentStarted(started) => (
            Plain,
            vec![
                words("Handed to the agent "),
                quoted(started.agent),
                words(", in the session "),
                quoted(started.session_id.as_str()),
            ],
        ),
        EventBody::QuestionAsked(asked) => return vec![Block::Said { by: Speaker::Model, text: asked_text(asked) }],
        EventBody::QuestionAnswered(answer) => return vec![Block::Said { by: Speaker::User, text: answer.text }],
        EventBody::PlanProposed(plan) => return planned("Plan: ", &plan.intent, &plan.steps),
        EventBody::PlanUpdated(plan) => return planned("Plan, updated: ", &plan.intent, &plan.steps),
        EventBody::ContextAdded(added) => {
            (Plain, vec![words("The model was also shown "), quoted(added.origin), words(".")])
        }
        EventBody::ContextCompacted(compacted) => {
            let (before, after) = (grouped(compacted.tokens_before), grouped(compacted.tokens_after));
            (
                Plain,
                vec![words(format!("For the model the conversation was shortened from {before} to {after} tokens."))],
            )
        }
        EventBody::ContextDropped(dropped) => (Attention, vec![quoted(dropped.words())]),
        EventBody::HookRan(hook) if hook.outcome.is_some() => {
            let tone = if hook.has_worked() { Plain } else { Attention };
            (tone, vec![quoted(hook.words())])
        }
        EventBody::HookRan(hook) => {
            let end = hook
                .exit_code
                .map_or_else(|| " did not end by itself.".to_owned(), |code| format!(" ended with {code}."));
            let tone = if hook.exit_code == Some(0) { Plain } else { Attention };
            (tone, vec![words("The hook "), quoted(hook.command), words(end)])
        }
        EventBody::ArtifactEmitted(artifact) => {
            let size = words(format!(", {} bytes", grouped(artifact.bytes)));
            (Good, vec![words("Artifact: "), quoted(artifact.name), words(", "), quoted(artifact.media_type), size])
        }
        EventBody::ToolAsyncResult(result) => {
            let end = if result.is_error { " failed at last" } else { " answered at last" };
            let line = vec![quoted(&result.tool_id), words(end)];
            return vec![Block::Result { line, text: result.result, is_error: result.is_error }];
        }
        _ => return Vec::new(),
    };
    vec![Block::Statement { tone, line }]
}

/// The question, with the answers to choose from as a list.
fn asked_text(asked: QuestionAsked) -> String {
    let options = asked.options.iter().map(|option| format!("- {}", one_line(option)));
    let blank = (!asked.options.is_empty()).then(String::new);
    std::iter::once(asked.text).chain(blank).chain(options).collect::<Vec<_>>().join("\n")
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

fn rewind(rewound: SessionRewound) -> Vec<Block> {
    let what = match (rewound.files, rewound.conversation) {
        (true, true) => "Files and conversation were",
        (true, false) => "Files were",
        (false, _) => "The conversation was",
    };
    restored(&format!("{what} taken back to event {}.", grouped(rewound.to_seq)), rewound.changes)
}

fn restored(sentence: &str, files: Vec<RestoredFile>) -> Vec<Block> {
    let mut blocks = vec![Block::Statement { tone: Tone::Attention, line: vec![words(sentence.to_owned())] }];
    for file in files {
        let what = match file.action {
            RestoreAction::Restore => " was put back.",
            RestoreAction::Delete => " was deleted.",
            RestoreAction::Keep => " was so already.",
            RestoreAction::Conflict => " was left alone: the user changed the same lines.",
        };
        blocks.push(Block::Statement { tone: Tone::Plain, line: vec![quoted(file.path), words(what)] });
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

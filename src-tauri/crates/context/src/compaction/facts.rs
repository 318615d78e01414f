//! The facts that stand before the rest of a compacted conversation: the goal, the user's messages, the plan and the
//! changed files, all of them from the log.

use super::CompactionInputs;
use arki_domain::projection::{ConversationMessage, MessageKind, PlanVersion, ShownAs};
use arki_domain::{Message, PlanStepState};
use std::fmt::Write;

const HEAD: &str = "[The earlier part of this conversation was left out to save space. This stands for it; it's no new \
    message from the user.]";

/// The amount of detail, in bytes of one fact and in their number.
#[derive(Debug, Clone, Copy)]
struct Detail {
    goal: usize,
    message: usize,
    /// The newest of the user's messages. But for the last level all are.
    messages: usize,
    files: usize,
    steps: usize,
}

/// The levels of detail, from the most to the least.
const DETAILS: [Detail; 5] = [
    Detail { goal: 8000, message: 2000, messages: usize::MAX, files: 200, steps: 100 },
    Detail { goal: 2000, message: 500, messages: usize::MAX, files: 100, steps: 50 },
    Detail { goal: 800, message: 160, messages: usize::MAX, files: 50, steps: 30 },
    Detail { goal: 400, message: 80, messages: usize::MAX, files: 30, steps: 20 },
    Detail { goal: 200, message: 60, messages: 10, files: 10, steps: 10 },
];

pub(super) const DETAIL_LEVELS: usize = DETAILS.len();

/// Returns the facts. They get no longer with fewer dropped messages: `is_dropped` says which of the conversation's
/// are.
pub(super) fn facts(
    inputs: &CompactionInputs<'_>,
    level: usize,
    is_dropped: impl Fn(&ConversationMessage<'_>) -> bool,
) -> String {
    let detail = DETAILS[level.min(DETAIL_LEVELS - 1)];
    let mut text = HEAD.to_owned();
    let said = inputs.conversation.iter().filter(|message| *message.kind == MessageKind::Said);
    let mut prompts = said.filter_map(|message| match &**message.whole {
        Message::User { content, .. } => Some((content.as_str(), gone(message) || is_dropped(message))),
        _ => None,
    });
    if let Some((goal, _)) = prompts.next() {
        let _ = write!(text, "\n\n# Goal\n\n{}", cut(goal, detail.goal));
    }
    let prompts: Vec<&str> = prompts.filter(|(_, is_gone)| *is_gone).map(|(prompt, _)| prompt).collect();
    list_prompts(&mut text, &prompts, detail);
    if let Some(plan) = inputs.plan {
        write_plan(&mut text, plan, detail);
    }
    list_files(&mut text, inputs.changed_files, detail.files);
    text
}

fn gone(message: &ConversationMessage<'_>) -> bool {
    message.shown_as == ShownAs::LeftOut
}

fn list_prompts(text: &mut String, prompts: &[&str], detail: Detail) {
    if prompts.is_empty() {
        return;
    }
    text.push_str("\n\n# The user's further messages, oldest first\n");
    let skipped = prompts.len().saturating_sub(detail.messages);
    if skipped > 0 {
        let _ = write!(text, "\n({skipped} earlier ones are in the log.)");
    }
    for prompt in &prompts[skipped..] {
        let _ = write!(text, "\n- {}", cut(prompt, detail.message));
    }
}

fn write_plan(text: &mut String, plan: &PlanVersion, detail: Detail) {
    let _ = write!(text, "\n\n# Plan\n\n{}", cut(&plan.intent, detail.goal));
    for step in plan.steps.iter().take(detail.steps) {
        let mark = match step.state {
            PlanStepState::Pending => "to do",
            PlanStepState::InProgress => "in progress",
            PlanStepState::Done => "done",
            PlanStepState::Skipped => "skipped",
        };
        let _ = write!(text, "\n- {mark}: {}", cut(&step.title, detail.message));
    }
}

fn list_files(text: &mut String, files: &[&str], most: usize) {
    if files.is_empty() {
        return;
    }
    text.push_str("\n\n# Files changed so far\n");
    let skipped = files.len().saturating_sub(most);
    for path in &files[skipped..] {
        let _ = write!(text, "\n- {path}");
    }
    if skipped > 0 {
        let _ = write!(text, "\n- and {skipped} more");
    }
}

/// The beginning of a text, with a word where it was cut.
pub(super) fn cut(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(max_bytes);
    format!("{}… [{} bytes more]", &text[..end], text.len() - end)
}

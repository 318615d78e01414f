//! The rest of a conversation, beside live answers and calls: notices, the plan, and its past.

use crate::messages::{PlanEntry, SessionUpdate, TextChunk};
use crate::telling::calls::{CommandOutputForm, SentOutput, call_update};
use arki_domain::projection::{ConversationItem, ItemBody, ItemPart, Notice, PlanVersion};
use arki_domain::{PlanStepState, plural};
use std::path::Path;

/// A message of Arki's own.
pub(crate) fn message(id: impl Into<String>, text: impl Into<String>) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(TextChunk::new(id, text))
}

pub(crate) fn plan_update(plan: &PlanVersion) -> SessionUpdate {
    let entry = |step: &arki_domain::PlanStep| PlanEntry {
        content: step.title.clone(),
        priority: "medium",
        status: match step.state {
            PlanStepState::Pending => "pending",
            PlanStepState::InProgress => "in_progress",
            PlanStepState::Done | PlanStepState::Skipped => "completed",
        },
    };
    SessionUpdate::Plan { entries: plan.steps.iter().map(entry).collect() }
}

/// The line about an item that is neither said nor a call.
pub(super) fn notice(item: &ConversationItem) -> Option<SessionUpdate> {
    let text = match &item.body {
        ItemBody::Notice(shown) => match &shown.notice {
            Notice::LeftOut(dropped) => dropped.words(),
            Notice::CleanedUp(cleaned) => cleaned.notes.join(" "),
            Notice::Reverted(reverted) => format!("Reverted: {}.", reverted.paths.join(", ")),
            Notice::Stopped | Notice::Retried(_) | Notice::UnknownWords | Notice::Planned(_) => return None,
        },
        ItemBody::Compacted(done) => {
            format!("Shortened what the model sees, from {} to {} tokens.", done.tokens_before, done.tokens_after)
        }
        ItemBody::Rewound(rewound) if rewound.conversation => {
            format!("Rewound the conversation: {} taken back.", plural(rewound.messages as u64, "message"))
        }
        ItemBody::Rewound(rewound) => {
            format!("Rewound the files: {} restored.", plural(rewound.restored as u64, "file"))
        }
        _ => return None,
    };
    Some(message(item.key.as_str(), format!("{text}\n\n")))
}

/// Tells an item of the past. `part`: what the event that is replayed changed of it.
pub(crate) fn replayed(
    folder: &Path,
    item: &ConversationItem,
    part: ItemPart,
    form: CommandOutputForm,
) -> Vec<SessionUpdate> {
    if let ItemBody::Call(call) = &item.body {
        return call_update(folder, call, part, form, SentOutput::Nothing).into_iter().collect();
    }
    if part != ItemPart::Whole {
        return Vec::new();
    }
    let chunk = |text: &str| (!text.is_empty()).then(|| TextChunk::new(item.key.as_str(), text));
    match &item.body {
        ItemBody::User(said) => chunk(&said.text).map(SessionUpdate::UserMessageChunk).into_iter().collect(),
        ItemBody::Assistant(said) => {
            let thoughts = (!said.thoughts.is_empty())
                .then(|| TextChunk::new(format!("{}.thoughts", item.key), said.thoughts.as_str()));
            let text = chunk(&said.text).map(SessionUpdate::AgentMessageChunk);
            thoughts.map(SessionUpdate::AgentThoughtChunk).into_iter().chain(text).collect()
        }
        ItemBody::Failure(failure) => {
            vec![message(item.key.as_str(), format!("{} {}\n\n", failure.message, failure.hint))]
        }
        _ => notice(item).into_iter().collect(),
    }
}

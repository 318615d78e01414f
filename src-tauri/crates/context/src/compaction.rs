//! Compaction: making a conversation fit its model's window again. It decides and writes nothing.
//!
//! **Use.** Where [`CompactionLimits::is_due`], or the provider says the prompt was too long, or the user asks:
//!
//! 1. [`plan_compaction`] over `Transcript::conversation`. `None`: nothing to do. An error: it can't be done, and says
//!    why; ask again only when something has changed.
//! 2. [`Compaction::Ready`] holds the `context.compacted` to append.
//! 3. [`Compaction::Summarize`] wants a summary first: send [`SummaryRequest`] to a model without any tools, then append
//!    what [`SummaryPlan::with_summary`] makes of the answer. Where it refuses the answer, or the model fails, append
//!    [`SummaryPlan::without_summary`].
//!
//! Nothing happens until the event is appended, so that a crash before it leaves nothing, and after it the folded log
//! is the compacted conversation.
//!
//! **What holds of every event it makes**, each a property test: the next request is at most as long as the target;
//! it is shorter than before by at least [`MIN_SAVED_TOKENS`]; calls and results go together; a message of the user's
//! that is dropped is quoted in the summary; the goal, the plan and the changed files are in what remains, from the log
//! and not from a model's memory.

mod facts;
mod planning;
mod summary;
mod units;

#[cfg(test)]
mod tests;

pub use planning::{Compaction, plan_compaction};
pub use summary::{SummaryAnswer, SummaryPlan, SummaryRefused, SummaryRequest};

use crate::CountTokens;
use arki_domain::projection::{ConversationMessage, PlanVersion};
use arki_domain::{Code, CompactionStrategy, Error};

/// The least that a compaction has to save.
pub const MIN_SAVED_TOKENS: u64 = 32;
/// The share of a conversation that remains, at the most.
const TARGET_SHARE: f64 = 0.5;

/// When to compact, and down to what. In tokens of a whole request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionLimits {
    pub window: u64,
    /// The system prompt and the tools: what no compaction can shorten.
    pub fixed: u64,
    pub due_at: u64,
    pub target: u64,
    /// The window without what is kept free for the answer.
    pub room: u64,
    /// The most messages that stay, where it is their number that has to come down: old results aren't enough then.
    pub max_messages: Option<usize>,
}

impl CompactionLimits {
    /// `at_fraction` is the configuration's; `max_answer` is kept free for the answer.
    #[must_use]
    pub fn new(window: u64, fixed: u64, at_fraction: f64, max_answer: u64) -> Self {
        let room = window.saturating_sub(max_answer.min(window / 2));
        let due_at = ((window as f64 * at_fraction.clamp(0.1, 1.0)) as u64).min(room);
        Self { window, fixed, due_at, target: target(fixed, due_at), room, max_messages: None }
    }

    #[must_use]
    pub fn is_due(&self, next_request: u64) -> bool {
        next_request >= self.due_at
    }

    /// Returns the budget where the user asks, or the provider says that a request was too long which seemed to fit: at
    /// most half of what the conversation takes.
    #[must_use]
    pub fn asked_for(self, next_request: u64) -> Self {
        Self { target: self.target.min(target(self.fixed, next_request)), ..self }
    }

    /// Returns the budget where the conversation has too many messages, however short: at most so many of them stay.
    #[must_use]
    pub fn with_messages(self, most: usize) -> Self {
        Self { max_messages: Some(most), ..self }
    }

    /// Returns the budget where the target can't be met and the request doesn't fit: the whole room.
    #[must_use]
    pub fn whole_room(self) -> Self {
        Self { target: self.room, ..self }
    }
}

fn target(fixed: u64, request: u64) -> u64 {
    let conversation = request.saturating_sub(fixed);
    (fixed + (conversation as f64 * TARGET_SHARE) as u64).min(request)
}

pub struct CompactionInputs<'a> {
    /// All of `Transcript::conversation`.
    pub conversation: &'a [ConversationMessage<'a>],
    pub plan: Option<&'a PlanVersion>,
    /// Paths, the one that was changed last at the end.
    pub changed_files: &'a [&'a str],
    pub strategy: CompactionStrategy,
    /// The topic that the user wants kept above all.
    pub focus: Option<&'a str>,
    pub limits: CompactionLimits,
    /// The context window of the model that writes the summary, in tokens.
    pub summary_window: u64,
    pub tokens: &'a dyn CountTokens,
}

/// Why a conversation can't be made to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CompactionError {
    #[error("The system prompt, the tools and the rules alone need about {tokens} tokens of {target}.")]
    FixedTooLarge { tokens: u64, target: u64 },
    #[error("The last exchange alone needs about {tokens} tokens, and {room} are left for it.")]
    LastExchangeTooLarge { tokens: u64, room: u64 },
    #[error("Nothing more can be left out: the next request needs about {tokens} tokens, and {target} is the target.")]
    NothingToDrop { tokens: u64, target: u64 },
    #[error(
        "The next request needs about {tokens} tokens, {fixed} of them for the system prompt, the tools and the rules. \
        The model's context window has {window}."
    )]
    WindowTooSmall { tokens: u64, fixed: u64, window: u64 },
}

impl From<CompactionError> for Error {
    fn from(error: CompactionError) -> Self {
        let hint = match error {
            CompactionError::FixedTooLarge { .. } => {
                "Turn off tools, skills or rules for this session, or choose a model with a larger context window."
            }
            CompactionError::LastExchangeTooLarge { .. } | CompactionError::NothingToDrop { .. } => {
                "Choose a model with a larger context window, or go back to before the last message and ask for less."
            }
            CompactionError::WindowTooSmall { .. } => {
                "`arki context` shows what takes the space. Switch off what you can do without (`arki tools --off`, \
                `arki sessions configure --off`), or choose a model with a larger context window."
            }
        };
        Self::new(Code::CONTEXT_TOO_LONG, error.to_string(), hint)
    }
}

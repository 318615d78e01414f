//! What the model sees: the system prompt, put together in a fixed order; what of the conversation is left out when it
//! gets too long; and the account of both, part by part.
//!
//! Pure work on text: whoever calls hands in the files' contents, so that this crate can neither read nor write anything.
//! The messages themselves are a projection of the log (`arki_domain::projection::Transcript`).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod compaction;
mod system_prompt;
mod template;
mod tokens;
mod view;

pub use compaction::{
    Compaction, CompactionError, CompactionInputs, CompactionLimits, MIN_SAVED_TOKENS, SummaryAnswer, SummaryPlan,
    SummaryRefused, SummaryRequest, plan_compaction,
};
pub use system_prompt::{ChosenSkill, IndexEntry, Part, Rule, SystemPrompt, SystemPromptInputs, assemble};
pub use template::render;
pub use tokens::{Corrected, CountTokens, TokenCorrection};
pub use view::{ContextPart, ContextView, ContextViewInputs, CountedRequest, LeftOut};

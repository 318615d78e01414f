//! What the model sees before the conversation: the system prompt, put together in a fixed order.
//!
//! Pure text work: whoever calls hands in the files' contents, so that this crate can neither read nor write anything.
//! The messages themselves are a projection of the log (`arki_domain::projection::Transcript`).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod system_prompt;
mod template;

pub use system_prompt::{ChosenSkill, IndexEntry, Part, Rule, SystemPrompt, SystemPromptInputs, assemble};
pub use template::render;

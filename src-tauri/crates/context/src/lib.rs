//! The context of the model: the system prompt, put together in a fixed order; the parts of the conversation left out
//! when it gets too long; and the account of both, part by part. And what comes into it from people: rules, skills,
//! agents, slash commands, prompts, mentions, memories.
//!
//! Pure work on text: whoever calls hands in the files' contents, so that this crate can neither read nor write anything.
//! The messages themselves are a projection of the log (`arki_domain::projection::Transcript`).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod agent_file;
mod allowed_tools;
mod commands;
mod compaction;
mod front_matter;
mod memory;
mod mentions;
mod path_ranking;
mod prompts;
mod reflection;
mod rules;
mod skills;
mod system_prompt;
mod template;
mod title;
mod tokens;
mod view;

pub use agent_file::AgentFile;
pub use allowed_tools::AllowedTools;
pub use commands::{BUILT_IN_COMMANDS, BuiltInCommand, SlashCommand, UserCommand, split_arguments};
pub use compaction::{
    Compaction, CompactionError, CompactionInputs, CompactionLimits, MIN_SAVED_TOKENS, SummaryAnswer, SummaryPlan,
    SummaryRefused, SummaryRequest, plan_compaction,
};
pub use front_matter::FrontMatter;
pub use memory::{MAX_MEMORY_BYTES, MemoryFile, MemoryText, add_memory, memories, memory_text, remove_memory};
pub use mentions::{
    CODEBASE_MENTION, DIFF_MENTION, MAX_MENTIONS, Mention, MentionTarget, PathKind, mention_of, mentions,
};
pub use path_ranking::rank_paths;
pub use prompts::{BuiltPrompt, MAX_PROMPT_BYTES, PromptError, PromptLayers, build_prompt};
pub use reflection::{reflection_request, reflections};
pub use rules::{
    Applies, FileWarning, ImportedText, LoadedRule, LoadedRules, MAX_RULE_BYTES, MAX_RULES, MAX_RULES_AT_START_BYTES,
    RuleFile, RuleKind, imports_of, load_rules, rule_kind, rule_order,
};
pub use skills::{SkillText, Triggers};
pub use system_prompt::{
    ChosenSkill, IndexEntry, PartEntry, PromptPart, Rule, SystemPrompt, SystemPromptInputs, WorkMode, assemble,
};
pub use template::render;
pub use title::{UNTITLED, title_from_prompt};
pub use tokens::{Corrected, CountTokens, TokenCorrection};
pub use view::{CompactedAway, ContextPart, ContextView, ContextViewInputs, CountedRequest};

//! Making a conversation shorter: what runs are handed for it, and doing it because the user asks.

use crate::Accounts;
use arki_agent::CompactionParts;
use arki_config::Config;
use arki_context::CountTokens;
use arki_domain::{Error, Message, ToolDefinition};
use std::sync::Arc;

/// Estimates, until the provider has counted.
pub(crate) struct EstimatedTokens;

impl CountTokens for EstimatedTokens {
    fn text(&self, text: &str) -> u64 {
        arki_llm::text_tokens(text)
    }

    fn message(&self, message: &Message) -> u64 {
        arki_llm::message_tokens(message)
    }

    fn tool(&self, tool: &ToolDefinition) -> u64 {
        arki_llm::tool_tokens(tool)
    }
}

/// # Errors
/// When the model that is to write summaries can't be had.
pub(crate) fn compaction_parts(accounts: &Accounts, config: &Config) -> Result<CompactionParts, Error> {
    let model = config.compaction.model.as_deref();
    Ok(CompactionParts {
        strategy: config.compaction.strategy,
        at_fraction: config.compaction.at_fraction,
        history_limit: config.compaction.history_limit.and_then(|most| usize::try_from(most).ok()),
        model: model.map(|model| accounts.providers(config).model(model)).transpose()?,
        estimate: Arc::new(EstimatedTokens),
    })
}

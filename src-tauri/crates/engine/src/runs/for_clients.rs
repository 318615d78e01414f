//! Converts the engine's own form of the next request to the one for clients.

use crate::sessions::session_settings::SessionSettings;
use arki_api::{ConfiguredSettings, ContextCompaction, ContextPart, LeftOut, LeftOutKind, LeftOutMessage, NextRequest};
use arki_config::Config;
use arki_context::ContextView;
use arki_domain::projection::{ConversationMessage, MessageKind, ShownAs};
use arki_domain::{ContextCompacted, Message};
use arki_llm::ModelInfo;
use std::collections::HashSet;

/// The messages that are told of one compaction.
const MAX_TOLD_MESSAGES: usize = 200;
/// The characters that are told of each.
const MAX_TOLD_CHARS: usize = 200;

pub(super) fn for_clients(
    model: String,
    view: ContextView,
    compactions: Vec<ContextCompaction>,
    settings: &SessionSettings,
    (config, info): (&Config, Option<&ModelInfo>),
    warnings: Vec<String>,
) -> NextRequest {
    let part = |part: arki_context::ContextPart| ContextPart {
        part: part.part,
        origin: part.origin,
        tokens: part.tokens,
        share: part.share,
        seq: part.seq,
        id: part.id,
        off: part.off,
    };
    NextRequest {
        model,
        window: view.window,
        total_tokens: view.total_tokens,
        counted_tokens: view.counted_tokens,
        parts: view.parts.into_iter().map(part).collect(),
        left_out: LeftOut { messages: view.left_out.messages, tokens: view.left_out.tokens },
        compactions,
        settings: arki_api::SessionSettings {
            model: settings.model.clone(),
            effort: settings.effort.clone(),
            core: settings.core.clone(),
            system: settings.system.clone(),
        },
        configured: ConfiguredSettings {
            model: config.model.clone(),
            effort: info.and_then(|info| config.effort_of(None, info)),
            core: config.core.clone(),
            cores: arki_agent::core_names().map(str::to_owned).collect(),
            system: config.system_prompt.clone(),
        },
        warnings,
    }
}

/// Each compaction with the messages that it was the first to leave out or shorten.
pub(super) fn compactions(
    compacted: &[(u64, ContextCompacted)],
    conversation: &[ConversationMessage<'_>],
) -> Vec<ContextCompaction> {
    let is_gone = |message: &&ConversationMessage<'_>| {
        !matches!(message.shown_as, ShownAs::Whole | ShownAs::SwitchedOff) && *message.kind != MessageKind::Summary
    };
    let mut left: Vec<&ConversationMessage<'_>> = conversation.iter().filter(is_gone).collect();
    let mut told = Vec::with_capacity(compacted.len());
    for (seq, one) in compacted {
        let pruned: HashSet<_> = one.pruned_calls.iter().collect();
        let (dropped, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|message| {
            let is_pruned = matches!(&**message.whole, Message::ToolResult { call_id, .. } if pruned.contains(call_id));
            is_pruned || one.drops(message.place)
        });
        left = others;
        told.push(ContextCompaction {
            seq: *seq,
            strategy: one.strategy,
            tokens_before: one.tokens_before,
            tokens_after: one.tokens_after,
            target_tokens: one.target_tokens,
            summary: one.summary.clone(),
            dropped_count: dropped.len(),
            dropped: dropped.into_iter().take(MAX_TOLD_MESSAGES).map(left_out).collect(),
        });
    }
    told
}

fn left_out(message: &ConversationMessage<'_>) -> LeftOutMessage {
    let (kind, text) = match &**message.whole {
        Message::System { content } | Message::User { content, .. } => (LeftOutKind::User, content.clone()),
        Message::Assistant { content, .. } => (LeftOutKind::Assistant, content.clone()),
        Message::ToolRequest { content, calls, .. } => {
            let calls = calls.iter().map(|call| format!("{} {}", call.tool_id, call.arguments));
            (LeftOutKind::Assistant, [content.clone()].into_iter().chain(calls).collect::<Vec<_>>().join("\n"))
        }
        Message::ToolResult { tool_id, content, .. } => (LeftOutKind::Result, format!("{tool_id}: {content}")),
    };
    LeftOutMessage { seq: message.place, kind, text: text.trim().chars().take(MAX_TOLD_CHARS).collect() }
}

//! The request for a summary to a model, and the check of its answer.

use super::facts::cut;
use super::{CompactionInputs, MIN_SAVED_TOKENS};
use crate::CountTokens;
use arki_domain::projection::ConversationMessage;
use arki_domain::{CompactionStrategy, ContextCompacted, Message};
use std::fmt::Write;

const SYSTEM: &str = include_str!("summary_prompt.md");
/// The least tokens for a summary: with less room a model can't say much.
const MIN_SUMMARY_TOKENS: u64 = 200;
/// Around the request, for what a chat format adds.
const OVERHEAD_TOKENS: u64 = 256;

/// Bytes that are told of one message, and of one result or call; from the most to the least.
const LEVELS: [(usize, usize); 4] = [(16_000, 6_000), (4_000, 1_500), (1_000, 400), (300, 100)];

/// A request for a summary. It's sent without tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryRequest {
    pub system: String,
    pub prompt: String,
    /// The longest answer that can be used.
    pub max_tokens: u64,
}

/// The model's answer.
#[derive(Debug, Clone, Copy)]
pub struct SummaryAnswer<'a> {
    pub text: &'a str,
    pub calls_tools: bool,
    /// It didn't end by itself.
    pub is_cut_off: bool,
}

/// Why a summary is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SummaryRefused {
    #[error("the summary is empty")]
    Empty,
    #[error("the summary is as long as what it replaces")]
    LongerThanReplaced,
    #[error("the summary has {tokens} tokens, and {room} are left for it")]
    TooLong { tokens: u64, room: u64 },
    #[error("the model called tools instead of writing a summary")]
    CallsTools,
    #[error("the summary was cut off")]
    CutOff,
}

/// A compaction that waits for a model's summary.
#[derive(Debug, Clone)]
pub struct SummaryPlan {
    pub request: SummaryRequest,
    strategy: CompactionStrategy,
    fallback: ContextCompacted,
    replaced_tokens: u64,
    /// The next request without what stands for the dropped messages.
    without: u64,
}

impl SummaryPlan {
    pub(super) fn new(
        inputs: &CompactionInputs<'_>,
        fallback: ContextCompacted,
        replaced: &[ConversationMessage<'_>],
        without: u64,
        for_summary: u64,
    ) -> Self {
        let left = inputs.limits.target.saturating_sub(fallback.tokens_after);
        let max_tokens = left.min(for_summary.max(MIN_SUMMARY_TOKENS));
        let system = SYSTEM.replace("{{words}}", &(max_tokens / 2).max(50).to_string());
        let room = inputs.summary_window.saturating_sub(inputs.tokens.text(&system) + max_tokens + OVERHEAD_TOKENS);
        let prompt = prompt(replaced, inputs.focus, room, inputs.tokens);
        Self {
            request: SummaryRequest { system, prompt, max_tokens },
            strategy: inputs.strategy,
            replaced_tokens: replaced.iter().map(|message| inputs.tokens.message(message.message)).sum(),
            fallback,
            without,
        }
    }

    /// # Errors
    /// When the answer is no summary that helps.
    pub fn with_summary(
        &self,
        answer: SummaryAnswer<'_>,
        tokens: &dyn CountTokens,
    ) -> Result<ContextCompacted, SummaryRefused> {
        let text = answer.text.trim();
        if answer.calls_tools {
            return Err(SummaryRefused::CallsTools);
        }
        if text.is_empty() {
            return Err(SummaryRefused::Empty);
        }
        if answer.is_cut_off {
            return Err(SummaryRefused::CutOff);
        }
        if tokens.text(text) >= self.replaced_tokens {
            return Err(SummaryRefused::LongerThanReplaced);
        }
        let summary = format!("{}\n\n# Summary of what was left out\n\n{text}", self.fallback.summary);
        let all = tokens.message(&Message::user(summary.clone()));
        let tokens_after = self.without + all;
        let (target, before) = (self.fallback.target_tokens, self.fallback.tokens_before);
        if tokens_after > target || tokens_after + MIN_SAVED_TOKENS > before {
            return Err(SummaryRefused::TooLong { tokens: all, room: target.saturating_sub(self.without) });
        }
        Ok(ContextCompacted { strategy: self.strategy, tokens_after, summary, ..self.fallback.clone() })
    }

    /// Builds the compaction of the strategy `keep-recent`.
    #[must_use]
    pub fn without_summary(&self) -> ContextCompacted {
        self.fallback.clone()
    }
}

/// The dropped messages as one text, short enough for the model that reads it.
fn prompt(replaced: &[ConversationMessage<'_>], focus: Option<&str>, room: u64, tokens: &dyn CountTokens) -> String {
    let focus = focus.map(|focus| format!("\n\nThe user wants this kept above all: {focus}")).unwrap_or_default();
    let asked = format!("Summarise the conversation above.{focus}");
    let room = room.saturating_sub(tokens.text(&asked));
    let mut told = String::new();
    for (message, detail) in LEVELS {
        told = replaced.iter().map(|one| told_as(one.whole, message, detail)).collect();
        if tokens.text(&told) <= room {
            break;
        }
    }
    while tokens.text(&told) > room && !told.is_empty() {
        told = without_middle(&told);
    }
    format!("<conversation>\n{told}</conversation>\n\n{asked}")
}

fn told_as(message: &Message, most: usize, of_call: usize) -> String {
    match message {
        Message::System { .. } => String::new(),
        Message::User { content, .. } => format!("## User\n{}\n\n", cut(content, most)),
        Message::Assistant { content, .. } => format!("## Assistant\n{}\n\n", cut(content, most)),
        Message::ToolRequest { content, calls, .. } => {
            let mut told = format!("## Assistant\n{}\n", cut(content, most));
            for call in calls {
                let _ = writeln!(told, "Call {}: {}", call.tool_id, cut(&call.arguments, of_call));
            }
            told.push('\n');
            told
        }
        Message::ToolResult { tool_id, content, is_error, .. } => {
            let what = if *is_error { "Error" } else { "Result" };
            format!("## {what} of {tool_id}\n{}\n\n", cut(content, of_call))
        }
    }
}

/// Two thirds of a text: its beginning and its end.
fn without_middle(text: &str) -> String {
    let third = text.len() / 3;
    let (head, tail) = (text.floor_char_boundary(third), text.ceil_char_boundary(text.len() - third));
    if third < 40 {
        return String::new();
    }
    format!("{}\n…\n{}", &text[..head], &text[tail..])
}

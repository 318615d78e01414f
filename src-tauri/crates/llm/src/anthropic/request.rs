//! The part of a request before the messages.

use super::capabilities::Thinking;
use super::{Anthropic, DEFAULT_MAX_TOKENS, schema, wire};
use crate::request_parts::system_text;
use arki_domain::{ChatRequest, ModelOptions};

/// The least that the API takes as a budget.
const MIN_BUDGET_TOKENS: u32 = 1_024;

pub(super) fn head<'a>(api: &'a Anthropic, request: &'a ChatRequest) -> wire::Head<'a> {
    let options = &request.options;
    let max_tokens = options.max_completion_tokens.or(api.output_limit).unwrap_or(DEFAULT_MAX_TOKENS);
    let capabilities = api.capabilities;
    let effort = effort(options).filter(|_| matches!(capabilities.thinking, Thinking::Adaptive { .. }));
    let schema = options.output_schema.as_ref().filter(|_| capabilities.has_output_format);
    let format = schema.map(|schema| wire::OutputFormat { kind: "json_schema", schema: schema::accepted(schema) });
    let system = system_text(request, !capabilities.has_output_format);
    let output = wire::OutputConfig { effort, format };
    wire::Head {
        model: &api.model,
        max_tokens,
        stream: true,
        cache_control: wire::CacheControl { kind: "ephemeral" },
        thinking: thinking(capabilities.thinking, options, max_tokens),
        output_config: Some(output).filter(|output| *output != wire::OutputConfig::default()),
        system: (!system.is_empty()).then_some(system),
        tools: request.tools.iter().map(wire::Tool::from).collect(),
    }
}

/// Returns the effort in the API's words; it has none for less than `low`.
fn effort(options: &ModelOptions) -> Option<&str> {
    match options.reasoning_effort.as_deref() {
        Some("none" | "minimal") => Some("low"),
        effort => effort,
    }
}

fn thinking(thinking: Thinking, options: &ModelOptions, max_tokens: u32) -> Option<wire::Thinking> {
    let asked = options.reasoning_effort.as_deref();
    match thinking {
        Thinking::Adaptive { always, bound } if always || asked.is_some() => Some(wire::Thinking::adaptive(bound)),
        Thinking::Never | Thinking::Adaptive { .. } => None,
        Thinking::Budget => budget(asked?, max_tokens).map(|budget_tokens| wire::Thinking::Enabled { budget_tokens }),
    }
}

/// Returns how many of the tokens may be thoughts: at most half, so that there is an answer. `None` when too few are
/// left.
fn budget(effort: &str, max_tokens: u32) -> Option<u32> {
    let wanted = match effort {
        "none" | "minimal" => return None,
        "low" => 4_096,
        "medium" => 12_288,
        // Anthropic advises against more for answers that are streamed.
        _ => 32_768,
    };
    Some(max_tokens.min(wanted * 2) / 2).filter(|budget| *budget >= MIN_BUDGET_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_leaves_room_for_the_answer_or_there_is_none() {
        assert_eq!(budget("low", 64_000), Some(4_096));
        assert_eq!(budget("high", 64_000), Some(32_000));
        assert_eq!(budget("high", 128_000), Some(32_768));
        assert_eq!(budget("medium", 2_048), Some(1_024));
        assert_eq!(budget("medium", 2_047), None);
        assert_eq!(budget("minimal", 64_000), None);
    }
}

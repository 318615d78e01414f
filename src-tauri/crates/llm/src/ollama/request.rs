//! The part of a request before the messages.

use super::{Ollama, wire};
use crate::function_tool::FunctionTool;
use crate::schema_in_words::schema_in_words;
use arki_domain::ChatRequest;
use std::borrow::Cow;

pub(super) fn head<'a>(format: &'a Ollama, request: &'a ChatRequest) -> wire::Head<'a> {
    let options = &request.options;
    wire::Head {
        model: &format.model,
        stream: true,
        truncate: false,
        shift: false,
        options: wire::Options { num_ctx: format.known().context_window, num_predict: options.max_completion_tokens },
        think: options.reasoning_effort.as_deref().and_then(|effort| think(format, effort)),
        format: options.output_schema.as_ref().filter(|_| request.tools.is_empty()),
        tools: request.tools.iter().map(FunctionTool::from).collect(),
    }
}

/// A model that is held to a form from its first token on cannot call a tool, so that it is asked for in words then.
pub(super) fn system(request: &ChatRequest) -> Cow<'_, str> {
    match &request.options.output_schema {
        Some(schema) if !request.tools.is_empty() => Cow::Owned(schema_in_words(&request.system, schema)),
        _ => Cow::Borrowed(&request.system),
    }
}

/// gpt-oss takes a level and nothing else; every other model takes no level. `true` makes an error of a model that
/// cannot think, and those that can do so unasked, so that it is said only of models that are known to.
fn think<'a>(format: &Ollama, effort: &'a str) -> Option<wire::Think<'a>> {
    let name = format.model.rsplit('/').next().unwrap_or_default();
    match effort {
        "minimal" if name.starts_with("gpt-oss") => Some(wire::Think::Level("low")),
        _ if name.starts_with("gpt-oss") => Some(wire::Think::Level(effort)),
        _ => format.known().thinks.then_some(wire::Think::Switch(true)),
    }
}

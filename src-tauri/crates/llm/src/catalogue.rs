//! What is known of models without asking anybody. Prices and vendors' figures are not known here yet.

use crate::{Capability, ProviderKind, ProviderSettings};
use serde::Serialize;

/// Assumed where nothing is configured: what most hosted models have at least.
pub const DEFAULT_CONTEXT_WINDOW: u64 = 128_000;
/// Assumed of a local model: what fits into the memory of an ordinary machine.
pub const DEFAULT_LOCAL_CONTEXT_WINDOW: u64 = 32_768;

const DEFAULT_CAPABILITIES: &[Capability] = &[Capability::Text, Capability::Streaming, Capability::ToolUse];

/// The models of the embedded server.
pub(crate) const DEMO_MODELS: &[&str] = &["demo", "echo"];

/// A model as `arki models` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    pub provider: String,
    pub model: String,
    /// In tokens.
    pub context_window: u64,
    pub capabilities: Vec<Capability>,
    pub is_local: bool,
}

pub(crate) fn models_of(settings: &ProviderSettings) -> Vec<ModelInfo> {
    let embedded: &[&str] = if settings.kind == ProviderKind::Demo { DEMO_MODELS } else { &[] };
    let configured = settings.models.keys().map(String::as_str).filter(|name| !embedded.contains(name));
    embedded.iter().copied().chain(configured).map(|model| model_info(settings, model)).collect()
}

pub(crate) fn model_info(settings: &ProviderSettings, model: &str) -> ModelInfo {
    let configured = settings.models.get(model);
    let default_window = if settings.is_local { DEFAULT_LOCAL_CONTEXT_WINDOW } else { DEFAULT_CONTEXT_WINDOW };
    ModelInfo {
        provider: settings.name.clone(),
        model: model.to_owned(),
        context_window: configured.and_then(|model| model.context_window).unwrap_or(default_window),
        capabilities: configured
            .and_then(|model| model.capabilities.clone())
            .unwrap_or_else(|| DEFAULT_CAPABILITIES.to_vec()),
        is_local: settings.is_local,
    }
}

//! Facts about models from the user's settings, the catalogue and defaults, in this order, without asking a server.

mod data;
mod lookup;

use self::data::{Catalogue, CatalogueModel};
use crate::{Capability, ModelSettings, Price, ProviderKind, ProviderSettings};
use lookup::{Found, find};
use serde::Serialize;

/// Assumed where nothing is configured: what most hosted models have at least.
pub const DEFAULT_CONTEXT_WINDOW: u64 = 128_000;
/// Assumed of a local model: what fits into the memory of an ordinary machine.
pub const DEFAULT_LOCAL_CONTEXT_WINDOW: u64 = 32_768;

pub(crate) const DEFAULT_CAPABILITIES: &[Capability] = &[Capability::Text, Capability::Streaming, Capability::ToolUse];

/// The models of the embedded server.
pub(crate) const DEMO_MODELS: &[&str] = &["demo", "echo"];

/// A model as `arki models` lists it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    pub provider: String,
    pub model: String,
    /// The name for people; the model's ID if no better one is known.
    pub name: String,
    /// In tokens.
    pub context_window: u64,
    /// True if the window is not known: the figure is then the least that such models usually have.
    pub assumes_window: bool,
    /// In tokens; `None` where it is not known.
    pub output_limit: Option<u64>,
    pub capabilities: Vec<Capability>,
    /// True if the capabilities are not known: these are then the ones that most models have.
    pub assumes_capabilities: bool,
    /// `None` where it is not known, which is not free.
    pub price: Option<Price>,
    pub source: ModelSource,
    pub is_local: bool,
}

/// The source of a model's figures; the first that has any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSource {
    /// The user says some of them; the rest is as without it.
    Configuration,
    Catalogue,
    /// The server says so itself.
    Server,
    /// The user's own machine, which costs nothing; the window is assumed.
    Local,
    /// Nothing is known, all is assumed.
    Default,
}

/// The day the catalogue's data were gathered, as `2026-11-10`.
pub(crate) fn date() -> &'static str {
    Catalogue::get().date()
}

/// The configured models, the demo's, and what the catalogue knows of the provider.
pub(crate) fn models_of(settings: &ProviderSettings) -> Vec<ModelInfo> {
    let mut names: Vec<&str> = if settings.kind == ProviderKind::Demo { DEMO_MODELS.to_vec() } else { Vec::new() };
    let configured = settings.models.keys().map(String::as_str);
    let listed: &[CatalogueModel] = if settings.is_local { &[] } else { Catalogue::get().models(settings.kind) };
    for name in configured.chain(listed.iter().map(|model| model.id.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|model| model_info(settings, model)).collect()
}

/// A server of the user's own may give a model any name: what the catalogue says of that name is not said of it.
pub(crate) fn model_info(settings: &ProviderSettings, model: &str) -> ModelInfo {
    let nothing = ModelSettings::default();
    let configured = settings.models.get(model).unwrap_or(&nothing);
    let found = if settings.is_local { None } else { find(settings.kind, model) };
    let known = found.as_ref().map(|found| found.model);
    let default_window = if settings.is_local { DEFAULT_LOCAL_CONTEXT_WINDOW } else { DEFAULT_CONTEXT_WINDOW };
    let capabilities = configured.capabilities.clone();
    let known_window = configured.context_window.or_else(|| known.and_then(|known| known.context_window));
    ModelInfo {
        provider: settings.name.clone(),
        model: model.to_owned(),
        name: known.map_or(model, |known| &known.name).to_owned(),
        context_window: known_window.unwrap_or(default_window),
        // The demo reads all there is.
        assumes_window: known_window.is_none() && settings.kind != ProviderKind::Demo,
        output_limit: configured.output_limit.or_else(|| known.and_then(|known| known.output_limit)),
        assumes_capabilities: capabilities.is_none() && known.is_none() && settings.kind != ProviderKind::Demo,
        capabilities: capabilities.unwrap_or_else(|| known.map_or_else(|| DEFAULT_CAPABILITIES.to_vec(), abilities)),
        price: price(settings, configured, found.as_ref()),
        source: match (configured == &nothing, settings.is_local, &found) {
            (false, _, _) => ModelSource::Configuration,
            (true, true, _) => ModelSource::Local,
            (true, false, Some(_)) => ModelSource::Catalogue,
            (true, false, None) => ModelSource::Default,
        },
        is_local: settings.is_local,
    }
}

impl ModelInfo {
    /// Returns whether the model is known to take no images; false where nothing is known.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        !self.assumes_capabilities && !self.capabilities.contains(&Capability::Vision)
    }

    /// Returns whether it may take tools; only of a model that is known not to is this false.
    #[must_use]
    pub fn takes_tools(&self) -> bool {
        self.assumes_capabilities || self.capabilities.contains(&Capability::ToolUse)
    }

    /// Returns whether the model is known to think.
    #[must_use]
    pub fn thinks(&self) -> bool {
        !self.assumes_capabilities && self.capabilities.contains(&Capability::Reasoning)
    }
}

fn price(settings: &ProviderSettings, configured: &ModelSettings, found: Option<&Found>) -> Option<Price> {
    let local = settings.is_local.then(Price::zero);
    configured.price.clone().or(local).or_else(|| found.and_then(|found| found.price.clone()))
}

/// Nothing is said of [`Capability::Rag`] and [`Capability::Code`] in the data, and nothing is made up.
fn abilities(model: &CatalogueModel) -> Vec<Capability> {
    let vision = model.vision.then_some(Capability::Vision);
    let reasoning = model.reasoning.then_some(Capability::Reasoning);
    let always = [Capability::Streaming, Capability::ToolUse];
    std::iter::once(Capability::Text).chain(vision).chain(always).chain(reasoning).collect()
}

#[cfg(test)]
mod tests;

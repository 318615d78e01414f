//! The catalogue's file: parsed when it is first needed, since a start that asks the demo model never does.

use crate::{Price, ProviderKind};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Made by `cargo xtask catalogue`.
const TEXT: &str = include_str!("../../data/catalogue.json");

#[derive(Deserialize)]
pub(crate) struct Catalogue {
    date: &'static str,
    /// The models of each vendor, in the order of their ids.
    #[serde(borrow)]
    vendors: HashMap<&'static str, Vec<CatalogueModel>>,
}

/// A chat model that calls tools: no others are in the catalogue.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CatalogueModel {
    pub(crate) id: String,
    pub(crate) name: String,
    /// In tokens, prompt and answer together.
    pub(crate) context_window: Option<u64>,
    /// In tokens.
    pub(crate) output_limit: Option<u64>,
    #[serde(default)]
    pub(crate) vision: bool,
    #[serde(default)]
    pub(crate) reasoning: bool,
    pub(crate) price: Option<Price>,
}

impl Catalogue {
    pub(crate) fn get() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| serde_json::from_str(TEXT).expect("the catalogue is tested to be readable"))
    }

    /// When the data were gathered, as `2026-11-10`.
    pub(crate) fn date(&self) -> &'static str {
        self.date
    }

    /// Returns the models in the order of their IDs; none for servers of the user's own.
    pub(crate) fn models(&self, kind: ProviderKind) -> &[CatalogueModel] {
        vendor(kind).and_then(|vendor| self.vendors.get(vendor)).map_or(&[], Vec::as_slice)
    }

    /// Returns a model by its exact ID.
    pub(crate) fn model(&self, kind: ProviderKind, id: &str) -> Option<&CatalogueModel> {
        let models = self.models(kind);
        let place = models.binary_search_by(|model| model.id.as_str().cmp(id)).ok()?;
        models.get(place)
    }
}

/// Returns the vendor whose models this kind of provider offers.
fn vendor(kind: ProviderKind) -> Option<&'static str> {
    match kind {
        ProviderKind::Openai | ProviderKind::OpenaiChat => Some("openai"),
        ProviderKind::Anthropic => Some("anthropic"),
        ProviderKind::Gemini => Some("gemini"),
        ProviderKind::Deepseek => Some("deepseek"),
        ProviderKind::Openrouter => Some("openrouter"),
        ProviderKind::Ollama | ProviderKind::Custom | ProviderKind::Demo => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linked into the program, so its size is watched.
    const MAX_BYTES: usize = 400 * 1024;

    #[test]
    fn the_file_is_small_dated_and_has_one_model_a_line() {
        let file: serde_json::Value = serde_json::from_str(TEXT).unwrap();
        let models: usize =
            file["vendors"].as_object().unwrap().values().map(|list| list.as_array().unwrap().len()).sum();
        assert!(models > 100, "{models} models");
        assert_eq!(TEXT.lines().filter(|line| line.starts_with("{\"id\":")).count(), models);
        assert!(TEXT.len() < MAX_BYTES, "{} bytes", TEXT.len());
        let date: Vec<&str> = Catalogue::get().date().split('-').collect();
        assert_eq!(date.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 2, 2]);
    }

    #[test]
    fn each_vendor_of_a_kind_has_models_sorted_by_id_with_sensible_figures() {
        let vendors: Vec<&str> = ProviderKind::ALL.into_iter().filter_map(vendor).collect();
        assert!(Catalogue::get().vendors.keys().all(|vendor| vendors.contains(vendor)), "a vendor without a kind");
        for kind in ProviderKind::ALL.into_iter().filter(|kind| vendor(*kind).is_some()) {
            let models = Catalogue::get().models(kind);
            assert!(!models.is_empty(), "{kind}");
            assert!(models.is_sorted_by(|a, b| a.id < b.id), "{kind}");
            for model in models {
                assert!(model.context_window.is_none_or(|tokens| tokens >= 1024), "{model:?}");
                assert!(model.output_limit.zip(model.context_window).is_none_or(|(out, all)| out <= all), "{model:?}");
                assert!(!model.name.is_empty(), "{model:?}");
            }
        }
    }

    #[test]
    fn prices_are_per_million_tokens_and_reading_the_cache_is_never_dearer() {
        let all = ProviderKind::ALL.into_iter().flat_map(|kind| Catalogue::get().models(kind));
        for model in all {
            let Some(price) = &model.price else { continue };
            assert!(price.tiers.is_sorted_by_key(|tier| tier.above_input_tokens), "{model:?}");
            for rates in std::iter::once(&price.rates).chain(price.tiers.iter().map(|tier| &tier.rates)) {
                assert!((0.0..1000.0).contains(&rates.input) && (0.0..1000.0).contains(&rates.output), "{model:?}");
                assert!(rates.cached_input.is_none_or(|cached| cached <= rates.input), "{model:?}");
                assert!(rates.cache_write.is_none_or(|write| write >= rates.input), "{model:?}");
            }
        }
    }

    #[test]
    fn servers_of_the_users_own_have_no_catalogue() {
        for kind in [ProviderKind::Ollama, ProviderKind::Custom, ProviderKind::Demo] {
            assert!(Catalogue::get().models(kind).is_empty(), "{kind}");
        }
    }
}

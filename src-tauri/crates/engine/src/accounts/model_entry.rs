//! A model's facts as clients get them.

use crate::enum_words::word;
use arki_api::{ModelEntry, ModelFigures, ModelPrice, ModelPriceTier};
use arki_llm::{ModelInfo, ModelSource, Price, Providers, Rates};

pub(crate) fn model_entry(info: ModelInfo) -> ModelEntry {
    let is_blind = info.is_blind();
    let is_listed = info.source == ModelSource::Catalogue;
    ModelEntry {
        id: format!("{}/{}", info.provider, info.model),
        provider: info.provider,
        model: info.model,
        name: info.name,
        context_window: Some(info.context_window),
        context_window_assumed: info.assumes_window,
        output_limit: info.output_limit,
        capabilities: info.capabilities.iter().map(word).collect(),
        is_blind,
        price: info.price.map(price),
        source: figures(info.source),
        catalogue_date: is_listed.then(|| Providers::catalogue_date().to_owned()),
    }
}

fn price(price: Price) -> ModelPrice {
    let Rates { input, output, cached_input, cache_write } = price.rates;
    let tiers = price.tiers.into_iter().map(|tier| {
        let Rates { input, output, cached_input, cache_write } = tier.rates;
        ModelPriceTier { above_input_tokens: tier.above_input_tokens, input, output, cached_input, cache_write }
    });
    ModelPrice { input, output, cached_input, cache_write, tiers: tiers.collect() }
}

fn figures(source: ModelSource) -> ModelFigures {
    match source {
        ModelSource::Configuration => ModelFigures::Configuration,
        ModelSource::Catalogue => ModelFigures::Catalogue,
        ModelSource::Server => ModelFigures::Server,
        ModelSource::Local => ModelFigures::Local,
        ModelSource::Default => ModelFigures::Default,
    }
}

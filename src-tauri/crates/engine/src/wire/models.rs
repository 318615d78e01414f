//! Models as the settings and `arki models` show them.

use arki_llm::{ModelInfo, ModelSource, Price, Providers, Rates};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

wire! {
    ModelEntry {
        /// `provider/model`.
        pub id: String,
        pub provider: String,
        pub model: String,
        /// For people; the model's id where nothing better is known.
        pub name: String,
        /// In tokens.
        pub context_window: Option<u64>,
        /// Nobody has said so: it is what such models mostly have at least.
        pub context_window_assumed: bool,
        /// In tokens; null where it is not known.
        pub output_limit: Option<u64>,
        pub capabilities: Vec<String>,
        /// Null where it is not known, which is not free.
        pub price: Option<ModelPrice>,
        /// Where these figures come from.
        pub source: ModelFigures,
        /// The day the catalogue's data were gathered, where they come from there.
        pub catalogue_date: Option<String>,
    }
    /// In US dollars per million tokens. A cache without a price of its own costs what input does.
    ModelPrice {
        pub input: f64,
        pub output: f64,
        pub cached_input: Option<f64>,
        pub cache_write: Option<f64>,
        /// What is charged instead for long prompts, by rising `aboveInputTokens`.
        pub tiers: Vec<ModelPriceTier>,
    }
    ModelPriceTier {
        pub above_input_tokens: u64,
        pub input: f64,
        pub output: f64,
        pub cached_input: Option<f64>,
        pub cache_write: Option<f64>,
    }
}

words! {
    /// Said by the user, known from the catalogue, said by the server, local (and so free), or assumed.
    ModelFigures { Configuration, Catalogue, Server, Local, Default }
}

impl From<ModelInfo> for ModelEntry {
    fn from(info: ModelInfo) -> Self {
        let is_listed = info.source == ModelSource::Catalogue;
        Self {
            id: format!("{}/{}", info.provider, info.model),
            provider: info.provider,
            model: info.model,
            name: info.name,
            context_window: Some(info.context_window),
            context_window_assumed: info.assumes_window,
            output_limit: info.output_limit,
            capabilities: info.capabilities.iter().map(crate::accounts::settings::word).collect(),
            price: info.price.map(Into::into),
            source: info.source.into(),
            catalogue_date: is_listed.then(|| Providers::catalogue_date().to_owned()),
        }
    }
}

impl From<Price> for ModelPrice {
    fn from(price: Price) -> Self {
        let Rates { input, output, cached_input, cache_write } = price.rates;
        let tiers = price.tiers.into_iter().map(|tier| {
            let Rates { input, output, cached_input, cache_write } = tier.rates;
            ModelPriceTier { above_input_tokens: tier.above_input_tokens, input, output, cached_input, cache_write }
        });
        Self { input, output, cached_input, cache_write, tiers: tiers.collect() }
    }
}

impl From<ModelSource> for ModelFigures {
    fn from(source: ModelSource) -> Self {
        match source {
            ModelSource::Configuration => Self::Configuration,
            ModelSource::Catalogue => Self::Catalogue,
            ModelSource::Server => Self::Server,
            ModelSource::Local => Self::Local,
            ModelSource::Default => Self::Default,
        }
    }
}

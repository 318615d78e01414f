//! Finds a model in the catalogue by its ID, as the user or a vendor writes it.
//!
//! Vendors give one model several ids: with the day it was published, or with OpenRouter's word on how to route it. Only
//! forms that the vendors document lead to another id, and only where that one is in the catalogue. Everything else is
//! unknown: a wrong price is worse than none.

use super::data::{Catalogue, CatalogueModel};
use crate::{Price, ProviderKind};

/// A model of the catalogue, and what it costs under the id that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) model: &'static CatalogueModel,
    pub(crate) price: Option<Price>,
}

pub(crate) fn find(kind: ProviderKind, id: &str) -> Option<Found> {
    let catalogue = Catalogue::get();
    let at_list_price = |id: &str| {
        let model = catalogue.model(kind, id).or_else(|| catalogue.model(kind, undated(kind, id)?))?;
        Some(Found { model, price: model.price.clone() })
    };
    match kind {
        // As Gemini's own list of models writes it.
        ProviderKind::Gemini => at_list_price(id.strip_prefix("models/").unwrap_or(id)),
        ProviderKind::Openrouter => at_list_price(id).or_else(|| {
            let (base, variant) = id.rsplit_once(':')?;
            let price = (variant == "free").then(Price::zero);
            at_list_price(base).map(|found| Found { price, ..found })
        }),
        _ => at_list_price(id),
    }
}

/// The id without the day of publication, where the vendor dates its ids.
fn undated(kind: ProviderKind, id: &str) -> Option<&str> {
    match kind {
        ProviderKind::Openai | ProviderKind::OpenaiChat => strip_digits(id, &[4, 2, 2]),
        ProviderKind::Anthropic => strip_digits(id, &[8]),
        // `-001` is the stable version of a model, which its plain name means as well.
        ProviderKind::Gemini => strip_digits(id, &[3]),
        ProviderKind::Openrouter => strip_digits(id, &[8]).or_else(|| strip_digits(id, &[4, 2, 2])),
        ProviderKind::Deepseek | ProviderKind::Ollama | ProviderKind::Custom | ProviderKind::Demo => None,
    }
}

/// Removes groups of digits of these lengths at the end, each after a dash.
fn strip_digits<'a>(id: &'a str, lengths: &[usize]) -> Option<&'a str> {
    lengths.iter().rev().try_fold(id, |id, length| {
        let (rest, digits) = id.rsplit_once('-')?;
        (digits.len() == *length && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProviderKind::{Anthropic, Custom, Deepseek, Gemini, Openai, OpenaiChat, Openrouter};

    fn id(kind: ProviderKind, id: &str) -> Option<&'static str> {
        find(kind, id).map(|found| found.model.id.as_str())
    }

    #[test]
    fn a_models_own_id_is_found_by_either_of_openais_apis() {
        assert_eq!(id(Openai, "gpt-5.1"), Some("gpt-5.1"));
        assert_eq!(id(OpenaiChat, "gpt-5.1"), Some("gpt-5.1"));
    }

    #[test]
    fn the_day_of_publication_leads_to_the_model() {
        assert_eq!(id(Openai, "gpt-5.1-2025-11-13"), Some("gpt-5.1"));
        assert_eq!(id(Anthropic, "claude-opus-4-6-20260205"), Some("claude-opus-4-6"));
        assert_eq!(id(Gemini, "models/gemini-2.5-flash-001"), Some("gemini-2.5-flash"));
        assert_eq!(id(Openrouter, "openai/gpt-5.1-20251113"), Some("openai/gpt-5.1"));
    }

    #[test]
    fn a_dated_model_that_is_priced_apart_keeps_its_price() {
        let [dated, plain] = ["gpt-4o-2024-05-13", "gpt-4o"].map(|id| find(Openai, id).unwrap().price.unwrap());
        assert!(dated.rates.input > plain.rates.input, "{dated:?} {plain:?}");
    }

    #[test]
    fn what_only_looks_alike_is_unknown() {
        for (kind, name) in [
            (Openai, "gpt-5.1-turbo"),
            (Openai, "gpt-5.1-20251113"),
            (Openai, "gpt-5.1-2025-11"),
            (Openai, "gpt-"),
            (Openai, "openai/gpt-5.1"),
            (Openai, "GPT-5.1"),
            (Openai, "ft:gpt-4.1-mini-2025-04-14:us::x"),
            (Openai, "-2025-11-13"),
            (Openai, ""),
            (Anthropic, "claude-opus-4-6-2026-02-05"),
            (Anthropic, "claude-opus"),
            (Gemini, "gemini-2.5-flash-preview-09-2025"),
            (Deepseek, "deepseek-v4-pro-20260101"),
            (Openrouter, "gpt-5.1"),
            (Openrouter, "unheard/of:free"),
            (Custom, "gpt-5.1"),
        ] {
            assert_eq!(id(kind, name), None, "{kind} {name}");
        }
    }

    #[test]
    fn openrouters_variants_are_the_model_at_no_price_or_an_unknown_one() {
        let free = find(Openrouter, "openai/gpt-5.1:free").unwrap();
        assert_eq!((free.model.id.as_str(), free.price), ("openai/gpt-5.1", Some(Price::zero())));
        for variant in ["nitro", "floor", "online", "exacto"] {
            let found = find(Openrouter, &format!("openai/gpt-5.1:{variant}")).unwrap();
            assert_eq!((found.model.id.as_str(), found.price), ("openai/gpt-5.1", None), "{variant}");
        }
    }

    #[test]
    fn a_free_variant_of_its_own_is_taken_as_it_is_listed() {
        let listed = Catalogue::get().models(Openrouter).iter().find(|model| model.id.ends_with(":free")).unwrap();
        assert_eq!(find(Openrouter, &listed.id), Some(Found { model: listed, price: Some(Price::zero()) }));
    }
}

//! The cost of a request. Figures only: where they come from is the catalogue's business.

use arki_domain::Usage;
use serde::{Deserialize, Serialize};

const TOKENS_PER_PRICE: f64 = 1_000_000.0;

/// The price of a model's tokens, in US dollars per million.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    #[serde(flatten)]
    pub rates: Rates,
    /// The prices when the prompt is long, by rising [`PriceTier::above_input_tokens`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<PriceTier>,
}

/// In US dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    pub input: f64,
    /// Reasoning tokens are output: no vendor in the catalogue charges them apart.
    pub output: f64,
    /// The price of the part of the prompt that was read from the provider's cache; as `input` if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// The price of the part that was written to the cache; as `input` if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceTier {
    /// Longer prompts, cached tokens included, are charged by these rates: all of the request, not only the rest.
    pub above_input_tokens: u64,
    #[serde(flatten)]
    pub rates: Rates,
}

impl Price {
    /// Returns the price of a model on the user's own machine.
    #[must_use]
    pub fn zero() -> Self {
        Self::default()
    }

    /// Returns whether nothing is charged, whatever is used.
    pub(crate) fn is_free(&self) -> bool {
        let Rates { input, output, cached_input, cache_write } = self.rates;
        let rates = [Some(input), Some(output), cached_input, cache_write];
        self.tiers.is_empty() && rates.into_iter().flatten().all(|rate| rate == 0.0)
    }

    /// Returns the cost in US dollars, at the vendor's standard rates; a tier may cost a share of it.
    ///
    /// `usage.prompt_tokens` includes those that were read from the cache and written into it, and
    /// `usage.completion_tokens` those spent on reasoning, as every figure of ours does.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> f64 {
        let rates = self.rates_for(usage.prompt_tokens);
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let written = usage.cache_write_tokens.min(usage.prompt_tokens - cached);
        let plain = usage.prompt_tokens - cached - written;
        let charged = [
            (plain, rates.input),
            (cached, rates.cached_input.unwrap_or(rates.input)),
            (written, rates.cache_write.unwrap_or(rates.input)),
            (usage.completion_tokens, rates.output),
        ];
        charged.iter().map(|(tokens, rate)| *tokens as f64 * rate).sum::<f64>() / TOKENS_PER_PRICE
    }

    /// Returns the rates of the highest tier that the prompt exceeds.
    fn rates_for(&self, prompt_tokens: u64) -> Rates {
        let tier = self.tiers.iter().rfind(|tier| prompt_tokens > tier.above_input_tokens);
        tier.map_or(self.rates, |tier| tier.rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt: u64, cached: u64, completion: u64) -> Usage {
        Usage { prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion, ..Usage::default() }
    }

    #[track_caller]
    fn costs(price: &Price, usage: Usage, dollars: f64) {
        let cost = price.cost(&usage);
        assert!((cost - dollars).abs() < 1e-12, "{cost} instead of {dollars}");
    }

    fn gpt_5_1() -> Price {
        let rates = Rates { input: 1.25, output: 10.0, cached_input: Some(0.125), cache_write: None };
        Price { rates, tiers: Vec::new() }
    }

    fn gemini_2_5_pro() -> Price {
        let rates = Rates { input: 1.25, output: 10.0, cached_input: Some(0.125), cache_write: None };
        let long = Rates { input: 2.5, output: 15.0, cached_input: Some(0.25), cache_write: None };
        Price { rates, tiers: vec![PriceTier { above_input_tokens: 200_000, rates: long }] }
    }

    #[test]
    fn a_million_tokens_each_way_cost_the_list_price() {
        costs(&gpt_5_1(), usage(1_000_000, 0, 1_000_000), 11.25);
    }

    #[test]
    fn cached_tokens_are_part_of_the_prompt_and_charged_at_their_own_rate() {
        // 8,000 x 1.25 + 2,000 x 0.125 + 1,000 x 10, a million times less.
        costs(&gpt_5_1(), usage(10_000, 2_000, 1_000), 0.020_25);
    }

    #[test]
    fn a_cache_without_a_price_of_its_own_costs_what_input_does() {
        let price = Price { rates: Rates { input: 30.0, output: 60.0, ..Rates::default() }, tiers: Vec::new() };
        costs(&price, usage(1_000, 600, 100), 0.036);
    }

    #[test]
    fn tokens_that_are_written_into_the_cache_are_charged_at_their_own_rate() {
        let rates = Rates { input: 3.0, output: 15.0, cached_input: Some(0.3), cache_write: Some(3.75) };
        let sonnet = Price { rates, tiers: Vec::new() };
        // 50 x 3 + 100,000 x 0.3 + 248 x 3.75 + 503 x 15, a million times less.
        let usage = Usage { cache_write_tokens: 248, ..usage(100_298, 100_000, 503) };
        costs(&sonnet, usage, 0.038_625);
        costs(&gpt_5_1(), usage, (298.0 * 1.25 + 100_000.0 * 0.125 + 503.0 * 10.0) / 1e6);
    }

    #[test]
    fn reasoning_is_part_of_the_answer_and_charged_once() {
        let thinking = Usage { reasoning_tokens: 900, ..usage(0, 0, 1_000) };
        costs(&gpt_5_1(), thinking, 0.01);
    }

    #[test]
    fn a_prompt_over_the_threshold_is_charged_dearer_as_a_whole() {
        costs(&gemini_2_5_pro(), usage(200_000, 0, 1_000), 0.26);
        costs(&gemini_2_5_pro(), usage(200_001, 0, 1_000), 0.515_002_5);
        costs(&gemini_2_5_pro(), usage(300_000, 100_000, 1_000), 0.54);
    }

    #[test]
    fn the_highest_tier_that_is_exceeded_counts() {
        let tier =
            |above_input_tokens, input| PriceTier { above_input_tokens, rates: Rates { input, ..Rates::default() } };
        let price =
            Price { rates: Rates { input: 1.0, ..Rates::default() }, tiers: vec![tier(10, 2.0), tier(100, 3.0)] };
        for (prompt, rate) in [(10, 1.0), (11, 2.0), (100, 2.0), (101, 3.0)] {
            costs(&price, usage(prompt, 0, 0), prompt as f64 * rate / 1e6);
        }
    }

    #[test]
    fn free_is_zero_and_nothing_used_costs_nothing() {
        costs(&Price::zero(), usage(5_000, 10, 70), 0.0);
        costs(&gpt_5_1(), Usage::default(), 0.0);
    }

    #[test]
    fn figures_that_contradict_themselves_never_make_a_negative_cost() {
        costs(&gpt_5_1(), usage(10, 1_000, 0), 10.0 * 0.125 / 1e6);
    }

    #[test]
    fn a_price_reads_as_it_stands_in_the_configuration() {
        let price: Price = serde_json::from_str(r#"{"input": 1.25, "output": 10, "cachedInput": 0.125}"#).unwrap();
        assert_eq!(price, gpt_5_1());
    }
}

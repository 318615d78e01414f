//! `arki usage`: tokens and cost by day and model.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::{ModelEntry, PrintedUsage};
use arki_domain::projection::{DayAndModel, UsageTotal};
use arki_engine::Engine;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) async fn run(engine: &Engine, session: Option<&str>, output: &Printer) -> CommandExit {
    let session = session.map(|id| engine.session_names().find_session(id)).transpose()?;
    let usage = engine.usage().daily_usage(session.as_ref().map(|session| &session.session_id)).await?;
    let totals = usage.by_day_and_model();
    let mut newest_first: Vec<_> = totals.iter().collect();
    newest_first.sort_by(|(a, _), (b, _)| b.day.cmp(&a.day).then_with(|| a.model.cmp(&b.model)));
    output.aside_if_empty(&newest_first, "No usage yet.");
    for (place, total) in newest_first {
        output.tell(&PrintedUsage::of(place, total), || line(&place.day, &visible(&place.model), total));
    }
    if !output.json {
        if totals.len() > 1 {
            output.line(line("all", "", usage.sum()));
        }
        let priced: Vec<ModelEntry> =
            engine.accounts().models()?.into_iter().filter(|one| one.price.is_some()).collect();
        unknown_costs(&totals, &priced).iter().for_each(|words| output.line(visible(words)));
    }
    Ok(Exit::Done)
}

/// Says which models have no price, and that other requests have no cost either.
fn unknown_costs(totals: &BTreeMap<DayAndModel, UsageTotal>, priced: &[ModelEntry]) -> Vec<String> {
    let has_price = |model: &str| priced.iter().any(|one| one.id == model);
    let is_known = |model: &str| totals.iter().any(|(place, total)| place.model == model && total.known_cost_usd > 0.0);
    let unknown = totals.iter().filter(|(_, total)| total.has_unknown_cost).map(|(place, _)| place.model.as_str());
    let (others, unpriced): (BTreeSet<&str>, BTreeSet<&str>) =
        unknown.partition(|model| has_price(model) || is_known(model));
    let names = Vec::from_iter(unpriced).join(", ");
    let mut said = Vec::new();
    if !names.is_empty() {
        said.push(format!("Cost unknown, because no price is known: {names}."));
    }
    if !others.is_empty() {
        said.push("The cost of some requests is unknown.".to_owned());
    }
    said
}

fn line(day: &str, model: &str, total: &UsageTotal) -> String {
    let untold = total.untold();
    let figure = |tokens: u64, untold: bool| if untold { "?".to_owned() } else { tokens.to_string() };
    let prompt = figure(total.prompt_tokens, untold.prompt);
    let completion = figure(total.completion_tokens, untold.completion);
    let cached = if untold.cached { String::new() } else { format!(" ({} cached)", total.cached_tokens) };
    let unknown = if total.unknown.any_used() { ", and some unreported" } else { "" };
    let line = format!(
        "{day:<10}  {model:<32} {:>6} {}  {prompt:>11} in{cached}  {completion:>9} out{unknown}  {}",
        total.requests,
        if total.requests == 1 { "request " } else { "requests" },
        cost(total)
    );
    line.trim_end().to_owned()
}

fn cost(total: &UsageTotal) -> String {
    match total.cost_usd() {
        Some(dollars) => format!("${dollars:.4}"),
        None if total.known_cost_usd > 0.0 => format!("at least ${:.4}", total.known_cost_usd),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::UnknownTokens;

    #[test]
    fn what_nobody_told_is_no_zero() {
        let unknown = UnknownTokens { completion: true, total: true, cached: true, prompt: false };
        let total = UsageTotal { requests: 1, prompt_tokens: 7, unknown, ..Default::default() };
        let line = line("2026-01-01", "lab/x", &total);
        assert!(line.contains(" 7 in ") && line.contains(" ? out, and some unreported"), "{line}");
        assert!(!line.contains("cached") && !line.contains(" 0 "), "{line}");
    }

    #[test]
    fn an_unknown_cost_is_never_a_number_alone() {
        let total =
            |known_cost_usd, has_unknown_cost| UsageTotal { known_cost_usd, has_unknown_cost, ..Default::default() };
        assert_eq!(cost(&total(0.0, true)), "");
        assert_eq!(cost(&total(0.5, true)), "at least $0.5000");
        assert_eq!(cost(&total(0.5, false)), "$0.5000");
        assert_eq!(cost(&total(0.0, false)), "$0.0000");
    }
}

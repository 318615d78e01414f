//! `arki models`: what is configured, what the catalogue knows, and what local servers list.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, word_of};
use arki_api::{LiveModelList, ModelEntry, ModelPrice};
use arki_engine::Engine;

pub(crate) async fn run(engine: &Engine, filter: &[String], output: &Printer) -> CommandExit {
    let LiveModelList { mut models, silent } = engine.accounts().live_models().await?;
    models.retain(|model| fits(model, filter));
    if models.is_empty() && !filter.is_empty() {
        output.aside(format!("No model fits {:?}. `arki models` lists all models.", filter.join(" ")));
    }
    for model in &models {
        output.tell(model, || line(model));
    }
    for silent in silent {
        output.aside(format!("Can't list the models of {}: {}", silent.provider, silent.message));
    }
    if !output.json {
        let catalogue = models.iter().find_map(|model| model.catalogue_date.as_ref());
        let dated = catalogue.map_or_else(String::new, |date| format!("; the built-in catalogue is from {date}"));
        output.aside(format!("Prices are in US dollars per million tokens{dated}."));
        output.aside(
            "Models with reasoning think with medium effort unless reasoningEffort says otherwise; thoughts cost as \
            much as output.",
        );
    }
    Ok(Exit::Done)
}

/// Returns whether each word is in the model's id or is one of its capabilities.
fn fits(model: &ModelEntry, words: &[String]) -> bool {
    let id = model.id.to_lowercase();
    words.iter().map(|word| word.to_lowercase()).all(|word| id.contains(&word) || model.capabilities.contains(&word))
}

fn line(model: &ModelEntry) -> String {
    let assumed = if model.context_window_assumed { "assumed " } else { "" };
    let window = model.context_window.map_or_else(String::new, |tokens| format!("{assumed}{tokens} tokens"));
    let price = model.price.as_ref().map_or_else(|| "price unknown".to_owned(), price);
    format!(
        "{:<40} {window:>22}  {price:<22} {:<13} {}",
        model.id,
        word_of(model.source),
        model.capabilities.join(", ")
    )
}

fn price(price: &ModelPrice) -> String {
    match (price.input, price.output) {
        (0.0, 0.0) => "free".to_owned(),
        // A price that depends on the prompt's length begins here.
        (input, output) if !price.tiers.is_empty() => format!("from ${input} in, ${output} out"),
        (input, output) => format!("${input} in, ${output} out"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_api::ModelFigures;

    fn priced(input: f64, output: f64) -> ModelPrice {
        ModelPrice { input, output, cached_input: None, cache_write: None, tiers: Vec::new() }
    }

    fn model(price: Option<ModelPrice>, source: ModelFigures) -> ModelEntry {
        ModelEntry {
            id: "p/m".into(),
            provider: "p".into(),
            model: "m".into(),
            name: "M".into(),
            context_window: Some(400_000),
            context_window_assumed: source == ModelFigures::Default,
            output_limit: None,
            is_blind: false,
            capabilities: vec!["text".into(), "vision".into()],
            price,
            source,
            catalogue_date: None,
        }
    }

    #[test]
    fn a_line_has_the_window_the_price_and_where_they_come_from() {
        let line = line(&model(Some(priced(1.25, 10.0)), ModelFigures::Catalogue));
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["p/m", "400000", "tokens", "$1.25", "in,", "$10", "out", "catalogue", "text,", "vision"]);
    }

    #[test]
    fn a_window_that_is_only_assumed_is_not_stated() {
        let line = line(&model(None, ModelFigures::Default));
        assert!(line.contains(" assumed 400000 tokens "), "{line}");
    }

    #[test]
    fn what_is_unknown_is_not_called_free() {
        assert!(line(&model(None, ModelFigures::Default)).contains("price unknown"));
        assert!(line(&model(Some(priced(0.0, 0.0)), ModelFigures::Local)).contains("free"));
    }
}

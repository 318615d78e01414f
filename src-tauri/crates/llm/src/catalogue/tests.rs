use super::*;
use crate::Rates;

fn provider(kind: ProviderKind) -> ProviderSettings {
    ProviderSettings::new("p", kind)
}

fn with(kind: ProviderKind, model: &str, settings: ModelSettings) -> ProviderSettings {
    let mut provider = provider(kind);
    provider.models.insert(model.to_owned(), settings);
    provider
}

fn a_price() -> Price {
    Price { rates: Rates { input: 7.0, output: 9.0, ..Rates::default() }, tiers: Vec::new() }
}

#[test]
fn a_model_of_the_catalogue_has_its_figures() {
    let info = model_info(&provider(ProviderKind::Anthropic), "claude-sonnet-4-5");
    assert_eq!((info.source, info.name.as_str()), (ModelSource::Catalogue, "Claude Sonnet 4.5 (latest)"));
    assert_eq!((info.context_window, info.output_limit), (200_000, Some(64_000)));
    let rates = Rates { input: 3.0, output: 15.0, cached_input: Some(0.3), cache_write: Some(3.75) };
    assert_eq!(info.price, Some(Price { rates, tiers: Vec::new() }));
    let abilities =
        [Capability::Text, Capability::Vision, Capability::Streaming, Capability::ToolUse, Capability::Reasoning];
    assert_eq!(info.capabilities, abilities);
}

#[test]
fn a_model_that_reads_text_only_and_does_not_reason_says_so() {
    let info = model_info(&provider(ProviderKind::Openai), "gpt-4");
    assert_eq!(info.capabilities, [Capability::Text, Capability::Streaming, Capability::ToolUse]);
}

#[test]
fn the_users_figures_win_and_the_others_stay() {
    let settings = ModelSettings { price: Some(a_price()), output_limit: Some(5), ..ModelSettings::default() };
    let info = model_info(&with(ProviderKind::Openai, "gpt-4.1", settings), "gpt-4.1");
    assert_eq!((info.price, info.output_limit), (Some(a_price()), Some(5)));
    assert_eq!((info.context_window, info.source), (1_047_576, ModelSource::Configuration));
    let settings = ModelSettings { context_window: Some(9), ..ModelSettings::default() };
    let info = model_info(&with(ProviderKind::Openai, "gpt-4.1", settings), "gpt-4.1");
    assert_eq!((info.context_window, info.price.unwrap().rates.input), (9, 2.0));
}

#[test]
fn an_unknown_model_has_defaults_and_no_price() {
    let info = model_info(&provider(ProviderKind::Openai), "gpt-from-the-future");
    assert_eq!((info.source, info.name.as_str()), (ModelSource::Default, "gpt-from-the-future"));
    assert_eq!((info.context_window, info.output_limit, info.price), (DEFAULT_CONTEXT_WINDOW, None, None));
    assert_eq!(info.capabilities, DEFAULT_CAPABILITIES);
}

#[test]
fn naming_a_model_without_figures_is_not_configuring_it() {
    let info = model_info(&with(ProviderKind::Openai, "gpt-4.1", ModelSettings::default()), "gpt-4.1");
    assert_eq!(info.source, ModelSource::Catalogue);
}

#[test]
fn a_local_model_costs_nothing_and_is_not_taken_for_its_namesake() {
    let mut lab = provider(ProviderKind::Openai);
    lab.is_local = true;
    let info = model_info(&lab, "gpt-4.1");
    assert_eq!((info.price, info.source), (Some(Price::zero()), ModelSource::Local));
    assert_eq!((info.context_window, info.output_limit), (DEFAULT_LOCAL_CONTEXT_WINDOW, None));
    assert_eq!(models_of(&lab), []);
    lab.models.insert("gpt-4.1".into(), ModelSettings { price: Some(a_price()), ..ModelSettings::default() });
    assert_eq!(model_info(&lab, "gpt-4.1").price, Some(a_price()));
}

#[test]
fn a_remote_server_of_the_users_has_no_known_price() {
    assert_eq!(model_info(&provider(ProviderKind::Custom), "gpt-4.1").price, None);
}

#[test]
fn the_demo_costs_nothing() {
    let models = models_of(&provider(ProviderKind::Demo));
    assert_eq!(models.iter().map(|model| model.model.as_str()).collect::<Vec<_>>(), DEMO_MODELS);
    assert!(models.iter().all(|model| model.price == Some(Price::zero())));
}

#[test]
fn configured_models_are_listed_before_the_catalogues_and_once() {
    let mut settings = with(ProviderKind::Openai, "gpt-4.1", ModelSettings::default());
    settings.models.insert("ours".into(), ModelSettings::default());
    let models = models_of(&settings);
    assert_eq!([&models[0].model, &models[1].model], ["gpt-4.1", "ours"]);
    assert_eq!(models.iter().filter(|model| model.model == "gpt-4.1").count(), 1);
    assert_eq!(models.len(), Catalogue::get().models(ProviderKind::Openai).len() + 1);
}

#[test]
fn the_sources_words_are_those_of_the_listing() {
    let words: Vec<_> = [ModelSource::Configuration, ModelSource::Catalogue, ModelSource::Local, ModelSource::Default]
        .map(|source| serde_json::to_value(source).unwrap())
        .into();
    assert_eq!(words, ["configuration", "catalogue", "local", "default"]);
}

//! Makes `data/catalogue.json` from the model data of the npm package `@earendil-works/pi-ai`, for
//! `cargo xtask catalogue`: `catalogue FOLDER SOURCE`, where FOLDER is the package's `dist/providers/data` and SOURCE is
//! the package and version to name in the file. Prints to standard output; the same input gives the same bytes.
//!
//! The package writes a zero where its own source says nothing. What that means is decided here, never in Arki: a figure
//! that is not known is left out. `docs/decisions/0011-model-catalogue.md` argues each rule.

#![allow(clippy::print_stdout, reason = "its output is the file")]

use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// The version of the package's own form that is read here.
const SCHEMA_VERSION: u32 = 6;

/// The package's names for the vendors, and the catalogue's.
const VENDORS: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("deepseek", "deepseek"),
    ("google", "gemini"),
    ("openai", "openai"),
    ("openrouter", "openrouter"),
];

/// Written where OpenRouter states no output limit.
const PLACEHOLDER_OUTPUT_LIMIT: u64 = 4096;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    schema_version: u32,
    generated_at: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    name: String,
    #[serde(default)]
    reasoning: bool,
    #[serde(default)]
    input: Vec<String>,
    cost: Cost,
    #[serde(default)]
    context_window: u64,
    #[serde(default)]
    max_tokens: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    #[serde(flatten)]
    rates: GivenRates,
    #[serde(default)]
    tiers: Vec<GivenTier>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenTier {
    input_tokens_above: u64,
    #[serde(flatten)]
    rates: GivenRates,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenRates {
    input: Number,
    output: Number,
    cache_read: Number,
    cache_write: Number,
}

/// One line of the file. `arki_llm` reads it; the field names are the configuration's.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Model {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_limit: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    vision: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reasoning: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Price>,
}

#[derive(Serialize)]
struct Price {
    #[serde(flatten)]
    rates: Rates,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tiers: Vec<Tier>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tier {
    above_input_tokens: u64,
    #[serde(flatten)]
    rates: Rates,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rates {
    input: Number,
    output: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_input: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_write: Option<Number>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, source] = arguments.as_slice() else { return Err("usage: catalogue FOLDER SOURCE".into()) };
    print!("{}", catalogue(source, |name| Ok(std::fs::read_to_string(Path::new(folder).join(name))?))?);
    Ok(())
}

/// The file's text. `read` gives a file of the package by its name.
fn catalogue(source: &str, read: impl Fn(&str) -> Result<String, Box<dyn Error>>) -> Result<String, Box<dyn Error>> {
    let manifest: Manifest = serde_json::from_str(&read(".manifest.json")?)?;
    if manifest.schema_version != SCHEMA_VERSION {
        return Err(format!("the data has the form {}, not {SCHEMA_VERSION}", manifest.schema_version).into());
    }
    let date = manifest.generated_at.get(..10).ok_or("the data has no date")?;
    let mut text = format!(
        "{{\"date\":{},\"source\":{},\"vendors\":{{",
        serde_json::to_string(date)?,
        serde_json::to_string(source)?
    );
    for (index, (given, vendor)) in VENDORS.iter().enumerate() {
        let lines = models(vendor, &read(&format!("{given}.json"))?)?;
        let separator = if index == 0 { "" } else { "," };
        text.push_str(&format!("{separator}\n\"{vendor}\":[\n{}\n]", lines.join(",\n")));
    }
    text.push_str("\n}}\n");
    Ok(text)
}

/// One line a model, sorted by id.
fn models(vendor: &str, text: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let by_api: BTreeMap<String, BTreeMap<String, serde_json::Value>> = serde_json::from_str(text)?;
    let mut lines = BTreeMap::new();
    for value in by_api.into_values().flat_map(BTreeMap::into_values) {
        if value["type"] != "chat" {
            continue;
        }
        let given: Given = serde_json::from_value(value)?;
        // Answered within hours, by another way of asking.
        if given.kind == "chat" && !given.id.ends_with(":batch") {
            let model = model(vendor, given);
            if let Some(twice) = lines.insert(model.id.clone(), serde_json::to_string(&model)?) {
                return Err(format!("{vendor} has a model twice: {twice}").into());
            }
        }
    }
    Ok(lines.into_values().collect())
}

fn model(vendor: &str, given: Given) -> Model {
    let is_stated = vendor != "openrouter"
        || (given.max_tokens != PLACEHOLDER_OUTPUT_LIMIT && given.max_tokens != given.context_window * 9 / 10);
    Model {
        price: price(&given),
        vision: given.input.iter().any(|kind| kind == "image"),
        reasoning: given.reasoning,
        context_window: Some(given.context_window).filter(|tokens| *tokens > 0),
        output_limit: Some(given.max_tokens).filter(|tokens| *tokens > 0 && is_stated),
        id: given.id,
        name: given.name,
    }
}

/// `None` where nothing is stated, which the package writes as zeros; only what is called free is.
fn price(given: &Given) -> Option<Price> {
    let is_free = given.id.ends_with(":free") || given.id == "openrouter/free";
    let stated = |rates: &GivenRates| is_free || is_positive(&rates.input) || is_positive(&rates.output);
    // Which model that is changes, and with it the price.
    let moves = given.id.ends_with("-latest");
    if moves || !stated(&given.cost.rates) {
        return None;
    }
    let tiers = given.cost.tiers.iter().filter(|tier| stated(&tier.rates));
    let mut tiers: Vec<Tier> =
        tiers.map(|tier| Tier { above_input_tokens: tier.input_tokens_above, rates: rates(&tier.rates) }).collect();
    tiers.sort_by_key(|tier| tier.above_input_tokens);
    Some(Price { rates: rates(&given.cost.rates), tiers })
}

/// A zero beside a price is no price of its own: the tokens cost what others do. A price for writing the cache that is
/// below that of reading plainly is one for keeping it, which comes on top.
fn rates(given: &GivenRates) -> Rates {
    let keeps = |price: &Number| price.as_f64() < given.input.as_f64();
    Rates {
        cached_input: Some(given.cache_read.clone()).filter(is_positive),
        cache_write: Some(given.cache_write.clone()).filter(|price| is_positive(price) && !keeps(price)),
        input: given.input.clone(),
        output: given.output.clone(),
    }
}

fn is_positive(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"{"schemaVersion":6,"generatedAt":"2026-11-10T12:05:37.628Z"}"#;

    fn model(id: &str, rest: &str) -> String {
        format!(r#""chat:{id}":{{"type":"chat","id":"{id}","name":"{id}","contextWindow":1000,{rest}}}"#)
    }

    fn cost(rates: [f64; 4]) -> String {
        let [input, output, read, write] = rates;
        format!(r#""cost":{{"input":{input},"output":{output},"cacheRead":{read},"cacheWrite":{write}}}"#)
    }

    fn lines(vendor: &str, given: &[String]) -> Vec<String> {
        models(vendor, &format!(r#"{{"an-api":{{{}}}}}"#, given.join(","))).unwrap()
    }

    #[test]
    fn models_are_sorted_and_what_is_no_chat_model_is_left_out() {
        let other = r#""image:x":{"type":"image","id":"x"}"#.to_owned();
        let given = ["b", "a", "a:batch"].map(|id| model(id, &cost([1.0, 2.0, 0.0, 0.0])));
        let given: Vec<String> = given.into_iter().chain([other]).collect();
        let found = lines("openrouter", &given);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], r#"{"id":"a","name":"a","contextWindow":1000,"price":{"input":1,"output":2}}"#);
        assert!(found[1].contains(r#""id":"b""#));
    }

    #[test]
    fn zeros_are_free_only_where_the_model_is_called_so() {
        for (id, price) in [("auto", None), ("v/m:free", Some(0)), ("openrouter/free", Some(0))] {
            let line = &lines("openrouter", &[model(id, &cost([0.0; 4]))])[0];
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(value.get("price").map(|price| price["output"].as_i64().unwrap()), price, "{id}");
        }
    }

    #[test]
    fn a_name_that_moves_has_no_price() {
        assert!(!lines("gemini", &[model("gemini-flash-latest", &cost([1.5, 9.0, 0.15, 0.0]))])[0].contains("price"));
    }

    #[test]
    fn a_cache_without_a_price_of_its_own_has_none() {
        let line = &lines("gemini", &[model("m", &cost([2.0, 12.0, 0.0, 0.375]))])[0];
        assert!(line.ends_with(r#""price":{"input":2,"output":12}}"#), "{line}");
        let line = &lines("anthropic", &[model("m", &cost([3.0, 15.0, 0.3, 3.75]))])[0];
        assert!(line.ends_with(r#""cachedInput":0.3,"cacheWrite":3.75}}"#), "{line}");
    }

    #[test]
    fn output_limits_that_openrouter_does_not_state_are_left_out() {
        for (vendor, limit, kept) in [
            ("openrouter", 900, false),
            ("openrouter", 4096, false),
            ("openrouter", 800, true),
            ("openai", 900, true),
            ("openai", 0, false),
        ] {
            let rest = format!(r#""maxTokens":{limit},{}"#, cost([1.0; 4]));
            assert_eq!(lines(vendor, &[model("m", &rest)])[0].contains("outputLimit"), kept, "{vendor} {limit}");
        }
    }

    #[test]
    fn tiers_abilities_date_and_source_are_kept() {
        let tiers = r#""cost":{"input":2.5,"output":15,"cacheRead":0.25,"cacheWrite":0,"tiers":[
            {"inputTokensAbove":272000,"input":5,"output":22.5,"cacheRead":0.5,"cacheWrite":0}]}"#;
        let rest = format!(r#""reasoning":true,"input":["text","image"],{tiers}"#);
        let read = |name: &str| {
            Ok(match name {
                ".manifest.json" => MANIFEST.to_owned(),
                "openai.json" => format!("{{\"an-api\":{{{}}}}}", model("m", &rest)),
                _ => "{}".to_owned(),
            })
        };
        let text = catalogue("a-package 1.0", read).unwrap();
        assert!(
            text.starts_with("{\"date\":\"2026-11-10\",\"source\":\"a-package 1.0\",\"vendors\":{\n\"anthropic\":[\n")
        );
        assert!(text.contains(concat!(
            r#""vision":true,"reasoning":true,"price":{"input":2.5,"output":15,"cachedInput":0.25,"#,
            r#""tiers":[{"aboveInputTokens":272000,"input":5,"output":22.5,"cachedInput":0.5}]}"#
        )));
        assert_eq!(text, catalogue("a-package 1.0", read).unwrap());
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }

    #[test]
    fn data_of_another_form_are_refused() {
        let read = |_: &str| Ok(MANIFEST.replace('6', "7"));
        assert!(catalogue("s", read).is_err());
    }
}

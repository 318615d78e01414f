//! Checks a definition across its keys: duplicate names, steps that wait for each other, limits.

use super::keys::{Limits, is_name};
use super::read::{Problems, ReadStep};
use super::yaml::YamlNode;
use crate::condition::Condition;
use crate::graph;
use crate::params::{Param, as_text};
use crate::problem::{TextPlace, did_you_mean};
use crate::template::{Template, Variable};
use serde_json::Value;
use std::collections::HashMap;

/// Steps that a pipeline can have at most, whatever it sets itself.
pub const ENTRY_LIMIT: usize = 10_000;
const MAX_BYTES: u64 = 64 << 20;
const MAX_SECONDS: u64 = 7 * 24 * 60 * 60;
const MAX_PARALLEL: u32 = 64;
const MAX_ATTEMPTS: u32 = 20;
const MAX_BACKOFF_MS: u64 = 300_000;

pub(super) struct CheckedSteps {
    /// The needs of each step, as the places of other steps.
    pub(super) needs: Vec<Vec<usize>>,
    pub(super) conditions: Vec<Option<Condition>>,
}

pub(super) fn name(name: &str, place: TextPlace, what: &str, problems: &mut Problems) {
    if !is_name(name) {
        problems.add(
            place,
            format!("{what} has 1 to 64 letters, digits, `-` and `_`, and {name:?} hasn't."),
            "Choose another name.",
        );
    }
}

pub(super) fn limits(limits: &Limits, node: Option<&YamlNode>, problems: &mut Problems) {
    let most = u64::try_from(ENTRY_LIMIT).unwrap_or(u64::MAX);
    let bounds = [
        ("max_steps", u64::from(limits.max_steps), most),
        ("max_input_bytes", limits.max_input_bytes, MAX_BYTES),
        ("max_output_bytes", limits.max_output_bytes, MAX_BYTES),
        ("step_timeout_seconds", limits.step_timeout_seconds, MAX_SECONDS),
        ("run_timeout_seconds", limits.run_timeout_seconds, MAX_SECONDS),
        ("max_parallel", u64::from(limits.max_parallel), u64::from(MAX_PARALLEL)),
    ];
    for (key, value, most) in bounds {
        let place = node.and_then(|node| Some(node.get(key)?.place)).unwrap_or(TextPlace::START);
        within((key, place), value, (1, most), problems);
    }
}

fn within((key, place): (&str, TextPlace), value: u64, (least, most): (u64, u64), problems: &mut Problems) {
    if !(least..=most).contains(&value) {
        problems.add(place, format!("`{key}` is {value}."), format!("Use a number from {least} to {most}."));
    }
}

pub(super) fn steps(steps: &[ReadStep], params: &[Param], problems: &mut Problems) -> CheckedSteps {
    let places = taken_names(steps, problems);
    let mut needs = Vec::with_capacity(steps.len());
    let mut conditions = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        bounds_of(step, problems);
        let needed = needs_of(index, step, &places, problems);
        let names: Vec<&str> = needed.iter().map(|at| steps[*at].file.name.as_str()).collect();
        templates(step, &names, params, problems);
        let condition = step.file.when.clone().map(|file| Condition::read(file, &names, params));
        conditions.push(match condition {
            Some(Ok(condition)) => Some(condition),
            Some(Err(fault)) => {
                problems.add(step.place_of("when"), fault.message, fault.hint);
                None
            }
            None => None,
        });
        if let Some(schema) = &step.file.output_schema
            && let Err(why) = jsonschema::validator_for(schema)
        {
            let words = format!("`output_schema` isn't a valid JSON Schema: {why}.");
            problems.add(step.place_of("output_schema"), words, "See https://json-schema.org.");
        }
        needs.push(needed);
    }
    if let Some(circle) = graph::circle(&needs) {
        let names: Vec<&str> = circle.iter().map(|at| steps[*at].file.name.as_str()).collect();
        let first = &steps[circle[0]];
        let words =
            format!("These steps wait for each other: {}.", [names.as_slice(), &names[..1]].concat().join(" → "));
        problems.add(first.place_of("needs"), words, "Take one of them out of `needs`.");
    }
    CheckedSteps { needs, conditions }
}

fn taken_names<'a>(steps: &'a [ReadStep], problems: &mut Problems) -> HashMap<&'a str, usize> {
    let mut places = HashMap::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        name(&step.file.name, step.place_of("name"), "A step's name", problems);
        if places.contains_key(step.file.name.as_str()) {
            let words = format!("Two steps are named {:?}.", step.file.name);
            problems.add(step.place_of("name"), words, "Give each step a name of its own.");
        } else {
            places.insert(step.file.name.as_str(), index);
        }
    }
    places
}

fn bounds_of(step: &ReadStep, problems: &mut Problems) {
    let place = step.place_of("retry");
    within(("max_attempts", place), step.file.retry.max_attempts.into(), (1, MAX_ATTEMPTS.into()), problems);
    within(("backoff_ms", place), step.file.retry.backoff_ms, (0, MAX_BACKOFF_MS), problems);
    if let Some(seconds) = step.file.timeout_seconds {
        within(("timeout_seconds", step.place_of("timeout_seconds")), seconds, (1, MAX_SECONDS), problems);
    }
    if step.adapter.asks() && (step.file.foreach.is_some() || step.file.retry.max_attempts > 1) {
        problems.add(step.place, "An approval step can't have `foreach` or `retry`.", "Remove them.");
    }
}

/// Returns the needs of a step. Without `needs` it needs the one before it.
fn needs_of(index: usize, step: &ReadStep, places: &HashMap<&str, usize>, problems: &mut Problems) -> Vec<usize> {
    let Some(named) = &step.file.needs else { return index.checked_sub(1).into_iter().collect() };
    let mut needs = Vec::with_capacity(named.len());
    for name in named {
        match places.get(name.as_str()) {
            Some(at) if needs.contains(at) => {
                problems.add(step.place_of("needs"), format!("`needs` has {name:?} twice."), "Name it once.");
            }
            Some(at) => needs.push(*at),
            None => {
                let hint = did_you_mean(name, places.keys().copied());
                problems.add(step.place_of("needs"), format!("There is no step {name:?}."), hint);
            }
        }
    }
    needs
}

fn templates(step: &ReadStep, needs: &[&str], params: &[Param], problems: &mut Problems) {
    for key in step.adapter.templates() {
        for (path, text) in texts(key, &step.settings[key]) {
            let place = step.place_of(&path);
            match Template::parse(&text) {
                Err(why) => problems.add(place, why, "Write `{{input}}`, `{{params.NAME}}` or `{{steps.NAME}}`."),
                Ok(template) => {
                    template.variables().for_each(|variable| unknown(variable, needs, params, place, problems));
                }
            }
        }
    }
}

/// Returns the texts of a key, which is one or a map of some, with their paths.
fn texts(key: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::String(text) => vec![(key.to_owned(), text.clone())],
        Value::Object(map) => map.iter().map(|(name, value)| (format!("{key}.{name}"), as_text(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Vec::new(),
    }
}

fn unknown(variable: &Variable, needs: &[&str], params: &[Param], place: TextPlace, problems: &mut Problems) {
    match variable {
        Variable::Input => {}
        Variable::Param(name) if params.iter().any(|param| param.name == *name) => {}
        Variable::Param(name) => {
            let known: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
            problems.add(place, format!("There is no parameter {name:?}."), did_you_mean(name, known));
        }
        Variable::Step(name) if needs.contains(&name.as_str()) => {}
        Variable::Step(name) => {
            let words = format!("`{{{{steps.{name}}}}}` names a step that isn't in this one's `needs`.");
            problems.add(place, words, "Add it to `needs`.");
        }
    }
}

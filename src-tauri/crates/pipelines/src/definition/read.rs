//! Reads a definition. Every problem is collected with its place, so that an author fixes all of them at once.

use super::check::{self, CheckedSteps};
use super::keys::{DefinitionFile, StepFile};
use super::yaml::{MapEntry, NodeKind, YamlNode, parse};
use super::{Definition, Limits, OutputForm, Step};
use crate::adapter::{self, Adapter};
use crate::denylist::Denylist;
use crate::key_schema;
use crate::params::{Param, ParamFile};
use crate::problem::{ADD, DefinitionProblem, TextPlace, did_you_mean};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The key that says what a step is.
const ADAPTER: &str = "adapter";
/// More problems than these are not told.
const MAX_PROBLEMS: usize = 50;

pub(super) fn definition(text: &str) -> Result<Definition, Vec<DefinitionProblem>> {
    let root = parse(text).map_err(|problem| vec![problem])?;
    let mut problems = Problems::default();
    let read = read_root(&root, &mut problems);
    match read.filter(|_| problems.0.is_empty()) {
        Some(definition) => Ok(definition),
        None => Err(problems.sorted()),
    }
}

#[derive(Default)]
pub(super) struct Problems(Vec<DefinitionProblem>);

impl Problems {
    pub(super) fn add(&mut self, place: TextPlace, message: impl Into<String>, hint: impl Into<String>) {
        self.0.push(DefinitionProblem::new(place, message, hint));
    }

    fn take<T>(&mut self, read: Result<T, DefinitionProblem>) -> Option<T> {
        read.map_err(|problem| self.0.push(problem)).ok()
    }

    /// Takes like [`Self::take`]; beside a misspelt key nothing is told that is missing.
    fn take_beside<T>(&mut self, is_misspelt: bool, read: Result<T, DefinitionProblem>) -> Option<T> {
        match read {
            Err(problem) if is_misspelt && problem.hint == ADD => None,
            read => self.take(read),
        }
    }

    fn sorted(mut self) -> Vec<DefinitionProblem> {
        self.0.sort_by_key(|problem| problem.place);
        self.0.truncate(MAX_PROBLEMS);
        self.0
    }
}

fn read_root(root: &YamlNode, problems: &mut Problems) -> Option<Definition> {
    let Some(entries) = root.entries() else {
        problems.add(root.place, "A pipeline must be a map with `name` and `steps`.", EXAMPLE);
        return None;
    };
    let known = [keys_of::<DefinitionFile>(), vec!["params".to_owned(), "steps".to_owned()]].concat();
    let is_misspelt = refuse_unknown(entries, &known, "", problems);
    let own: Vec<&MapEntry> = entries.iter().filter(|entry| known[..known.len() - 2].contains(&entry.key)).collect();
    let file: Option<DefinitionFile> = problems.take_beside(is_misspelt, typed(root.place, &own));
    let params = params(root.get("params"), problems);
    let steps = steps(root, problems);
    let file = file?;
    check::name(&file.name, root.get("name").map_or(root.place, |node| node.place), "A pipeline's name", problems);
    check::limits(&file.limits, root.get("limits"), problems);
    let denylist = match file.denylist_patterns {
        None => Some(Denylist::usual()),
        Some(patterns) => {
            let place = root.get("denylist_patterns").map_or(root.place, |node| node.place);
            problems.take(
                Denylist::new(&patterns)
                    .map_err(|why| DefinitionProblem::new(place, why, "Use globs such as `**/.env*`.")),
            )
        }
    };
    let DefinitionFile { name, description, limits, .. } = file;
    let steps = checked(steps?, &limits, &params, root.get("steps").map_or(root.place, |node| node.place), problems);
    Some(Definition { name, description, params, limits, denylist: denylist?, steps })
}

const EXAMPLE: &str = "For example: {name: count, steps: [{name: words, adapter: command, run: wc -w}]}.";

fn params(node: Option<&YamlNode>, problems: &mut Problems) -> Vec<Param> {
    let Some(node) = node else { return Vec::new() };
    let Some(entries) = node.entries() else {
        problems.add(
            node.place,
            "`params` must be a map from names to definitions.",
            "For example: {lang: {default: en}}.",
        );
        return Vec::new();
    };
    let known = keys_of::<ParamFile>();
    let mut params = Vec::new();
    for entry in entries {
        let of_param: Vec<&MapEntry> = entry.value.entries().unwrap_or_default().iter().collect();
        if entry.value.entries().is_none() && entry.value.kind != NodeKind::Scalar(Value::Null) {
            problems.add(
                entry.value.place,
                format!("The parameter `{}` must be a map.", entry.key),
                "For example: {type: integer, default: 3}.",
            );
            continue;
        }
        refuse_unknown(entry.value.entries().unwrap_or_default(), &known, &format!("params.{}", entry.key), problems);
        let file: Option<ParamFile> = problems.take(typed(entry.value.place, &of_param));
        let param = file.and_then(|file| {
            problems.take(
                Param::read(&entry.key, file)
                    .map_err(|fault| DefinitionProblem::new(entry.key_place, fault.message, fault.hint)),
            )
        });
        params.extend(param);
    }
    params
}

/// A step as it is read, with the places that later checks speak of.
pub(super) struct ReadStep {
    pub(super) file: StepFile,
    pub(super) adapter: &'static dyn Adapter,
    pub(super) settings: Value,
    pub(super) place: TextPlace,
    /// The places of its keys, and of those below them, as `params.lang`.
    pub(super) places: Vec<(String, TextPlace)>,
}

impl ReadStep {
    pub(super) fn place_of(&self, key: &str) -> TextPlace {
        self.places.iter().find(|(known, _)| known == key).map_or(self.place, |(_, place)| *place)
    }
}

/// The keys that a step can have: those of all steps, and those of its adapter.
struct KnownKeys {
    common: Vec<String>,
    by_adapter: HashMap<&'static str, Vec<String>>,
}

impl KnownKeys {
    fn new() -> Self {
        let by_adapter = adapter::ADAPTERS
            .iter()
            .map(|adapter| (adapter.name(), key_schema::properties(&adapter.settings())))
            .collect();
        Self { common: keys_of::<StepFile>(), by_adapter }
    }
}

fn steps(root: &YamlNode, problems: &mut Problems) -> Option<Vec<ReadStep>> {
    let Some(node) = root.get("steps") else {
        problems.add(root.place, "`steps` is missing.", EXAMPLE);
        return None;
    };
    let NodeKind::List(items) = &node.kind else {
        problems.add(node.place, "`steps` must be a list.", EXAMPLE);
        return None;
    };
    if items.is_empty() {
        problems.add(node.place, "A pipeline needs at least one step.", EXAMPLE);
    }
    if items.len() > check::ENTRY_LIMIT {
        let words = format!("The pipeline has {} steps; the limit is {}.", items.len(), check::ENTRY_LIMIT);
        problems.add(node.place, words, "Use `foreach` for work that repeats.");
        return None;
    }
    let keys = KnownKeys::new();
    Some(items.iter().filter_map(|item| step(item, &keys, problems)).collect())
}

fn step(node: &YamlNode, keys: &KnownKeys, problems: &mut Problems) -> Option<ReadStep> {
    let Some(entries) = node.entries() else {
        problems.add(node.place, "A step must be a map with `name` and `adapter`.", EXAMPLE);
        return None;
    };
    let Some(named) = node.get(ADAPTER) else {
        let hint = format!("Use one of: {}.", adapter::names().collect::<Vec<_>>().join(", "));
        problems.add(node.place, "`adapter` is missing: what runs this step?", hint);
        return None;
    };
    let name = named.json().as_str().map(str::to_owned).unwrap_or_default();
    let Some(adapter) = adapter::find(&name) else {
        let hint = did_you_mean(&name, adapter::names());
        problems.add(named.place, format!("Unknown adapter {name:?}."), hint);
        return None;
    };
    let KnownKeys { common, by_adapter } = keys;
    let is_common = |key: &String| common.contains(key);
    let own = by_adapter.get(adapter.name()).map(Vec::as_slice).unwrap_or_default();
    let known: Vec<String> = common.iter().chain(own).cloned().chain([ADAPTER.to_owned()]).collect();
    let is_misspelt = refuse_unknown(entries, &known, &format!("a step of the adapter {name}"), problems);
    let (of_step, of_adapter): (Vec<&MapEntry>, Vec<&MapEntry>) = entries
        .iter()
        .filter(|entry| known.contains(&entry.key) && entry.key != ADAPTER)
        .partition(|entry| is_common(&entry.key));
    let settings: Map<String, Value> = of_adapter.iter().map(|entry| (entry.key.clone(), entry.value.json())).collect();
    let settings = Value::Object(settings);
    let file = problems.take_beside(is_misspelt, typed(node.place, &of_step));
    if let Err(wrong) = adapter.check(&settings) {
        let at = |key: &String| of_adapter.iter().find(|entry| entry.key == *key).map(|entry| entry.value.place);
        let place = wrong.key.as_ref().and_then(at).unwrap_or(node.place);
        problems.take_beside(is_misspelt, Err::<(), _>(DefinitionProblem::new(place, wrong.message, wrong.hint)));
    }
    let places = entries.iter().flat_map(places).collect();
    Some(ReadStep { file: file?, adapter, settings, place: node.place, places })
}

fn places(entry: &MapEntry) -> Vec<(String, TextPlace)> {
    let below = entry.value.entries().unwrap_or_default();
    let below = below.iter().map(|inner| (format!("{}.{}", entry.key, inner.key), inner.value.place));
    below.chain([(entry.key.clone(), entry.value.place)]).collect()
}

fn checked(
    steps: Vec<ReadStep>,
    limits: &Limits,
    params: &[Param],
    place: TextPlace,
    problems: &mut Problems,
) -> Vec<Step> {
    if steps.len() > limits.max_steps as usize {
        let words = format!("The pipeline has {} steps; `limits.max_steps` allows {}.", steps.len(), limits.max_steps);
        problems.add(place, words, "Raise `limits.max_steps`, or use fewer steps.");
    }
    let CheckedSteps { needs, conditions } = check::steps(&steps, params, problems);
    let parts = steps.into_iter().zip(needs).zip(conditions);
    parts
        .map(|((read, needs), when)| {
            let ReadStep { file, adapter, settings, .. } = read;
            let output = if file.output_schema.is_some() { OutputForm::Json } else { file.output };
            Step {
                name: file.name,
                adapter,
                settings,
                needs,
                when,
                foreach: file.foreach,
                retry: file.retry,
                timeout_seconds: file.timeout_seconds,
                output,
                output_schema: file.output_schema,
                artifact: file.artifact,
            }
        })
        .collect()
}

/// Returns whether there are any: then what seems to be missing may only be misspelt, and is not told as well.
fn refuse_unknown(entries: &[MapEntry], known: &[String], within: &str, problems: &mut Problems) -> bool {
    for entry in entries.iter().filter(|entry| !known.contains(&entry.key)) {
        let of = if within.is_empty() { "a pipeline" } else { within };
        let hint = did_you_mean(&entry.key, known.iter().map(String::as_str));
        problems.add(entry.key_place, format!("Unknown key `{}` of {of}.", entry.key), hint);
    }
    entries.iter().any(|entry| !known.contains(&entry.key))
}

/// Reads the entries of a map as a type; what doesn't fit is told with its place.
fn typed<T: DeserializeOwned>(place: TextPlace, entries: &[&MapEntry]) -> Result<T, DefinitionProblem> {
    let value: Map<String, Value> = entries.iter().map(|entry| (entry.key.clone(), entry.value.json())).collect();
    serde_path_to_error::deserialize(Value::Object(value)).map_err(|error| {
        let path = error.path().clone();
        let at = place_of(&path, entries).unwrap_or(place);
        let (message, hint) = words(&path.to_string(), &error.into_inner().to_string());
        DefinitionProblem::new(at, message, hint)
    })
}

fn place_of(path: &serde_path_to_error::Path, entries: &[&MapEntry]) -> Option<TextPlace> {
    use serde_path_to_error::Segment;
    let mut segments = path.iter();
    let Some(Segment::Map { key }) = segments.next() else { return None };
    let mut node = &entries.iter().find(|entry| entry.key == *key)?.value;
    for segment in segments {
        let below = match (segment, &node.kind) {
            (Segment::Map { key }, _) => node.get(key),
            (Segment::Seq { index }, NodeKind::List(items)) => items.get(*index),
            _ => None,
        };
        let Some(below) = below else { break };
        node = below;
    }
    Some(node.place)
}

/// Puts what the deserializer says into a sentence.
fn words(path: &str, error: &str) -> (String, String) {
    let quoted = |from: &str| from.split('`').nth(1).unwrap_or_default().to_owned();
    if error.starts_with("missing field") {
        return (format!("`{}` is missing.", quoted(error)), ADD.to_owned());
    }
    if let Some(rest) = error.strip_prefix("unknown field ").or_else(|| error.strip_prefix("unknown variant ")) {
        let name = quoted(rest);
        let known: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
        return (format!("`{name}` isn't known in `{path}`."), did_you_mean(&name, known));
    }
    (format!("`{path}` can't have this value: {error}."), "See docs/pipelines.md for the possible values.".to_owned())
}

/// The keys that a type has.
fn keys_of<T: JsonSchema>() -> Vec<String> {
    key_schema::properties(&key_schema::of::<T>())
}

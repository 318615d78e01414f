//! YAML as a tree in which every key and value knows its line: what is wrong with a definition is told with its place.
//!
//! The parser is bounded: a document that unfolds without end, through aliases or nesting, is an error and takes neither
//! memory nor time.

use crate::problem::{DefinitionProblem, TextPlace};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{Location, Spanned};
use std::fmt;

/// The longest definition.
pub const MAX_DEFINITION_BYTES: usize = 1 << 20;
const MAX_DEPTH: usize = 24;
/// Keys and values.
const MAX_NODES: usize = 200_000;
/// The most YAML events that aliases may unfold to.
const MAX_UNFOLDED: usize = 10_000;
const MAX_ALIASES_OF_ONE: usize = 200;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct YamlNode {
    pub(crate) kind: NodeKind,
    pub(crate) place: TextPlace,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NodeKind {
    /// A null, a flag, a number or a text.
    Scalar(Value),
    List(Vec<YamlNode>),
    Map(Vec<MapEntry>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MapEntry {
    pub(crate) key: String,
    pub(crate) key_place: TextPlace,
    pub(crate) value: YamlNode,
}

/// Reads a document.
pub(crate) fn parse(text: &str) -> Result<YamlNode, DefinitionProblem> {
    if text.len() > MAX_DEFINITION_BYTES {
        let words = format!("The definition is longer than {} KiB.", MAX_DEFINITION_BYTES >> 10);
        return Err(DefinitionProblem::new(
            TextPlace::START,
            words,
            "Split it into pipelines that a step runs with `pipeline`.",
        ));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_UNFOLDED,
            max_alias_expansions_per_anchor: MAX_ALIASES_OF_ONE,
        },
        with_snippet: false,
        strict_booleans: true,
    };
    let parsed: Result<Spanned<NodeKind>, _> = serde_saphyr::from_str_with_options(text, options);
    parsed.map(node).map_err(|error| {
        let place = error.location().map_or(TextPlace::START, |at| place(&at));
        DefinitionProblem::new(place, format!("This isn't valid YAML here: {}.", reason(&error)), HINT)
    })
}

const HINT: &str = "Check quotes, indentation and colons. Text with `: ` or a leading `*`, `&` or `{` needs quotes.";

/// Returns the reason on one line, without the place, which is given apart.
fn reason(error: &serde_saphyr::Error) -> String {
    let told = error.to_string();
    let told = told.lines().next().unwrap_or_default();
    let end = told.rfind(" at line ").unwrap_or(told.len());
    told[..end].trim_end_matches('.').to_owned()
}

fn place(at: &Location) -> TextPlace {
    TextPlace { line: at.line(), column: at.column() }
}

impl YamlNode {
    pub(crate) fn entries(&self) -> Option<&[MapEntry]> {
        match &self.kind {
            NodeKind::Map(entries) => Some(entries),
            NodeKind::Scalar(_) | NodeKind::List(_) => None,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&YamlNode> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub(crate) fn json(&self) -> Value {
        match &self.kind {
            NodeKind::Scalar(value) => value.clone(),
            NodeKind::List(items) => items.iter().map(Self::json).collect(),
            NodeKind::Map(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.json()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

fn node(read: Spanned<NodeKind>) -> YamlNode {
    YamlNode { place: place(&read.referenced), kind: read.value }
}

impl<'de> Deserialize<'de> for NodeKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = NodeKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeKind, D::Error> {
        NodeKind::deserialize(deserializer)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(flag.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Number::from_f64(number).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(text.into()))
    }

    fn visit_string<E>(self, text: String) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<NodeKind, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(node(item));
        }
        Ok(NodeKind::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeKind, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<Spanned<String>, _>()? {
            entries.push(MapEntry { key_place: place(&key.referenced), key: key.value, value: node(value) });
        }
        Ok(NodeKind::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_and_value_knows_its_line() {
        let node = parse("name: a\nsteps:\n  - { name: b, run: \"wc -w\" }\n").unwrap();
        let NodeKind::List(steps) = &node.get("steps").unwrap().kind else { panic!("{node:?}") };
        let entries = steps[0].entries().unwrap();
        assert_eq!((entries[1].key.as_str(), entries[1].key_place), ("run", TextPlace { line: 3, column: 16 }));
        assert_eq!(entries[1].value.place, TextPlace { line: 3, column: 21 });
        assert_eq!(steps[0].json(), serde_json::json!({"name": "b", "run": "wc -w"}));
    }

    #[test]
    fn what_is_no_yaml_is_told_with_its_line() {
        let problem = parse("name: a\nsteps: [\n").unwrap_err();
        assert!(problem.place.line >= 2, "{problem:?}");
        assert!(problem.message.starts_with("This isn't valid YAML here: "), "{problem:?}");
        let twice = parse("name: a\nname: b\n").unwrap_err();
        assert!(twice.place.line == 2, "{twice:?}");
    }

    #[test]
    fn a_document_that_unfolds_without_end_is_an_error() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        assert!(parse(&bomb).is_err());
        assert!(parse(&format!("a: {}1{}", "[".repeat(200), "]".repeat(200))).is_err());
        assert!(parse("a: &a [*a]").is_err());
        assert!(parse(&format!("a: {}", "x".repeat(MAX_DEFINITION_BYTES))).is_err());
    }

    #[test]
    fn an_anchor_can_be_used_again() {
        let node = parse("a: &a { run: ls }\nb: *a\n").unwrap();
        assert_eq!(node.get("b").unwrap().json(), serde_json::json!({"run": "ls"}));
    }
}

//! Finds the place of a key in a file, in words for people who look for it.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_path_to_error::Segment;
use std::fmt;

/// The way from the file's outermost braces to a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeyPath(Vec<PathStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    /// The index in a list, from 0.
    Item(usize),
}

impl KeyPath {
    pub(crate) fn then(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(PathStep::Key(key.to_owned()));
        Self(steps)
    }

    pub(crate) fn at(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(PathStep::Item(index));
        Self(steps)
    }

    /// `"limits.maxTurns" (line 3, column 5)`; nothing for the file as a whole. A key that is not there is told with the
    /// place where it is missing.
    pub(crate) fn in_text(&self, text: &str) -> String {
        match (self.0.is_empty(), self.find(text)) {
            (true, _) => String::new(),
            (false, None) => format!("\"{self}\""),
            (false, Some(start)) => {
                let before = &text[..start];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                format!("\"{self}\" (line {line}, column {column})")
            }
        }
    }

    /// The byte at which it begins, or what of its way is there.
    fn find(&self, text: &str) -> Option<usize> {
        let file = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
        let (mut value, mut found) = (file.value.as_ref()?, None);
        for step in &self.0 {
            let (start, next) = match (step, value) {
                (PathStep::Key(key), Value::Object(object)) => {
                    let Some(property) = object.properties.iter().find(|one| one.name.as_str() == key) else { break };
                    (property.range.start, &property.value)
                }
                (PathStep::Item(index), Value::Array(array)) => {
                    let Some(item) = array.elements.get(*index) else { break };
                    (item.start(), item)
                }
                _ => break,
            };
            (value, found) = (next, Some(start));
        }
        found
    }
}

impl From<&serde_path_to_error::Path> for KeyPath {
    fn from(path: &serde_path_to_error::Path) -> Self {
        let step = |segment: &Segment| match segment {
            Segment::Map { key } => Some(PathStep::Key(key.clone())),
            Segment::Seq { index } => Some(PathStep::Item(*index)),
            // Within one value.
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        Self(path.iter().filter_map(step).collect())
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) if number == 0 => f.write_str(key)?,
                PathStep::Key(key) => write!(f, ".{key}")?,
                PathStep::Item(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_past_comments_and_lists_and_a_missing_one_where_it_is_missed() {
        let text = "{ // ä\n  \"a\": { \"ü\": [1, { \"b\": 2 }] }\n}";
        let item = KeyPath(vec![PathStep::Key("a".into()), PathStep::Key("ü".into()), PathStep::Item(1)]);
        assert_eq!(item.in_text(text), "\"a.ü[1]\" (line 2, column 19)");
        assert_eq!(item.then("b").in_text(text), "\"a.ü[1].b\" (line 2, column 21)");
        assert_eq!(item.then("c").in_text(text), "\"a.ü[1].c\" (line 2, column 19)");
        assert_eq!(KeyPath::default().then("x").in_text(text), "\"x\"");
        assert_eq!(KeyPath::default().in_text(text), "");
        assert_eq!(KeyPath::default().then("x").in_text("{"), "\"x\"");
    }
}

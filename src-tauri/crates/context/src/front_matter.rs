//! The lines between `---` at the beginning of a rule, a skill or a command. Read leniently: what isn't YAML is read line
//! by line, with a warning, and the text below is used all the same.

use serde_json::Value;
use std::collections::BTreeMap;

const FENCE: &str = "---";
/// Longer front matter is not looked at.
const MAX_FRONT_MATTER_BYTES: usize = 64 * 1024;

/// The fields of a Markdown file's front matter, and its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter<'a> {
    fields: BTreeMap<String, Value>,
    /// True if the file has front matter.
    pub is_present: bool,
    pub body: &'a str,
    /// True if a value is written as `[a, b]` or `{a: b}`, which stricter readers refuse.
    pub has_flow_values: bool,
    pub warning: Option<String>,
}

impl<'a> FrontMatter<'a> {
    #[must_use]
    pub fn read(source: &'a str) -> Self {
        let source = source.trim_start_matches('\u{feff}');
        let Some((head, body)) = split(source) else {
            return Self { body: source, ..Self::default() };
        };
        if head.len() > MAX_FRONT_MATTER_BYTES {
            let warning = Some(format!("its first lines are over {MAX_FRONT_MATTER_BYTES} bytes and were skipped"));
            return Self { is_present: true, body, warning, ..Self::default() };
        }
        let (fields, warning) = match serde_saphyr::from_str::<Option<BTreeMap<String, Value>>>(head) {
            Ok(fields) => (fields.unwrap_or_default(), None),
            Err(error) => {
                let line = error.location().map(|at| format!(" in line {}", at.line() + 1)).unwrap_or_default();
                let warning = format!("its first lines are not YAML{line}; text with a colon or a `*` needs quotes");
                (line_by_line(head), Some(warning))
            }
        };
        Self { fields, is_present: true, body, has_flow_values: has_flow_values(head), warning }
    }

    /// A text, a number or a flag as text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        match self.fields.get(key)? {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    #[must_use]
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.text(key)?.to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => None,
        }
    }

    /// A list, or a text with commas.
    #[must_use]
    pub fn list(&self, key: &str) -> Vec<String> {
        self.fields.get(key).map(items).unwrap_or_default()
    }

    /// The same of a field below another one.
    #[must_use]
    pub fn list_below(&self, parent: &str, key: &str) -> Vec<String> {
        self.fields.get(parent).and_then(|parent| parent.get(key)).map(items).unwrap_or_default()
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }
}

/// Texts over several lines (`|`, `>`) are skipped.
fn has_flow_values(head: &str) -> bool {
    let mut text_below = None;
    head.lines().filter(|line| !line.trim().is_empty()).any(|line| {
        let indent = line.len() - line.trim_start().len();
        if text_below.is_some_and(|of| indent > of) {
            return false;
        }
        let entry = line.trim_start().trim_start_matches("- ");
        let value = entry.split_once(": ").map_or(entry, |(_, value)| value).trim_start();
        text_below = value.starts_with(['|', '>']).then_some(indent);
        value.starts_with(['[', '{'])
    })
}

fn items(value: &Value) -> Vec<String> {
    let clean = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let items: Vec<String> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(clean).collect(),
        Value::String(text) => split_at_commas(text).map(clean).collect(),
        _ => Vec::new(),
    };
    items.into_iter().filter(|item| !item.is_empty()).collect()
}

/// Splits a list at commas, but not within braces or parentheses: `src/**/*.{ts,tsx}` and `Bash(git add:*, git
/// commit:*)` are one each.
fn split_at_commas(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim().trim_start_matches('[').trim_end_matches(']');
    let mut depth = 0_i32;
    text.split(move |c| {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    })
}

/// The lines between the fences and what comes after them.
fn split(source: &str) -> Option<(&str, &str)> {
    let mut lines = source.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == FENCE)?;
    let rest = &source[first.len()..];
    let mut length = 0;
    for line in lines {
        if line.trim_end() == FENCE {
            return Some((&rest[..length], &rest[length + line.len()..]));
        }
        length += line.len();
    }
    None
}

fn line_by_line(head: &str) -> BTreeMap<String, Value> {
    let mut fields: BTreeMap<String, Value> = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in head.lines() {
        let is_inner = line.starts_with([' ', '\t', '-']);
        match (line.split_once(':'), &last) {
            (Some((key, value)), _) if !is_inner => {
                let value = value.trim().trim_matches(['"', '\'']);
                fields.insert(key.trim().to_owned(), Value::from(value));
                last = Some(key.trim().to_owned());
            }
            (_, Some(key)) if is_inner => {
                let item = line.trim().trim_start_matches("- ").trim_matches(['"', '\'']);
                if let Some(Value::String(known)) = fields.get_mut(key) {
                    let joint = if line.trim_start().starts_with('-') && !known.is_empty() { "," } else { " " };
                    *known = format!("{known}{joint}{item}").trim().to_owned();
                }
            }
            _ => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_read_and_the_text_stands_behind_them() {
        let read = FrontMatter::read(
            "\u{feff}---\r\ndescription: >\r\n  Two\r\n  lines\r\npaths: [a/**, \"b/*.rs\"]\r\nalwaysApply: true\r\n---\r\nText\r\n",
        );
        assert_eq!(read.text("description").as_deref(), Some("Two lines"));
        assert_eq!(read.list("paths"), ["a/**", "b/*.rs"]);
        assert_eq!((read.flag("alwaysApply"), read.body, &read.warning), (Some(true), "Text\r\n", &None));
    }

    #[test]
    fn what_is_no_yaml_is_read_line_by_line_with_a_warning() {
        let read = FrontMatter::read(
            "---\ndescription: Use when: forms\nglobs: *.ts,src/**/*.{js,jsx}\nalwaysApply: false\n---\nText",
        );
        assert!(read.warning.as_ref().is_some_and(|warning| warning.contains("not YAML")), "{read:?}");
        assert_eq!(read.text("description").as_deref(), Some("Use when: forms"));
        assert_eq!(read.list("globs"), ["*.ts", "src/**/*.{js,jsx}"]);
        assert_eq!((read.flag("alwaysApply"), read.body), (Some(false), "Text"));
    }

    #[test]
    fn a_list_below_its_key_is_read_in_both_ways() {
        for (head, is_yaml) in
            [("paths:\n  - a/**\n  - b/**\n", true), ("paths:\n  - *.rs\n  - b/**\nx: y: z\n", false)]
        {
            let source = format!("---\n{head}---\n");
            let read = FrontMatter::read(&source);
            assert_eq!((read.list("paths").len(), read.warning.is_none()), (2, is_yaml), "{read:?}");
        }
        assert_eq!(
            FrontMatter::read("---\ntriggers:\n  keywords: a, b\n---\n").list_below("triggers", "keywords"),
            ["a", "b"]
        );
    }

    #[test]
    fn a_text_without_front_matter_is_all_text() {
        for source in ["", "# Title\n", "---\nno end\n", "--- \nx"] {
            let read = FrontMatter::read(source);
            assert!(!read.is_present && read.body == source && read.warning.is_none(), "{source:?}");
        }
        let long = format!("---\nx: {}\n---\nText", "y".repeat(MAX_FRONT_MATTER_BYTES));
        let read = FrontMatter::read(&long);
        assert!(read.body == "Text" && read.warning.is_some_and(|warning| warning.contains("skipped")));
    }

    proptest! {
        #[test]
        fn nothing_makes_it_fail_or_lose_the_text(head in "[-:a-z{}\\[\\]*&!|>%@\"' \n\t#,]{0,200}", body in "\\PC{0,50}") {
            let source = format!("---\n{head}\n---\n{body}");
            let read = FrontMatter::read(&source);
            prop_assert!(source.ends_with(read.body));
            prop_assert!(read.body.ends_with(&body));
        }
    }
}
